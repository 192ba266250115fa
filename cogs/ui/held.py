"""Buttons that decide about a message which moderation holds."""

from collections.abc import Sequence

import discord

from bot.core.kinds import LetterKind
from bot.core.moderation import HELD_ID, held_id
from bot.core.records import Letter, LetterId, Snowflake
from cogs.ui.deciding import SHOWN, Button, DecidingButton, Interaction
from cogs.ui.texts import honest

LABELS = {"post": ("Approve", discord.ButtonStyle.success), "discard": ("Discard", discord.ButtonStyle.danger)}


class HeldButton(DecidingButton, template=HELD_ID):
    """Approve or Discard for one held letter."""

    @staticmethod
    def drawn(verdict: str, number: int, row: int | None) -> Button:
        """Give the button as Discord shows it."""
        word, style = LABELS[verdict]
        id = held_id(verdict, LetterId(number))
        return discord.ui.Button(label=f"{word} {number}", style=style, custom_id=id, row=row)

    async def decide(self, interaction: Interaction, guild_id: Snowflake) -> str:
        """Post the message, or throw it away."""
        who = interaction.client.person(interaction.user)
        desk = interaction.client.front_desk
        return await desk.decide(guild_id, who, LetterId(self.number), post=self.verdict == "post")


def held_view(held: Sequence[tuple[Letter, str]]) -> discord.ui.View:
    """Give buttons for these letters; they never time out."""
    view = discord.ui.View(timeout=None)
    for at, (letter, _) in enumerate(held[:SHOWN]):
        for verdict in LABELS:
            view.add_item(HeldButton(verdict, letter.id, row=at // 2))
    return view


def held_line(letter: Letter, words: str) -> str:
    """Word one thing that is held."""
    said = words if len(words) <= 120 else f"{words[:119]}…"
    what = "" if letter.kind is LetterKind.POST else f" ({letter.kind.value})"
    return f"**{letter.id}**: room {letter.room_id}{what}, {honest(' '.join(said.split()))}"
