"""Look-ups by one key: communities, people, rooms by channel, messages by id."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, func, or_, select, tuple_

from bot.core.records import (
    AgentId,
    Beat,
    BeatId,
    Community,
    CommunityId,
    Json,
    Message,
    MessageId,
    Person,
    Schedule,
    Snowflake,
)
from storage.convert import MESSAGE_COLUMNS, beat_of, messages_of, person_of, plain, schedule_of
from storage.session import Session, owned
from storage.tables import BEATS, COMMUNITIES, KEPT, MESSAGES, OVERRIDES, PARTS, PEOPLE, ROOMS, SCHEDULES, WEBHOOKS

MESSAGE = tuple(MESSAGES.c[name] for name in MESSAGE_COLUMNS)
INSTALLATION = 0


def messages_where(*conditions: Any) -> Select[Any]:  # noqa: ANN401  # SQL conditions
    """Give the SELECT whose rows `messages_of` reads."""
    return select(*MESSAGE).where(*conditions)


class Finding(Session):
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
        for row in await self.mappings(asked.order_by(OVERRIDES.c.name)):
            overrides.setdefault(row["community_id"], {})[row["name"]] = row["value"]
        return [plain(Community, row, overrides=overrides.get(row["id"], {})) for row in rows]

    async def person(self, community_id: CommunityId, person_id: Snowflake) -> Person | None:
        """Find a person."""
        row = await self.first(select(PEOPLE).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id))
        return None if row is None else person_of(row)

    async def room_of_channel(self, community_id: CommunityId, channel_id: Snowflake) -> AgentId | None:
        """Find a room by its channel."""
        asked = select(ROOMS.c.id).where(owned(ROOMS, community_id), ROOMS.c.channel_id == channel_id)
        found: AgentId | None = await self.value(asked)
        return found

    async def message_of(self, community_id: CommunityId, discord_id: Snowflake) -> Message | None:
        """Find a message by Discord's id (of any of its parts)."""
        part = select(PARTS.c.message_id).where(owned(PARTS, community_id), PARTS.c.discord_id == discord_id)
        known = or_(MESSAGES.c.discord_id == discord_id, MESSAGES.c.id == part.scalar_subquery())
        found = messages_of(await self.rows(messages_where(owned(MESSAGES, community_id), known)))
        return found[0] if found else None

    async def messages_by_id(self, community_id: CommunityId, ids: Sequence[MessageId]) -> Mapping[MessageId, Message]:
        """Find messages by id, those not yet posted too, deleted ones left out."""
        rows = await self.rows(messages_where(owned(MESSAGES, community_id), MESSAGES.c.id.in_(ids)))
        return {message.id: message for message in messages_of(rows)}

    async def history(
        self, community_id: CommunityId, room_id: AgentId, *, before: MessageId | None = None, limit: int = 50
    ) -> Sequence[Message]:
        """Page a room backwards; oldest first within the page."""
        order = (MESSAGES.c.sent_at, MESSAGES.c.id)
        asked = messages_where(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, MESSAGES.c.shown)
        if before is not None:
            mark = await self.value(
                select(MESSAGES.c.sent_at).where(owned(MESSAGES, community_id), MESSAGES.c.id == before)
            )
            asked = asked.where(MESSAGES.c.id < before if mark is None else _earlier(mark, before))
        newest = asked.order_by(*(column.desc() for column in order)).limit(limit)
        return messages_of(await self.rows(newest))[::-1]

    async def last_discord_id(self, community_id: CommunityId, room_id: AgentId) -> Snowflake | None:
        """Give the newest message known of a room, from which a backfill reads on."""
        in_room = and_(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id)
        found: Snowflake | None = await self.value(select(func.max(MESSAGES.c.discord_id)).where(in_room))
        return found

    async def last_beat(self, community_id: CommunityId, agent_id: AgentId) -> Beat | None:
        """Give an agent's newest beat as it was kept."""
        of_agent = select(BEATS).where(owned(BEATS, community_id), BEATS.c.agent_id == agent_id)
        row = await self.first(of_agent.order_by(BEATS.c.id.desc()).limit(1))
        return None if row is None else beat_of(row)

    async def beat(self, community_id: CommunityId, beat_id: BeatId) -> Beat | None:
        """Give a beat as it was kept."""
        row = await self.first(select(BEATS).where(owned(BEATS, community_id), BEATS.c.id == beat_id))
        return None if row is None else beat_of(row)

    async def schedules(
        self, community_id: CommunityId, *, agent_id: AgentId | None = None, until: datetime | None = None
    ) -> Sequence[Schedule]:
        """Give what waits to be said, the earliest first: of one agent, or what is due by then."""
        asked = select(SCHEDULES).where(owned(SCHEDULES, community_id)).order_by(SCHEDULES.c.at, SCHEDULES.c.id)
        if agent_id is not None:
            asked = asked.where(SCHEDULES.c.agent_id == agent_id)
        if until is not None:
            asked = asked.where(SCHEDULES.c.at <= until)
        return [schedule_of(row) for row in await self.mappings(asked)]

    async def kept(self, community_id: CommunityId | None, name: str) -> Json:
        """Give a small value kept by name for a community (None: for the installation); None when there is none."""
        scope = community_id or INSTALLATION
        found: Json = await self.value(select(KEPT.c.value).where(KEPT.c.scope == scope, KEPT.c.name == name))
        return found

    async def webhook(self, channel_id: Snowflake) -> tuple[Snowflake, bytes] | None:
        """Give a channel's webhook and its token as it was encrypted."""
        row = await self.first(select(WEBHOOKS).where(WEBHOOKS.c.channel_id == channel_id))
        return None if row is None else (Snowflake(row["webhook_id"]), row["token"])


def _earlier(sent_at: datetime, id: MessageId) -> Any:  # noqa: ANN401  # an SQL condition
    order = tuple_(MESSAGES.c.sent_at, MESSAGES.c.id)
    return order < tuple_(sent_at, id, types=[MESSAGES.c.sent_at.type, MESSAGES.c.id.type])
