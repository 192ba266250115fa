"""Servers and channels change on Discord's side: rooms follow."""

from datetime import datetime, timedelta

import structlog

from bot.core.changes import Audit, Change, SetOverride, UpdateAgent, UpdateRoom
from bot.core.events import ChannelChanged, ChannelDeleted, GuildSeen, ThreadDeleted
from bot.core.kinds import Visibility
from bot.core.letters import RESTS, without_marker
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
        if community.paused:  # by a manager: that holds beyond our return
            return
        async with self._store.writing(community.id) as write:
            await write.keep(community.id, AWAY, True)
            await write.pause_community(community.id, paused=True)

    async def deleted(self, event: ChannelDeleted, community: Community) -> None:
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

    async def thread_deleted(self, event: ThreadDeleted, community: Community) -> None:
        """Remove what was said in a thread."""
        async with self._store.writing(community.id) as write:
            room_id = await write.room_of_channel(community.id, event.channel_id)
            if room_id is not None:
                ids = await _said_in(write, community, room_id, event.thread_id)
                await write.delete_messages(community.id, ids, self._clock.now())

    async def changed(self, event: ChannelChanged, community: Community) -> None:
        """Follow a channel's new topic and visibility."""
        async with self._store.writing(community.id) as write:
            room_id = await write.room_of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            view = await write.view(community.id, room_ids=[room_id], messages=1)
            fields = _followed(view.all_rooms[room_id], event)
            if fields:
                await write.apply(community.id, [UpdateRoom(room_id=room_id, fields=fields)])


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


def _followed(room: Room, event: ChannelChanged) -> dict[str, object]:
    fields: dict[str, object] = {}
    if event.topic is not None:
        topic = without_marker(event.topic, room.id)[:TOPIC_CHARACTERS]
        if topic != room.topic:
            fields["topic"] = topic
    if event.is_private is not None:
        visibility = Visibility.PRIVATE if event.is_private else Visibility.PUBLIC
        if visibility is not room.visibility:
            fields["visibility"] = visibility
    return fields
