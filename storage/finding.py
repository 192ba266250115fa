"""Look-ups by one key: communities, people, rooms by channel, messages by id."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import CompoundSelect, Select, and_, bindparam, select, tuple_, union_all

from bot.core.kinds import SenderKind
from bot.core.models import OwnProvider
from bot.core.records import (
    AccessRequest,
    AgentId,
    Beat,
    BeatId,
    Checkpoint,
    Community,
    CommunityId,
    Json,
    Message,
    MessageId,
    Person,
    Schedule,
    Snowflake,
)
from bot.core.removals import Parts
from storage.convert import (
    beat_of,
    checkpoint_of,
    person_of,
    plain,
    request_of,
    schedule_of,
)
from storage.known import known_of
from storage.messages import ORDER, Messages, messages_where, newest
from storage.questions import PENDING
from storage.session import INSTALLATION, owned
from storage.tables import (
    AGENTS,
    BEATS,
    CHECKPOINTS,
    COMMUNITIES,
    KEPT,
    MESSAGES,
    OVERRIDES,
    PARTS,
    PEOPLE,
    PROVIDERS,
    REQUESTS,
    ROOMS,
    SCHEDULES,
)

OWN_PROVIDER = select(*(column for column in PROVIDERS.c if column.name != "community_id")).where(
    PROVIDERS.c.community_id == bindparam("its")
)


IN_ROOM = messages_where(
    MESSAGES.c.community_id == bindparam("community_id"), MESSAGES.c.room_id == bindparam("room_id"), MESSAGES.c.shown
)
NEWEST = {is_sqlite: newest(IN_ROOM, is_sqlite=is_sqlite) for is_sqlite in (True, False)}


def ids_of(community_id: int, discord_ids: Sequence[int]) -> CompoundSelect[Any]:
    """Give the SELECT of the messages with these Discord ids, or with a part of these."""
    whole = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), MESSAGES.c.discord_id.in_(discord_ids))
    part = select(PARTS.c.message_id).where(owned(PARTS, community_id), PARTS.c.discord_id.in_(discord_ids))
    return union_all(whole, part)


class Finding(Messages):
    """What is found by an id or a name."""

    async def communities(self) -> Sequence[Community]:
        """Give all communities."""
        return await self._communities(select(COMMUNITIES).order_by(COMMUNITIES.c.id))

    async def community_of_guild(self, guild_id: Snowflake) -> Community | None:
        """Find a community by its Discord server."""
        found = await self._communities(select(COMMUNITIES).where(COMMUNITIES.c.guild_id == guild_id))
        return found[0] if found else None

    async def _communities(self, statement: Select[Any]) -> list[Community]:
        rows = await self.mappings(statement)
        overrides: dict[int, dict[str, Json]] = {}
        asked = select(OVERRIDES).where(OVERRIDES.c.community_id.in_([row["id"] for row in rows]))
        for row in await self.records(asked.order_by(OVERRIDES.c.name), OVERRIDES, dict):
            overrides.setdefault(row["community_id"], {})[row["name"]] = row["value"]
        return [plain(Community, row, overrides=overrides.get(row["id"], {})) for row in rows]

    async def person(self, community_id: CommunityId, person_id: Snowflake) -> Person | None:
        """Find a person."""
        row = await self.first(select(PEOPLE).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id))
        return None if row is None else person_of(row)

    async def names(self, community_id: CommunityId) -> Mapping[AgentId, str]:
        """Give everyone's name, in the order of their ids."""
        asked = select(AGENTS.c.id, AGENTS.c.name).where(owned(AGENTS, community_id)).order_by(AGENTS.c.id)
        return {id: name for id, name in await self.rows(asked)}

    async def room_of_channel(self, community_id: CommunityId, channel_id: Snowflake) -> AgentId | None:
        """Find a room by its channel."""
        asked = select(ROOMS.c.id).where(owned(ROOMS, community_id), ROOMS.c.channel_id == channel_id)
        found: AgentId | None = await self.value(asked)
        return found

    async def message_of(self, community_id: CommunityId, discord_id: Snowflake) -> Message | None:
        """Find a message by Discord's id (of any of its parts)."""
        known = MESSAGES.c.id.in_(ids_of(community_id, [discord_id]))
        found = await self.messages(community_id, messages_where(owned(MESSAGES, community_id), known))
        return found[0] if found else None

    async def known_as(
        self, community_id: CommunityId, discord_ids: Sequence[Snowflake]
    ) -> Mapping[Snowflake, MessageId]:
        """Give which messages these Discord ids are (of any of their parts), as far as they are known."""
        known = await known_of(self, community_id, discord_ids)
        return {Snowflake(one): MessageId(id) for one, id in (known.messages | known.parts).items()}

    async def other_parts(self, community_id: CommunityId, discord_ids: Sequence[Snowflake]) -> Sequence[Parts]:
        """Give the parts on Discord, beside these, of the messages of which these are parts."""
        asked = (
            select(MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.thread_id, MESSAGES.c.discord_id, PARTS.c.discord_id)
            .join(PARTS, and_(PARTS.c.community_id == MESSAGES.c.community_id, PARTS.c.message_id == MESSAGES.c.id))
            .where(owned(MESSAGES, community_id), MESSAGES.c.id.in_(ids_of(community_id, discord_ids)))
        )
        found: dict[tuple[AgentId, Snowflake | None, int], set[Snowflake]] = {}
        for id, room_id, thread_id, first, other in await self.rows(asked):
            found.setdefault((room_id, thread_id, id), set()).update({first, other} - set(discord_ids))
        return [
            Parts(room_id=room_id, thread_id=thread_id, post_ids=tuple(sorted(ids)))
            for (room_id, thread_id, _), ids in found.items()
            if ids
        ]

    async def messages_by_id(self, community_id: CommunityId, ids: Sequence[MessageId]) -> Mapping[MessageId, Message]:
        """Find messages by id, those not yet posted too, deleted ones left out."""
        these = messages_where(owned(MESSAGES, community_id), MESSAGES.c.id.in_(ids))
        return {message.id: message for message in await self.messages(community_id, these)}

    async def history(
        self, community_id: CommunityId, room_id: AgentId, *, before: MessageId | None = None, limit: int = 50
    ) -> Sequence[Message]:
        """Page a room backwards; oldest first within the page."""
        of = {"community_id": community_id, "room_id": room_id, "limit": limit}
        if before is None:
            return (await self.messages(community_id, NEWEST[self.is_sqlite], of))[::-1]
        this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == before)
        mark = await self.first(select(*ORDER).where(this))
        earlier = IN_ROOM.where(MESSAGES.c.id < before if mark is None else _earlier(tuple(mark.values())))
        return (await self.messages(community_id, newest(earlier, is_sqlite=self.is_sqlite), of))[::-1]

    async def last_discord_id(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        """Give the newest message known of a room, from which a backfill reads on.

        Only what came in counts: our own posts are confirmed ahead of people's messages that wait to be stored.
        """
        heard = MESSAGES.c.sender_kind.in_((SenderKind.PERSON, SenderKind.BOT, SenderKind.ARCHITECT))
        in_room = and_(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, heard)
        known = select(MESSAGES.c.discord_id).where(in_room, MESSAGES.c.shown, MESSAGES.c.discord_id.is_not(None))
        last = known.order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc()).limit(1)
        found: Snowflake | None = await self.value(last)
        return found

    async def unnamed_threads(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Snowflake]:
        """Give the threads of a room of which only the ids are known: whether they are private is not."""
        said = (owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, MESSAGES.c.thread_id.is_not(None))
        asked = select(MESSAGES.c.thread_id).distinct().where(*said, MESSAGES.c.thread_name.is_(None))
        return [Snowflake(row[0]) for row in await self.rows(asked.order_by(MESSAGES.c.thread_id))]

    async def last_beat(self, community_id: CommunityId, agent_id: AgentId) -> Beat | None:
        """Give an agent's newest beat as it was kept."""
        of_agent = select(BEATS).where(owned(BEATS, community_id), BEATS.c.agent_id == agent_id)
        row = await self.first(of_agent.order_by(BEATS.c.id.desc()).limit(1))
        return None if row is None else beat_of(row)

    async def beat(self, community_id: CommunityId, beat_id: BeatId) -> Beat | None:
        """Give a beat as it was kept."""
        row = await self.first(select(BEATS).where(owned(BEATS, community_id), BEATS.c.id == beat_id))
        return None if row is None else beat_of(row)

    async def checkpoints(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Checkpoint]:
        """Give a room's summaries, oldest first."""
        here = select(CHECKPOINTS).where(owned(CHECKPOINTS, community_id), CHECKPOINTS.c.room_id == room_id)
        return [checkpoint_of(row) for row in await self.mappings(here.order_by(CHECKPOINTS.c.id))]

    async def schedules(self, community_id: CommunityId, agent_id: AgentId) -> Sequence[Schedule]:
        """Give what an agent will say later, soonest first."""
        its = select(SCHEDULES).where(owned(SCHEDULES, community_id), SCHEDULES.c.agent_id == agent_id)
        return [schedule_of(row) for row in await self.mappings(its.order_by(SCHEDULES.c.at, SCHEDULES.c.id))]

    async def schedules_due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, Schedule]]:
        """Give scheduled messages of all communities whose time has come, the oldest first."""
        due = select(SCHEDULES).where(SCHEDULES.c.at <= now).order_by(SCHEDULES.c.at, SCHEDULES.c.id).limit(limit)
        return await self.records(due, SCHEDULES, lambda row: (row["community_id"], schedule_of(row)))

    async def knocks(self) -> Sequence[tuple[CommunityId, AccessRequest]]:
        """Give the pending access requests of all communities."""
        pending = select(REQUESTS).where(PENDING).order_by(REQUESTS.c.created_at, REQUESTS.c.id)
        return await self.records(pending, REQUESTS, lambda row: (row["community_id"], request_of(row)))

    async def kept(self, community_id: CommunityId | None, name: str) -> Json:
        """Give a small value kept by name for a community (None: for the installation); None when there is none."""
        scope = community_id or INSTALLATION
        found: Json = await self.value(select(KEPT.c.value).where(KEPT.c.scope == scope, KEPT.c.name == name))
        return found

    async def own_provider(self, community_id: CommunityId) -> OwnProvider | None:
        """Give the community's own model provider, if it has one."""
        row = await self.first(OWN_PROVIDER, {"its": community_id})
        return None if row is None else OwnProvider(**row)


def _earlier(mark: tuple[Any, ...]) -> Any:  # noqa: ANN401  # an SQL condition
    return tuple_(*ORDER) < tuple_(*mark, types=[part.type for part in ORDER])
