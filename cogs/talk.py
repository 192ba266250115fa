"""`/talk`: an agent and a person by themselves."""

import asyncio
from typing import Final
from weakref import WeakValueDictionary

import discord
from discord import app_commands

from bot.client import SelfroomClient
from bot.core.errors import Rejected
from bot.core.records import Agent
from bot.core.sentences import Sentence, listed
from bot.languages import spoken
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, wait
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.rights import worded
from cogs.ui.texts import label

KEPT_MINUTES: Final = 10_080  # a week after the last word it is put away; what is said there then brings it back
NEEDED = ("view_channel", "create_private_threads", "send_messages_in_threads")


class TalkCog(Group, group_name="talk", group_description="Talk with an agent by yourselves"):
    """Commands that bring a person and an agent together."""

    def __init__(self, client: SelfroomClient) -> None:
        super().__init__(client)
        self._doors: WeakValueDictionary[tuple[int, int], asyncio.Lock] = WeakValueDictionary()

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(3, 60)
    async def agent(self, interaction: Interaction, agent: AgentArg) -> None:
        """Open a private thread in an agent's room, for you and the agent.

        Args:
            agent: Whom to talk with
        """
        await wait(interaction)
        member, room = interaction.user, await self.desk.rooms.place(guild_of(interaction), agent.id)
        channel = interaction.guild.get_channel(room.channel_id or 0) if interaction.guild and room else None
        if not isinstance(channel, discord.TextChannel) or not isinstance(member, discord.Member):
            raise Rejected(Sentence("{agent} has no channel yet: wait until it has one.", agent=agent.name))
        _check(channel, member, agent)
        async with self._doors.setdefault((channel.id, member.id), asyncio.Lock()):  # who asks twice is given one
            locale = interaction.locale.value
            thread = await _open_already(channel, member, agent) or await _opened(channel, member, agent, locale)
        told = Sentence("Talk with {agent} here: {thread}.", agent=label(agent.name), thread=thread.mention)
        await self.say(interaction, told)


def _check(channel: discord.TextChannel, member: discord.Member, agent: Agent) -> None:
    """Raise Rejected, naming what is missing, when this person or Selfroom may open no private thread there."""
    theirs, ours = channel.permissions_for(member), channel.permissions_for(channel.guild.me)
    if not theirs.view_channel:
        raise Rejected(
            Sentence(
                "You cannot see {agent}'s room: ask somebody who manages the server to let you in.", agent=agent.name
            )
        )
    if not theirs.create_private_threads or not theirs.send_messages_in_threads:
        raise Rejected(Sentence("You may not open private threads in that room: ask somebody who manages the server."))
    lacking = [worded(name) for name in NEEDED if not getattr(ours, name)]
    if lacking:
        raise Rejected(
            Sentence(
                "Selfroom lacks **{lacking}** in {channel}: give its role that permission.",
                lacking=listed(*lacking),
                channel=channel.mention,
            )
        )


async def _open_already(channel: discord.TextChannel, member: discord.Member, agent: Agent) -> discord.Thread | None:
    """Give the thread in which these two talk already."""
    for thread in channel.threads:
        is_ours = thread.owner_id == channel.guild.me.id and thread.name == _name(member, agent)
        if is_ours and thread.is_private() and not thread.archived and await _is_in(thread, member):
            return thread
    return None


async def _is_in(thread: discord.Thread, member: discord.Member) -> bool:
    try:
        await thread.fetch_member(member.id)
    except discord.NotFound:
        return False
    return True


async def _opened(channel: discord.TextChannel, member: discord.Member, agent: Agent, locale: str) -> discord.Thread:
    thread = await channel.create_thread(
        name=_name(member, agent),
        type=discord.ChannelType.private_thread,
        invitable=False,
        auto_archive_duration=KEPT_MINUTES,
    )
    await thread.add_user(member)
    greeting = Sentence(
        "{person}, here you and {agent} are by yourselves: it answers whatever you say, and what is said here is known "
        "in no other room. Who manages this server's threads can read along.",
        person=member.mention,
        agent=label(agent.name),
    )
    await thread.send(
        spoken(greeting, locale),
        allowed_mentions=discord.AllowedMentions(users=[member]),
    )
    return thread


def _name(member: discord.Member, agent: Agent) -> str:
    return f"{agent.name} and {member.name}"[:100]
