"""How often the same is done for somebody, whichever entry, button or form asks for it."""

from collections.abc import Hashable

import discord
from discord import app_commands


class Patience:
    """Lets so much be done in so many seconds, as a command's cooldown does, but asked by hand where work begins.

    `whose`: what it is counted for beside the server, such as a person or a message.
    """

    def __init__(self, times: int, seconds: float) -> None:
        self._times = times
        self._seconds = seconds
        self._used: dict[Hashable, app_commands.Cooldown] = {}

    def take(self, interaction: discord.Interaction, whose: Hashable) -> None:
        """Count one use; raises CommandOnCooldown when it is too many."""
        at, place = interaction.created_at.timestamp(), (interaction.guild_id, whose)
        self._used = {one: used for one, used in self._used.items() if used.get_tokens(at) < self._times}
        used = self._used.setdefault(place, app_commands.Cooldown(self._times, self._seconds))
        if wait := used.update_rate_limit(at):
            raise app_commands.CommandOnCooldown(used, wait)
