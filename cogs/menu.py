"""What can be done with a message from its menu."""

import re
from collections.abc import Sequence
from typing import Self

import discord
from discord import app_commands

from bot.client import SelfroomClient
from bot.core.actions import React
from bot.core.emoji import SHOWN
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import Emotion, SenderKind
from bot.core.people import why_unheard
from bot.core.records import AgentId, Message, MessageId
from bot.core.sentences import Sentence, stacked
from bot.core.view import Outline
from bot.languages import spoken
from cogs.base import Cog, Interaction, guild_of, managers_only, person, reader, wait
from cogs.ui.again import Again, Item, Lasting, with_button
from cogs.ui.beats import beat_file, beat_summary, passed_line
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.patience import Patience
from cogs.ui.rights import told
from cogs.ui.texts import label

MOST_FILES = 10  # Discord takes no more


class MenuCog(Cog):
    """The five entries of a message's menu, as many as Discord allows."""

    def __init__(self, client: SelfroomClient) -> None:
        super().__init__(client)
        self.asked_again = Patience(3, 60.0)  # a message, by whomever
        self.entries = [
            app_commands.ContextMenu(name="Who said this?", callback=self.who, extras=FOR_EVERYONE),
            app_commands.ContextMenu(name="Show the HUD behind this", callback=self.hud),
            app_commands.ContextMenu(name="Ask again", callback=self.again, extras=FOR_EVERYONE),
            app_commands.ContextMenu(name="Delete and forget", callback=self.delete),
            app_commands.ContextMenu(name="React as The Architect", callback=self.react),
        ]

    async def cog_load(self) -> None:
        """Put the entries in, and know the buttons that were sent before the last start."""
        self.client.add_dynamic_items(ReactionButton)
        for entry in self.entries:
            self.client.tree.add_command(entry)

    async def cog_unload(self) -> None:
        """Take them out."""
        for entry in self.entries:
            self.client.tree.remove_command(entry.name, type=entry.type)

    async def who(self, interaction: Interaction, message: discord.Message) -> None:
        """Say who said it, and which agents reacted."""
        await wait(interaction)
        guild_id = guild_of(interaction)
        known = await self.desk.messages.at(guild_id, message.id, may_read=reader(interaction))
        view, reacted = await self.desk.community.view(guild_id), await self.desk.messages.reactions(guild_id, known)
        await self.say(interaction, said_by(known, view) + reacted_by(reacted, view))

    async def hud(self, interaction: Interaction, message: discord.Message) -> None:
        """Give managers the very HUD and answer behind it; for others' messages, why agents answered or passed."""
        managers_only(interaction)
        await wait(interaction)
        known = await self.desk.messages.at(guild_of(interaction), message.id, may_read=reader(interaction))
        if known.beat_id is None:
            await self.passed(interaction, known, message.id)
            return
        guild_id = guild_of(interaction)
        beat = await self.desk.beats.behind(guild_id, known, who=person(interaction).id)
        rooms = (await self.desk.community.view(guild_id)).all_rooms
        told = beat_summary(beat, await self.desk.providers.model(guild_id), rooms)
        await self.say(interaction, told, files=[beat_file(beat)], view=what_if(message.id))

    async def passed(self, interaction: Interaction, message: Message, discord_id: int) -> None:
        """Tell what each agent of the room made of a message that no agent said."""
        guild_id = guild_of(interaction)
        view = await self.desk.community.view(guild_id)
        found = await self.desk.beats.after(guild_id, message, who=person(interaction).id)
        agents = {view.agents[id_]: beat for id_, beat in found.items()}
        looks = await self.desk.agents.next_beats(guild_id)
        lines = [passed_line(agent, beat, looks[agent.id].words, view.all_rooms) for agent, beat in agents.items()]
        files = [beat_file(beat) for beat in found.values() if beat][:MOST_FILES]
        told = stacked(Sentence("**What agents made of it**"), *lines)
        await self.say(interaction, told, files=files, view=what_if(discord_id))

    @app_commands.checks.cooldown(5, 60.0)
    async def again(self, interaction: Interaction, message: discord.Message) -> None:
        """Have the agent look once more at what it answered, or at what was said."""
        self.asked_again.take(interaction, message.id)
        await wait(interaction)
        guild_id = guild_of(interaction)
        try:
            known = await self.desk.messages.at(guild_id, message.id, may_read=reader(interaction))
        except NotFound:
            if self.client.intents.message_content or message.author.id != interaction.user.id:
                raise
            await self.desk.rooms.owner_at(guild_id, message.channel.id, getattr(message.channel, "parent_id", None))
            if why := why_unheard(await self.desk.privacy.known(guild_id, person(interaction))):
                raise Rejected(why) from None
            self.client.hear(message)  # its words are told us for this once
            await self.say(interaction, Sentence("Agents hear it now, as if you had just said it."))
            return
        await self.say(interaction, await self.desk.messages.ask_again(guild_id, person(interaction), known))

    async def delete(self, interaction: Interaction, message: discord.Message) -> None:
        """Delete it here, and from every memory; asks before it does."""
        managers_only(interaction)
        await self.desk.messages.at(guild_of(interaction), message.id, may_read=reader(interaction))
        if await self.sure(interaction, Sentence("Delete this message for good?"), Sentence("Delete")):
            await wait(interaction)
            await message.delete()
            await self.say(interaction, Sentence("The message is deleted, here and from every memory."))

    async def react(self, interaction: Interaction, message: discord.Message) -> None:
        """Let The Architect react to it."""
        managers_only(interaction)
        known = await self.desk.messages.at(guild_of(interaction), message.id, may_read=reader(interaction))
        await self.say(interaction, Sentence("Which reaction?"), view=reactions(known.id))


