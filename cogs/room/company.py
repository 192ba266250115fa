"""Who is in a room, what it is, and silence in it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import discord
from discord import app_commands

from bot.core.actions import ClearRoom, Compact, Hush, Invite, Remove, StopClearing
from bot.core.actions.fields import LARGEST_ID
from bot.core.attention import share_words
from bot.core.errors import NotFound
from bot.core.kinds import LetterKind
from bot.core.letters import wanted_visibility
from bot.core.people import present
from bot.core.records import Agent, AgentId, Checkpoint, Message, MessageId, Room
from bot.core.sentences import Sentence, listed, stacked
from bot.core.view import Glance, Outline, View
from bot.core.wording import counted, honest
from bot.languages import spoken
from bot.languages.shown import speak_view
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, here, managers_only, may_read, wait
from cogs.ui.again import Again, UseButton
from cogs.ui.cards import PEOPLE, SIGNS, Looks, architect_line, shown_state
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.rights import check_clearable, entrants, soon
from cogs.ui.texts import JOINING, SEEING, label

Minutes = app_commands.Range[int, 0, 1_440]
Count = app_commands.Range[int, 1, LARGEST_ID]
FOLLOWED = timedelta(minutes=14)  # an answer can be changed for fifteen
FOLLOWED_SECONDS = 2.0
LOOKED_BACK = 200  # messages


class Company(Group):
    """Commands on who is there and what is said."""

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def info(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Show a room: topic, access, pace, members and what waits at its door.

        Args:
            room: Which room; this one when left out
        """
        owner = room or await here(interaction)
        view = await self.desk.community.view(guild_of(interaction), owner.id)
        self.check_sees(interaction, view.all_rooms[owner.id].channel_id)
        card = room_card(view, owner.id, self.desk.clock.now(), partial(spoken, locale=interaction.locale.value))
        await self.say(interaction, embed=card)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def members(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """List who is in a room: agents, people who spoke there lately, and who may enter.

        Args:
            room: Which room; this one when left out
        """
        owner = room or await here(interaction)
        view = await self.desk.community.view(guild_of(interaction), owner.id, messages=LOOKED_BACK)
        channel_id, now = view.all_rooms[owner.id].channel_id, self.desk.clock.now()
        self.check_sees(interaction, channel_id)
        sight = await self.sight(interaction)
        view, looks = sight.of(view), await self.looks(interaction, sight)
        people = people_lines(view, owner.id, now, entrants(interaction.guild, channel_id))
        lines = [*member_lines(view, owner.id, looks, now), architect_line(), *people]
        title = Sentence("**In {owner}'s room**", owner=label(owner.name))
        await self.list_out(interaction, title, lines, empty=Sentence("Nobody is in it."))

    @app_commands.command(name="scheduled")
    async def later(self, interaction: Interaction, room: AgentArg | None = None, cancel: int | None = None) -> None:
        """List what agents will say in a room later, with buttons that take it back.

        Args:
            room: Which room; this one when left out
            cancel: The number of one to take back
        """
        owner = await self.room(interaction, room)
        again = Again("room scheduled", (f"room={owner.id}",))
        await self.scheduled(interaction, None, owner, again, cancel)

    @app_commands.command()
    async def invite(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """Make an agent a member of a room, without a key.

        Args:
            agent: Whom to invite
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, Invite(agent_id=agent.id), subject=owner.id)

    @app_commands.command()
    async def remove(self, interaction: Interaction, agent: AgentArg, room: AgentArg | None = None) -> None:
        """Take an agent out of a room; for people see /access revoke.

        Args:
            agent: Whom to take out
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, Remove(agent_id=agent.id), subject=owner.id)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(5, 60.0)
    async def hush(
        self, interaction: Interaction, minutes: Minutes | None = None, room: AgentArg | None = None
    ) -> None:
        """Silence the agents in a room for some minutes; 0 lets them speak again.

        Args:
            minutes: For how long; the server's own time when left out
            room: Which room; this one when left out
        """
        owner = await self.room(interaction, room)
        view = await self.desk.community.view(guild_of(interaction))
        self.check_sees(interaction, view.all_rooms[owner.id].channel_id)
        await self.act(interaction, Hush(minutes=minutes), subject=owner.id)

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(5, 20.0)
    async def summaries(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Read the summaries of what was said in a room, the newest first.

        Args:
            room: Which room; this one when left out
        """
        owner = await self.room(interaction, room)
        guild_id = guild_of(interaction)
        room_there = (await self.desk.community.view(guild_id)).all_rooms[owner.id]
        self.check_sees(interaction, room_there.channel_id)
        found, ends = await self.desk.rooms.summaries(guild_id, owner.id)
        link = partial(moment_of, guild_id, room_there, ends)
        lines = [line for one in reversed(found) for line in summary_lines(one, link)]
        title = Sentence("**{owner}'s room in short**", owner=label(owner.name))
        await self.list_out(interaction, title, lines, empty=Sentence("There is no summary yet."))

    @app_commands.command()
    async def summarise(self, interaction: Interaction, room: AgentArg | None = None) -> None:
        """Have what was said in a room since the last summary summed up now.

        Args:
            room: Which room; this one when left out
        """
        managers_only(interaction)
        owner = await self.room(interaction, room)
        await self.act(interaction, Compact(room_id=owner.id), subject=owner.id)

    @app_commands.command()
    async def clear(
        self, interaction: Interaction, messages: Count | None = None, room: AgentArg | None = None, stop: bool = False
    ) -> None:
        """Delete the newest messages of a room, on Discord and from every memory; asks before it does.

        Args:
            messages: How many; the pinned ones stay
            room: Which room; this one when left out
            stop: End what is under way
        """
        managers_only(interaction)
        owner = await self.room(interaction, room, threads=False)
        if stop:
            told = await self.do(interaction, StopClearing(), subject=owner.id)
            await self.say(interaction, Sentence.joined(told, " ", await self.how_far(interaction, owner)))
        elif messages is None:
            await self.follow(interaction, owner)
        elif await self.sure(interaction, *asked_to_clear(owner, messages), room=owner.id):
            await self.begin_to_clear(interaction, owner, messages)
            await self.follow(interaction, owner)

    async def begin_to_clear(self, interaction: Interaction, owner: Agent, messages: int) -> None:
        """Have so many messages deleted; what was said since the question is not what was asked about."""
        view = await self.desk.community.view(guild_of(interaction), messages=0)
        check_clearable(interaction.guild, view.all_rooms[owner.id].channel_id)
        asked = interaction.message or interaction
        await self.do(interaction, ClearRoom(messages=messages, before=asked.id), subject=owner.id)

    async def how_far(self, interaction: Interaction, owner: Agent) -> str:
        """Word how far the last clearing of a room came."""
        cleared = await self.desk.rooms.cleared(guild_of(interaction), owner.id)
        return (
            cleared.told() if cleared else Sentence("This room is not being cleared: say how many messages are to go.")
        )

    async def follow(self, interaction: Interaction, owner: Agent) -> None:
        """Tell how far the clearing of a room is, again and again until it is over or Discord takes no more of it."""
        guild_id, clock = guild_of(interaction), self.desk.clock
        until = clock.now() + FOLLOWED

        async def is_over() -> bool:
            cleared = await self.desk.rooms.cleared(guild_id, owner.id)
            return cleared is None or not cleared.goes_on

        await wait(interaction)
        over = await soon(clock, is_over)
        stop = discord.ui.View(timeout=None)
        stop.add_item(UseButton(Again("room clear", (f"room={owner.id}", "stop=True")), label=Sentence("Stop")))
        locale = interaction.locale.value
        speak_view(stop, locale)
        told = spoken(await self.how_far(interaction, owner), locale)
        shown = await interaction.followup.send(
            told, view=discord.utils.MISSING if over else stop, ephemeral=True, wait=True
        )
        while not over and clock.now() < until:
            await clock.sleep(FOLLOWED_SECONDS)
            over, before = await is_over(), told
            told = spoken(await self.how_far(interaction, owner), locale)
            if over or told != before:
                await shown.edit(content=told, view=None if over else stop)

    def check_sees(self, interaction: Interaction, channel_id: int | None) -> None:
        """Raise NotFound when the room is private and not for whom asked."""
        if not may_read(interaction, channel_id):
            raise NotFound(Sentence("There is no such room, or it is private: ask for access with /access request."))


def asked_to_clear(owner: Agent, messages: int) -> tuple[Sentence, Sentence]:
    """Word the question that stands before the clearing of a room, and its button."""
    button, newest = Sentence("Delete {messages}", messages=messages), counted(messages, "message")
    if messages == 1:
        asked = Sentence("Delete the newest message in {owner}'s room? That cannot be undone.", owner=owner.name)
        return asked, button
    return Sentence(
        "Delete the newest {newest} in {owner}'s room? That cannot be undone.", newest=newest, owner=owner.name
    ), button


def room_card(view: View, room_id: AgentId, now: datetime, say: Callable[[str], str]) -> discord.Embed:
    """Show one room on a card, which `say` words for who reads it."""
    room, owner = view.all_rooms[room_id], view.agents[room_id]
    card = discord.Embed(
        title=say(Sentence("{owner}'s room", owner=label(owner.name))),
        description=honest(room.topic) if room.topic else say(Sentence("No topic yet.")),
    )
    joining, seeing = say(JOINING[room.access]), say(seen_by(view, room_id))
    card.add_field(name=say(Sentence("Access")), value=f"{joining[:1].upper()}{joining[1:]}; {seeing}.")
    pace = Sentence("{wpm} words, {rpm} messages a minute", wpm=room.wpm, rpm=room.rpm)
    card.add_field(name=say(Sentence("Pace")), value=say(stacked(pace, *_queue(view, room_id))))
    silent = room.hushed_until is not None and room.hushed_until > now
    if silent and room.hushed_until is not None:
        card.add_field(name=say(Sentence("Silent until")), value=f"<t:{int(room.hushed_until.timestamp())}:t>")
    members = ", ".join(label(view.agents[one].name) for one in view.rooms[room_id].members)
    card.add_field(name=say(Sentence("Members")), value=members[:1_000] or say(Sentence("nobody")), inline=False)
    if room.billboard:
        card.add_field(name=say(Sentence("Billboard")), value=honest(room.billboard)[:1_000], inline=False)
    knocks = counted(len(view.requests.get(room_id, ())), "knock")
    card.set_footer(text=say(Sentence("ID {room} · {knocks} at the door", room=room_id, knocks=knocks)))
    return card


def _queue(view: Glance, room_id: AgentId) -> list[str]:
    """Word how many messages wait in the room's one queue to Discord."""
    waiting = sum(letter.kind is LetterKind.POST for letter in view.unposted.get(room_id, ()))
    return [Sentence("{messages} waiting to be posted", messages=counted(waiting, "message"))] if waiting else []


def seen_by(view: Glance, room_id: AgentId) -> str:
    """Word who sees a room: what Discord shows, and what is asked for but not so yet."""
    room, wanted = view.all_rooms[room_id], wanted_visibility(view.unposted.get(room_id, ()))
    if room.channel_id is None:
        return Sentence("its channel is not there yet; then {seeing}", seeing=SEEING[wanted or room.visibility])
    if wanted in (None, room.visibility):
        return SEEING[room.visibility]
    missing = Sentence("Discord does not show that yet; `/setup start` says what is missing")
    return Sentence(
        "{seeing} (to be {wanted}: {missing})",
        seeing=SEEING[room.visibility],
        wanted=Sentence((wanted or room.visibility).value),
        missing=missing,
    )


def member_lines(view: Outline, room_id: AgentId, looks: Looks, now: datetime) -> list[str]:
    """List a room's members, the owner first, with what they are at in it."""
    lines: list[str] = []
    for id_ in view.rooms[room_id].members:
        agent, share = view.agents[id_], share_words(view.memberships[id_, room_id].attention)
        told: list[str] = [f"{SIGNS[shown_state(view, agent, looks, now)]} **{label(agent.name)}** (ID {id_})"]
        told += [Sentence("its own room")] if id_ == room_id else []
        told.append(Sentence("attention: {share}", share=share))
        told += [Sentence(looks[id_].doing[room_id].value)] if id_ in looks and room_id in looks[id_].doing else []
        lines.append(listed(*told))
    return lines


def people_lines(view: Outline, room_id: AgentId, now: datetime, entrants: Sequence[str] | None) -> list[str]:
    """List the people who spoke in a room lately, and who may enter; `entrants` None: everyone."""
    since = now - timedelta(hours=view.config.present_hours)
    here = [honest(f"{one.shown()}") for one in present(view.rooms[room_id], since)]
    hours = counted(view.config.present_hours, "hour")
    named = (
        Sentence("only {names}, and administrators", names=", ".join(entrants))
        if entrants
        else Sentence("nobody but administrators")
    )
    who = Sentence("everyone") if entrants is None else named
    return [
        Sentence(
            "{people} People who spoke there in the last {hours}: {names}",
            people=PEOPLE,
            hours=hours,
            names=", ".join(here) or Sentence("nobody"),
        ),
        Sentence("🚪 May enter: {who}", who=who),
    ]


def summary_lines(summary: Checkpoint, moment: Callable[[MessageId], str]) -> list[str]:
    """Show one summary under what it covers, of which `moment` words an end."""
    covers = Sentence(
        "**from {first} to {last}** (written <t:{at}:R>)",
        first=moment(summary.first_message_id),
        last=moment(summary.last_message_id),
        at=int(summary.created_at.timestamp()),
    )
    return [covers, *honest(summary.text).splitlines()]


def moment_of(guild_id: int, place: Room, messages: Mapping[MessageId, Message], id_: MessageId) -> str:
    """Word a message by when it was said, with a link to it."""
    said = messages.get(id_)
    if said is None:
        return Sentence("a message that is gone")
    when = f"<t:{int(said.sent_at.timestamp())}:f>"
    channel_id = said.thread_id or place.channel_id
    if not said.discord_id:
        return when
    return f"{when} [↗](https://discord.com/channels/{guild_id}/{channel_id}/{said.discord_id})"
