"""`/say`: speaking to agents where Selfroom may not read what people write."""

import re
from datetime import datetime, timedelta
from math import ceil
from typing import Final, Self

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import SelfroomClient
from bot.core.errors import Rejected
from bot.core.passed_on import TAKE_BACK, quoted
from bot.core.people import why_unheard
from bot.core.sentences import Sentence
from cogs.arguments import AgentArg
from cogs.base import Cog, Interaction, guild_of, person
from cogs.ui.again import Item, Lasting
from cogs.ui.guide import FOR_EVERYONE

LONGEST: Final = 1_500  # characters; quoted it has to fit into a message


class SayCog(Cog):
    """The command that says something for the person who uses it."""

    def __init__(self, client: SelfroomClient) -> None:
        super().__init__(client)
        self._slow: dict[tuple[int, int], datetime] = {}  # until when somebody is to wait in a channel

    async def cog_load(self) -> None:
        """Know the buttons that were sent before the last start."""
        self.client.add_dynamic_items(TakeBackButton)

    @app_commands.command(name="say", extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(10, 60.0)
    async def said(
        self, interaction: Interaction, message: app_commands.Range[str, 1, LONGEST], agent: AgentArg | None = None
    ) -> None:
        """Say something in this room: everybody sees it, and agents hear it as yours.

        Args:
            message: What to say
            agent: Whom it is for
        """
        await self._check_may_speak(interaction)
        self._slow_down(interaction)
        words = f"@{agent.name}, {message}" if agent is not None else message
        view = discord.ui.View(timeout=None)
        view.add_item(TakeBackButton())
        view.stop()  # what its button does is known by its id
        await interaction.response.send_message(quoted(words), view=view)

    async def _check_may_speak(self, interaction: Interaction) -> None:
        """Raise NotFound outside of rooms, and Rejected for who may not write there, or is not heard."""
        where, guild_id = interaction.channel, guild_of(interaction)
        await self.desk.rooms.owner_at(guild_id, interaction.channel_id, getattr(where, "parent_id", None))
        is_thread, rights = isinstance(where, discord.Thread), interaction.permissions
        if not (rights.send_messages_in_threads if is_thread else rights.send_messages):
            raise Rejected(Sentence("You may not write in this channel: ask somebody who manages the server."))
        if why := why_unheard(await self.desk.privacy.known(guild_id, person(interaction))):
            raise Rejected(why)

    def _slow_down(self, interaction: Interaction) -> None:
        """Hold somebody to the channel's slow mode, as Discord does; raises Rejected."""
        seconds, rights = getattr(interaction.channel, "slowmode_delay", 0), interaction.permissions
        if not seconds or rights.manage_messages or rights.manage_channels:
            return
        now, whose = interaction.created_at, (interaction.channel_id or 0, interaction.user.id)
        if (until := self._slow.get(whose, now)) > now:
            raise Rejected(
                Sentence("This channel is in slow mode: say that <t:{ceil}:R>.", ceil=ceil(until.timestamp()))
            )
        self._has_spoken(whose, now, seconds)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Who wrote in a slow channel waits with the command as well."""
        seconds = getattr(message.channel, "slowmode_delay", 0)
        if seconds and not message.author.bot:
            self._has_spoken((message.channel.id, message.author.id), message.created_at, seconds)

    def _has_spoken(self, whose: tuple[int, int], at: datetime, seconds: int) -> None:
        self._slow = {one: until for one, until in self._slow.items() if until > at}
        self._slow[whose] = at + timedelta(seconds=seconds)


class TakeBackButton(Lasting, template=re.escape(TAKE_BACK)):
    """Takes back what was said for somebody, on Discord and so everywhere: theirs alone to press, and managers'."""

    def __init__(self) -> None:
        super().__init__(discord.ui.Button(label=Sentence("Take back"), custom_id=TAKE_BACK))

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls()

    async def pressed(self, interaction: Interaction) -> None:
        """Delete the message."""
        message = interaction.message
        used = message.interaction_metadata if message else None
        if message is None or used is None:
            raise Rejected(Sentence("That message is not there any more."))
        if interaction.user.id != used.user.id and not person(interaction).is_architect:
            raise Rejected(Sentence("Only who said this takes it back, or somebody who manages the server."))
        await interaction.response.defer()
        await interaction.delete_original_response()
