"""Servers and channels change on Discord's side: rooms follow."""

from datetime import datetime, timedelta
from typing import assert_never

import structlog

from bot.core.changes import Audit, Change, SetOverride, UpdateAgent, UpdateRoom
from bot.core.events import ChannelChanged, ChannelDeleted, ChannelFound, GuildSeen, ThreadDeleted
from bot.core.kinds import LetterKind, Visibility
from bot.core.letters import RESTS, is_marked, without_marker
from bot.core.ports import Clock, Store, Writing
from bot.core.records import AgentId, Community, MessageId, Room, Snowflake

TOPIC_CHARACTERS = 120
LONGEST_REST = timedelta(days=1)
LETTERS = 2_000
PAGE = 200
AWAY = "away"  # kept while the community rests only because the bot was removed
log = structlog.get_logger(__name__)


class Places:
    """Takes what happens to servers and channels."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def seen(self, event: GuildSeen) -> None:
        """Know the server as a community; what rested is tried again, for we may be back or have new rights there."""
        async with self._store.writing() as write:
            community = await write.add_community(event.guild_id, event.name)
        async with self._store.writing(community.id) as write:
            if await write.kept(community.id, AWAY):
                await write.keep(community.id, AWAY, None)
                await write.pause_community(community.id, paused=False)
            await _try_again(write, community, self._clock.now())

    async def left(self, community: Community) -> None:
        """The bot was removed: everything is kept, and the agents rest until it is invited again."""
        log.info("removed from a server", community=community.id, name=community.name)
        async with self._store.writing(community.id) as write:
            await write.apply(community.id, [SetOverride(name="synced_commands", value=None)])  # they went with us
            if community.paused:  # by a manager: that holds beyond our return
                return
            await write.keep(community.id, AWAY, True)
            await write.pause_community(community.id, paused=True)

    async def take(
        self, event: ChannelDeleted | ThreadDeleted | ChannelChanged | ChannelFound, community: Community
    ) -> None:
        """Store what happened to a channel."""
        match event:
            case ChannelDeleted():
                await self._deleted(event, community)
            case ThreadDeleted():
                await self._thread_deleted(event, community)
            case ChannelChanged():
                await self._changed(event, community)
            case ChannelFound():
                await self._found(event, community)
            case _:
                assert_never(event)

    async def _deleted(self, event: ChannelDeleted, community: Community) -> None:
        """Retire the agent whose channel people deleted, and remove what was said there."""
        now = self._clock.now()
        async with self._store.writing(community.id) as write:
            await write.apply(community.id, _unset(event, community))
            room_id = await write.room_of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            await write.delete_room_messages(community.id, room_id, now)
            changes: list[Change] = [
                UpdateAgent(agent_id=room_id, fields={"retired_at": now}),
                UpdateRoom(room_id=room_id, fields={"channel_id": None}),
                Audit(by="Discord", what="the channel was deleted", agent_id=room_id, at=now),
            ]
            await write.apply(community.id, changes)

    async def _thread_deleted(self, event: ThreadDeleted, community: Community) -> None:
        """Remove what was said in a thread."""
        async with self._store.writing(community.id) as write:
            room_id = await write.room_of_channel(community.id, event.channel_id)
            if room_id is not None:
                ids = await _said_in(write, community, room_id, event.thread_id)
                await write.delete_messages(community.id, ids, self._clock.now())

    async def _changed(self, event: ChannelChanged, community: Community) -> None:
        """Follow a channel's new topic and visibility; its name is people's affair: the agent keeps its own."""
        async with self._store.writing(community.id) as write:
            room_id = await write.room_of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            room = (await write.view(community.id, room_ids=[room_id], messages=1)).all_rooms[room_id]
            await _follow(write, room, topic=event.topic, is_private=event.is_private)

    async def _found(self, event: ChannelFound, community: Community) -> None:
        """Follow what was changed while nobody listened, but where a letter of ours is still to change it."""
        async with self._store.writing(community.id) as write:
            room_id = await write.room_of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            view = await write.view(community.id, room_ids=[room_id], messages=1)
            ours = {letter.kind for letter in view.unposted.get(room_id, ())}
            room, topic = view.all_rooms[room_id], without_marker(event.topic, room_id)
            is_first = not room.topic and is_marked(event.topic, room_id) and topic.endswith("'s room")
            await _follow(
                write,
                room,
                topic=None if is_first or ours & {LetterKind.TOPIC, LetterKind.CHANNEL} else topic,
                is_private=None if ours & {LetterKind.PERMISSION, LetterKind.CHANNEL} else event.is_private,
            )


async def _said_in(write: Writing, community: Community, room_id: AgentId, thread_id: Snowflake) -> list[Snowflake]:
    """Give the messages of a thread; none of them is older than the thread itself."""
    ids: list[Snowflake] = []
    before: MessageId | None = None
    while page := await write.history(community.id, room_id, before=before, limit=PAGE):
        ids += [one.discord_id for one in page if one.thread_id == thread_id and one.discord_id]
        before = page[0].id
        if all(one.discord_id and one.discord_id < thread_id for one in page):
            break
    return ids


async def _try_again(write: Writing, community: Community, now: datetime) -> None:
    """Wake the agents that were paused because Discord refused their channels, and hurry their letters."""
    agents = (await write.view(community.id, messages=0)).agents.values()
    rested = {agent.id for agent in agents if (agent.paused_reason or "").startswith(RESTS)}
    if not rested:
        return
    await write.apply(community.id, [UpdateAgent(agent_id=id, fields={"paused_reason": None}) for id in rested])
    for letter in await write.letters(now + LONGEST_REST, limit=LETTERS):
        if letter.community_id == community.id and letter.room_id in rested:
            await write.update_letter(community.id, letter.id, letter.state, attempts=0, not_before=now)


def _unset(event: ChannelDeleted, community: Community) -> list[Change]:
    """Forget settings that name the channel."""
    named = ("managers_channel_id", "category_id")
    return [
        SetOverride(name=name, value=None)
        for name in named
        if str(community.overrides.get(name)) == str(event.channel_id)
    ]


async def _follow(write: Writing, room: Room, *, topic: str | None, is_private: bool | None) -> None:
    """Let a room be as its channel is (None: as before)."""
    fields: dict[str, object] = {}
    if topic is not None:
        topic = without_marker(topic, room.id)[:TOPIC_CHARACTERS]
        if topic != room.topic:
            fields["topic"] = topic
    if is_private is not None:
        visibility = Visibility.PRIVATE if is_private else Visibility.PUBLIC
        if visibility is not room.visibility:
            fields["visibility"] = visibility
    if fields:
        await write.apply(room.community_id, [UpdateRoom(room_id=room.id, fields=fields)])
