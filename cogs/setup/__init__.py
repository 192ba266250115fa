"""`/setup`: what a new server needs, step by step; it can be run again at any time."""

import discord
from discord import app_commands

from cogs.setup.archives import Archives
from cogs.setup.settings import Settings


@app_commands.default_permissions(discord.Permissions(manage_guild=True))
class SetupCog(
    Settings, Archives, group_name="setup", group_description="What Selfroom needs on this server (managers)"
):
    """Commands on the server's own settings, and on all that is kept of it."""


__all__ = ["SetupCog"]
