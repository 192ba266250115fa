"""Buttons that decide about something that waits; what they mean stands in their ids, so they survive a restart."""

import re
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import NotFound
from bot.core.records import Snowflake
from cogs.ui.again import Lasting

Interaction = discord.Interaction[SelfroomClient]
Button = discord.ui.Button[discord.ui.View]
SHOWN = 10  # things to decide about at once: two buttons each, and a message has 25


class DecidingButton(Lasting, template=r"(?!)"):
    """One verdict on one thing; who presses must be a manager, which is checked where it is decided."""

    def __init__(self, verdict: str, number: int, *, row: int | None = None) -> None:
        super().__init__(self.drawn(verdict, number, row))
        self.verdict = verdict
        self.number = number

    @staticmethod
    def drawn(verdict: str, number: int, row: int | None) -> Button:
        """Give the button as Discord shows it."""
        raise NotImplementedError

    async def decide(self, interaction: Interaction, guild_id: Snowflake) -> str:
        """Decide, and give what came of it."""
        raise NotImplementedError

    @classmethod
    async def from_custom_id(  # type: ignore[override]
        cls, interaction: Interaction, item: discord.ui.Item[discord.ui.View], match: re.Match[str], /
    ) -> Self:
        """Read the button again, whoever sent it and whenever."""
        return cls(match["verdict"], int(match["id"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Decide, and tell who pressed; the first decision wins."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        if interaction.guild_id is None:
            raise NotFound("This works in a server only.")
        await interaction.followup.send(await self.decide(interaction, Snowflake(interaction.guild_id)), ephemeral=True)
