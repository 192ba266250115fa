"""Buttons on places that may still name a forgotten person; they survive a restart, and no name is kept for them."""

import re
from contextlib import suppress
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import NotFound, Rejected
from bot.core.name_redaction import TRACE_ID, NameRedactor, Trace, TraceKind
from bot.core.records import Snowflake
from bot.core.sentences import Sentence
from cogs.ui.again import Item, Lasting
from cogs.ui.forms import FORM_CHARACTERS, TextForm, open_form

Interaction = discord.Interaction[SelfroomClient]
KEPT_BY_AGENTS = (TraceKind.KNOWLEDGE, TraceKind.FOCUS, TraceKind.LORE, TraceKind.CARD)
TOO_LONG = Sentence("That prompt is longer than a form takes: change it with `/agent edit` and a file.")


class TraceButton(Lasting, template=TRACE_ID):
    """Opens a text without the person's name, to be looked at and sent; or removes it from what an agent keeps."""

    def __init__(self, trace: Trace, person_id: Snowflake) -> None:
        super().__init__(discord.ui.Button(label=trace.kind.value, custom_id=trace.button_id(person_id)))
        self.trace = trace
        self.person_id = person_id

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(Trace(kind=TraceKind(match["kind"]), id=int(match["id"])), Snowflake(int(match["person"])))

    async def pressed(self, interaction: Interaction) -> None:
        """Open or remove; that managers alone may is for the desk to say."""
        guild_id, traces = _guild(interaction), interaction.client.desk.traces
        who = interaction.client.person(interaction.user)
        if self.trace.kind in KEPT_BY_AGENTS:
            await interaction.response.defer(ephemeral=True, thinking=True)
            username = (await user_now(interaction, self.person_id)).name
            told = await traces.empty(guild_id, who, self.trace, username)
            await interaction.followup.send(told, ephemeral=True)
            return
        text = await traces.text(guild_id, who, self.trace)
        if len(text) > FORM_CHARACTERS:
            raise Rejected(TOO_LONG)
        start = NameRedactor(await names_now(interaction, self.person_id)).replaced(text)
        title, label = (
            Sentence("Without their name: {kind}", kind=self.trace.kind),
            Sentence("Look at it before you send it"),
        )
        form = TextForm(title, label, start=start, longest=FORM_CHARACTERS, written=self.written)
        await open_form(interaction, form)

    async def written(self, interaction: Interaction, text: str) -> None:
        """Put what was sent in its place."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        traces, who = interaction.client.desk.traces, interaction.client.person(interaction.user)
        told = await traces.rewrite(_guild(interaction), who, self.trace, text)
        await interaction.followup.send(told, ephemeral=True)


async def user_now(interaction: Interaction, person_id: Snowflake) -> discord.User:
    """Give a person as Discord knows them now; raises NotFound when it knows them no longer."""
    try:
        return await interaction.client.fetch_user(person_id)
    except discord.NotFound:
        raise NotFound(Sentence("Discord does not know them any more: look through it by hand.")) from None


async def names_now(interaction: Interaction, person_id: Snowflake) -> tuple[str, ...]:
    """Give what a person is called on Discord now, borrowed names too: for a text that is looked at first."""
    user = await user_now(interaction, person_id)
    names = {user.name, user.display_name}
    if interaction.guild is not None:
        with suppress(discord.NotFound):  # has left
            names.add((await interaction.guild.fetch_member(person_id)).display_name)
    return tuple(names)


def _guild(interaction: Interaction) -> Snowflake:
    if interaction.guild_id is None:
        raise NotFound(Sentence("This works in a server only."))
    return Snowflake(interaction.guild_id)
