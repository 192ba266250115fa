"""Servers and channels change on Discord's side: rooms follow."""

from datetime import datetime, timedelta
from typing import assert_never

import structlog

from bot.core.after_beat import notice, retired_with_its_channel
from bot.core.changes import AddLetter, Audit, Change, RoomColumns, SetOverride, UpdateAgent, UpdateRoom
from bot.core.events import (
    ChannelChanged,
    ChannelDeleted,
    ChannelFound,
    EventsUnread,
    GuildSeen,
    MessageSeen,
    ThreadDeleted,
    ThreadIsPrivate,
    ThreadLeft,
)
from bot.core.kinds import LetterKind, LetterState, Visibility
from bot.core.letters import RESTS, BoardPayload, is_marked, without_marks
from bot.core.ports import Clock, Store, Writing
from bot.core.ports.communities import WritableNotes
from bot.core.records import AgentId, Community, Room, Snowflake
from bot.core.view import View
from bot.engine.setbacks import REFUSALS

TOPIC_CHARACTERS = 120
LONGEST_REST = timedelta(days=1)
MOST_LIVING = 50  # private threads of a room that are read
MOST_AN_HOUR = 5  # private threads that become places because of one person
HOUR = 3_600  # seconds
OPENED = "opened_threads"
AT_ONCE = 100  # messages that are removed in one transaction
AWAY = "away"  # kept while the community rests only because the bot was removed
LEFT_AT = "left_at"  # since when it is not there, whoever paused it
log = structlog.get_logger(__name__)


