"""Buttons that decide about a message which moderation holds; they survive a restart."""

import re
from collections.abc import Sequence
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import NotFound
from bot.core.moderation import HELD_ID, held_id
from bot.core.records import Letter, LetterId, Message, Snowflake
from cogs.ui.again import Lasting

Interaction = discord.Interaction[SelfroomClient]
SHOWN = 10  # two buttons each; a message has 25
LABELS = {"post": ("Approve", discord.ButtonStyle.success), "discard": ("Discard", discord.ButtonStyle.danger)}


class HeldButton(Lasting, template=HELD_ID):
    """Approve or Discard for one held letter; who presses must be a manager, which the front desk checks."""

    def __init__(self, verdict: str, letter_id: int, *, label: str | None = None, row: int | None = None) -> None:
        word, style = LABELS[verdict]
        id = held_id(verdict, LetterId(letter_id))
        super().__init__(discord.ui.Button(label=label or word, style=style, custom_id=id, row=row))
        self.verdict = verdict
        self.letter_id = LetterId(letter_id)

    @classmethod
    async def from_custom_id(  # type: ignore[override]
        cls, interaction: Interaction, item: discord.ui.Item[discord.ui.View], match: re.Match[str], /
    ) -> Self:
        """Read the button again, whoever sent it and whenever."""
        return cls(match["verdict"], int(match["id"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Decide, and tell who pressed; the first decision wins."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.followup.send(await self._decide(interaction), ephemeral=True)

    async def _decide(self, interaction: Interaction) -> str:
        if interaction.guild_id is None:
            raise NotFound("This works in a server only.")
        who = interaction.client.person(interaction.user)
        desk, guild_id = interaction.client.front_desk, Snowflake(interaction.guild_id)
        return await desk.decide(guild_id, who, self.letter_id, post=self.verdict == "post")


def held_view(held: Sequence[tuple[Letter, Message]]) -> discord.ui.View:
    """Give buttons for these letters; they never time out."""
    view = discord.ui.View(timeout=None)
    for at, (letter, _) in enumerate(held[:SHOWN]):
        for verdict, (word, _) in LABELS.items():
            view.add_item(HeldButton(verdict, letter.id, label=f"{word} {letter.id}", row=at // 2))
    return view


def held_line(letter: Letter, message: Message) -> str:
    """Word one held message."""
    said = message.content if len(message.content) <= 120 else f"{message.content[:119]}…"
    return f"**{letter.id}**: room {letter.room_id}, {' '.join(said.split())}"
