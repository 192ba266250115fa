"""Slash commands brought to a server only when they have changed."""

import hashlib
import json
from typing import Any

import discord
import structlog
from discord import app_commands

from bot.core.changes import SetOverride
from bot.core.ports import Store
from bot.core.records import Community

SYNCED = "synced_commands"
log = structlog.get_logger(__name__)


class CommandSync:
    """Keeps the hash of the commands that a server has, and sends them when it differs."""

    def __init__(self, tree: app_commands.CommandTree[Any], store: Store) -> None:
        self._tree = tree
        self._store = store

    async def bring_up_to_date(self, guild: discord.Guild, community: Community) -> bool:
        """Send the commands if the server has others; gives whether it was needed."""
        self._tree.copy_global_to(guild=guild)
        commands = [command.to_dict(self._tree) for command in self._tree.get_commands(guild=guild)]
        digest = hashlib.sha256(json.dumps(commands, sort_keys=True, default=str).encode()).hexdigest()[:16]
        if community.overrides.get(SYNCED) == digest:
            return False
        await self._tree.sync(guild=guild)
        async with self._store.writing(community.id) as write:
            await write.apply(community.id, [SetOverride(name=SYNCED, value=digest)])
        log.info("commands put into a server", server=guild.name, commands=len(commands))
        return True