class ChannelEvents:
    """Takes what happens to servers and channels."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def seen(self, event: GuildSeen) -> None:
        """Know the server as a community; what rested is tried again, for we may be back or have new rights there."""
        async with self._store.writing() as write:
            community = await write.communities.add(event.guild_id, event.name)
        async with self._store.writing(community.id) as write:
            await write.notes.keep(community.id, LEFT_AT, None)
            if await write.notes.find(community.id, AWAY):
                await write.notes.keep(community.id, AWAY, None)
                await write.communities.pause(community.id, paused=False)
            await _try_again(write, community, self._clock.now())

    async def left(self, community: Community) -> None:
        """The bot was removed: everything is kept, and the agents rest until it is invited again."""
        log.info("removed from a server", community=community.id, name=community.name)
        async with self._store.writing(community.id) as write:
            await write.apply(community.id, [SetOverride(name="synced_commands", value=None)])  # they went with us
            if await write.notes.find(community.id, LEFT_AT) is None:  # it is noticed anew at each start
                await write.notes.keep(community.id, LEFT_AT, self._clock.now().isoformat())
            if community.paused:  # by a manager: that holds beyond our return
                return
            await write.notes.keep(community.id, AWAY, True)
            await write.communities.pause(community.id, paused=True)

    async def unread(self, event: EventsUnread, community: Community) -> None:
        """Tell the managers that a part of what happens on Discord is not heard."""
        async with self._store.writing(community.id) as write:
            agents = (await write.views.whole(community.id, messages=0)).agents
            text = (
                f"⚠️ Discord reports something of this server that I cannot read ({event.name}): I leave it out from now"
                " on, and all else goes on. Whoever runs Selfroom finds the reason in its log."
            )
            told = [notice(min(agents), text, self._clock.now(), to_managers=True)] if agents else []
            await write.apply(community.id, told)

    async def take(
        self,
        event: ChannelDeleted | ChannelChanged | ChannelFound | ThreadDeleted | ThreadLeft | ThreadIsPrivate,
        community: Community,
    ) -> None:
        """Store what happened to a channel or a thread."""
        match event:
            case ChannelDeleted():
                await self._deleted(event, community)
            case ThreadDeleted():
                await self._thread_deleted(event, community)
            case ThreadLeft():
                await self._thread_left(event, community)
            case ThreadIsPrivate():
                await self._out_of_the_open(event, community)
            case ChannelChanged():
                await self._changed(event, community)
            case ChannelFound():
                await self._found(event, community)
            case _:
                assert_never(event)

    async def _deleted(self, event: ChannelDeleted, community: Community) -> None:
        """Retire the agent whose channel people deleted, and remove what was said there."""
        if not event.is_elsewhere:
            await self._emptied(community, event.channel_id)
        now = self._clock.now()
        async with self._store.writing(community.id) as write:
            await write.apply(community.id, _unset(event, community))
            room_id = await write.rooms.of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            if event.is_elsewhere:
                agents = (await write.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)).agents
                await write.apply(community.id, retired_with_its_channel(agents[room_id], now))
                return
            if await _close_thread(write, community, room_id, now):
                return
            view = await write.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
            await write.talk.delete_room(community.id, room_id, now)
            await write.rooms.close_threads_in(community.id, room_id)
            changes: list[Change] = [
                *retired_with_its_channel(view.agents[room_id], now),
                Audit(by="Discord", what="The channel was deleted.", agent_id=room_id, at=now),
            ]
            await write.apply(community.id, changes)

    async def _thread_deleted(self, event: ThreadDeleted, community: Community) -> None:
        """Remove what was said in a thread."""
        await self._emptied(community, event.channel_id, event.thread_id)
        now = self._clock.now()
        async with self._store.writing(community.id) as write:
            room_id = await write.rooms.of_channel(community.id, event.channel_id)
            thread_id = await write.rooms.of_channel(community.id, event.thread_id)
            if thread_id is not None:
                await _close_thread(write, community, thread_id, now)
            elif room_id is not None:
                await write.talk.delete_room(community.id, room_id, now, thread_id=event.thread_id)
            scene = await write.scenes.of_thread(community.id, event.thread_id)
            if scene is not None and scene.status.is_open:  # its board is drawn elsewhere, and says how it goes on
                payload = BoardPayload(scene_id=scene.id).stored()
                letter = AddLetter(kind=LetterKind.BOARD, room_id=scene.room_id, payload=payload, not_before=now)
                await write.apply(community.id, [letter])

    async def _emptied(self, community: Community, channel_id: Snowflake, thread_id: Snowflake | None = None) -> None:
        """Remove most of what was said there in short transactions: who writes keeps all others waiting."""
        async with self._store.reading() as read:
            of_thread = None if thread_id is None else await read.rooms.of_channel(community.id, thread_id)
            room_id = of_thread or await read.rooms.of_channel(community.id, channel_id)
        public_thread = thread_id if of_thread is None else None
        gone = AT_ONCE if room_id is not None else 0
        while room_id is not None and gone == AT_ONCE:
            async with self._store.writing(community.id) as write:
                gone = await write.talk.delete_room(
                    community.id, room_id, self._clock.now(), thread_id=public_thread, limit=AT_ONCE
                )
            await self._clock.sleep(0)  # others come first in between

    async def _thread_left(self, event: ThreadLeft, community: Community) -> None:
        """Nobody of us hears what is said in a private thread any more."""
        async with self._store.writing(community.id) as write:
            thread_id = await write.rooms.of_channel(community.id, event.thread_id)
            if thread_id is not None:
                await write.rooms.leave_thread(community.id, thread_id)

    async def _out_of_the_open(self, event: ThreadIsPrivate, community: Community) -> None:
        """Remove from a room what was said in a thread that is private, with all that was made of it.

        No tombstones are left: read on, it comes back as what it is.
        """
        done = False
        while not done:
            async with self._store.writing(community.id) as write:
                room_id = await write.rooms.of_channel(community.id, event.channel_id)
                done = room_id is None or await write.rooms.forget_thread(community.id, room_id, event.thread_id)
            await self._clock.sleep(0)  # others come first in between

    async def _changed(self, event: ChannelChanged, community: Community) -> None:
        """Follow a channel's new topic and visibility; its name is people's affair: the agent keeps its own.

        What is heard of a topic while a letter is to set another may be an echo of the one before.
        """
        async with self._store.writing(community.id) as write:
            room_id = await write.rooms.of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            view = await write.views.whole(community.id, room_ids=[room_id], messages=1)
            topic = None if LetterKind.TOPIC in _to_come(view, room_id) else event.topic
            room, now = view.all_rooms[room_id], self._clock.now()
            await _follow(write, room, now, topic=topic, is_private=event.is_private)

    async def _found(self, event: ChannelFound, community: Community) -> None:
        """Follow what was changed while nobody listened, but a topic that a letter of ours is still to change.

        Who sees a channel is only ever what Discord shows: a letter that is to close it has not closed it yet.
        """
        async with self._store.writing(community.id) as write:
            room_id = await write.rooms.of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            view = await write.views.whole(community.id, room_ids=[room_id], messages=1)
            ours = _to_come(view, room_id)
            room, topic = view.all_rooms[room_id], without_marks(event.topic)
            is_first = not room.topic and is_marked(event.topic) and topic.endswith("'s room")
            await _follow(
                write,
                room,
                self._clock.now(),
                topic=None if is_first or ours & {LetterKind.TOPIC, LetterKind.CHANNEL} else topic,
                is_private=event.is_private,
            )


def _to_come(view: View, room_id: AgentId) -> set[LetterKind]:
    """Give what letters are still to change in a room."""
    return {letter.kind for letter in view.unposted.get(room_id, ())}


async def place_of(write: Writing, community: Community, event: MessageSeen) -> AgentId | None:
    """Give the place in which something was said; a private thread of a room that we are in becomes one.

    There is no end to the threads that anybody can make: those beyond a room's or a person's number are not read.
    """
    known = await write.rooms.of_channel(community.id, event.channel_id)
    if event.private_in is None:
        return known
    room_id = await write.rooms.of_channel(community.id, event.private_in)
    if room_id is None:
        return None
    living = await write.rooms.living_threads(community.id, room_id)
    if known not in living and len(living) >= MOST_LIVING:
        log.warning("a private thread is not read: its room has too many", community=community.id, room=room_id)
        return None
    if known is None and not await _may_open(write.notes, community, event):
        log.warning("a private thread is not read: too many new ones", community=community.id, room=room_id)
        return None
    name = event.thread_name or ""
    return await write.rooms.add_thread(community.id, room_id, event.channel_id, name=name, at=event.sent_at)


async def _may_open(notes: WritableNotes, community: Community, event: MessageSeen) -> bool:
    """Tell whether a person opened few threads in the last hour, and count this one."""
    person = str(event.author.id if event.author else 0)
    kept = await notes.find(community.id, OPENED)
    at = int(event.sent_at.timestamp())
    lately = {
        id_: [one for one in times if isinstance(one, int) and one > at - HOUR]
        for id_, times in (kept if isinstance(kept, dict) else {}).items()
        if isinstance(times, list)
    }
    mine = lately.get(person, [])
    if len(mine) >= MOST_AN_HOUR:
        return False
    lately[person] = [*mine, at]
    await notes.keep(community.id, OPENED, {id_: [*times] for id_, times in lately.items() if times})
    return True


async def _close_thread(write: Writing, community: Community, thread_id: AgentId, now: datetime) -> bool:
    """Remove a private thread with all that was said and kept there; False when that is no thread."""
    view = await write.views.action_view(community.id, agent_ids=(), room_ids=[thread_id], doors=False)
    if view.all_rooms[thread_id].thread_of is None:
        return False
    await write.talk.delete_room(community.id, thread_id, now)
    await write.rooms.close_thread(community.id, thread_id)
    return True


async def _try_again(write: Writing, community: Community, now: datetime) -> None:
    """Wake the agents that were paused because Discord refused their channels, and hurry what was refused."""
    agents = (await write.views.whole(community.id, messages=0)).agents.values()
    rested = {agent.id for agent in agents if (agent.paused_reason or "").startswith(RESTS)}
    await write.apply(community.id, [UpdateAgent(agent_id=id_, fields={"paused_reason": None}) for id_ in rested])
    for letter in await write.letters.first_of(community.id):
        if letter.not_before <= now + LONGEST_REST and (letter.room_id in rested or letter.attempts):
            # what was just sent is still looked for before it is sent again
            looked_for = letter.state is LetterState.SENDING and letter.attempts < REFUSALS
            later = None if looked_for else now
            await write.letters.move(community.id, letter.id, letter.state, attempts=0, not_before=later)


def _unset(event: ChannelDeleted, community: Community) -> list[Change]:
    """Forget settings that name the channel."""
    named = ("managers_channel_id", "category_id")
    return [
        SetOverride(name=name, value=None)
        for name in named
        if str(community.overrides.get(name)) == str(event.channel_id)
    ]


async def _follow(write: Writing, room: Room, now: datetime, *, topic: str | None, is_private: bool | None) -> None:
    """Let a room be as its channel is (None: as before)."""
    fields = RoomColumns()
    if topic is not None:
        topic = without_marks(topic)[:TOPIC_CHARACTERS]
        if topic != room.topic:
            fields["topic"] = topic
    if is_private is not None:
        visibility = Visibility.PRIVATE if is_private else Visibility.PUBLIC
        if visibility is not room.visibility:
            fields |= {"visibility": visibility, "people_since": now}
    if fields:
        await write.apply(room.community_id, [UpdateRoom(room_id=room.id, fields=fields)])