def what_if(discord_id: int) -> discord.ui.View:
    """Give the button that begins a tree of timelines when a message had just been said."""
    return with_button(Again("timeline fork", (f"message={discord_id}",)), Sentence("What if…"))


def said_by(message: Message, view: Outline) -> str:
    """Word who said a message."""
    sender = message.sender
    at = int(message.sent_at.timestamp())
    when = Sentence("Message {message}, <t:{at}:f>.", message=message.id, at=at)
    if sender.agent_id is not None and sender.agent_id in view.agents:
        agent = view.agents[sender.agent_id]
        name, model = label(agent.name), label(agent.model)
        return Sentence(
            "**{name}** (ID {agent}) said it: a {type}, an AI agent on {model}. {when}",
            name=name,
            agent=agent.id,
            type=agent.type,
            model=model,
            when=when,
        )
    if sender.kind is SenderKind.SYSTEM:
        return Sentence("Selfroom itself said it. {when}", when=when)
    return Sentence("{sender} said it, a person. {when}", sender=label(sender.shown()), when=when)


def reacted_by(reactions: Sequence[tuple[AgentId, str]], view: Outline) -> str:
    """Word which agents reacted to a message; empty when none did."""
    shown = [f"**{label(view.agents[id_].name)}** {emoji}" for id_, emoji in reactions if id_ in view.agents]
    return Sentence("\nReacted: {names}", names=", ".join(shown)) if shown else ""


class ReactionButton(Lasting, template=r"react:(?P<id>\d+):(?P<emotion>[a-z_]+)"):
    """One of the reactions that agents know by name; only managers may press it."""

    def __init__(self, message_id: int, emotion: Emotion) -> None:
        super().__init__(discord.ui.Button(emoji=SHOWN[emotion], custom_id=f"react:{message_id}:{emotion}"))
        self.action = React(message_id=message_id, reaction=emotion)

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(int(match["id"]), Emotion(match["emotion"]))

    async def pressed(self, interaction: Interaction) -> None:
        """React, if the message is still there and for who presses."""
        managers_only(interaction)
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild_id, desk = guild_of(interaction), interaction.client.desk
        await desk.messages.by_id(guild_id, MessageId(self.action.message_id), may_read=reader(interaction))
        outcome = await desk.actions.take(guild_id, person(interaction), self.action)
        done = spoken(await told(interaction, outcome), interaction.locale.value)
        await interaction.followup.send(done, ephemeral=True)


def reactions(message_id: int) -> discord.ui.View:
    """Give a button for each reaction."""
    view = discord.ui.View(timeout=None)
    for emotion in Emotion:
        view.add_item(ReactionButton(message_id, emotion))
    return view
