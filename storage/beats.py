"""Beats as they were kept, and what is counted of them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    and_,
    bindparam,
    case,
    func,
    select,
)

from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Beat, BeatId, CommunityId, Snowflake, Usage
from bot.core.view import Tally
from storage.convert import beat_of, plain
from storage.money import sums
from storage.owed import debts_in
from storage.prepared import Prepared
from storage.session import Query, Session, owned
from storage.tables import (
    BEATS,
    MEMBERSHIPS,
    MESSAGES,
)

EMPTIED = {"hud": "", "answer": "", "thoughts": ""}
LISTED = [column for column in BEATS.c if column.name not in EMPTIED]  # a HUD alone may have 600,000 characters

_ITS = BEATS.c.community_id == bindparam("its")
ADDRESSED = Prepared(
    select(func.count()).where(
        _ITS,
        BEATS.c.person_id == bindparam("by"),
        BEATS.c.at >= bindparam("since"),
        BEATS.c.reason == ReasonKind.ADDRESSED,
    )
)
SELF_CAUSED = Prepared(
    select(BEATS.c.at)
    .where(_ITS, BEATS.c.agent_id == bindparam("whose"), BEATS.c.at > bindparam("since"), BEATS.c.person_id.is_(None))
    .order_by(BEATS.c.at)
)


@dataclass(frozen=True, slots=True)
class SqlBeats:
    """Beats as they were kept."""

    session: Session

    async def find(self, community_id: CommunityId, beat_id: BeatId) -> Beat | None:
        """Read one without what deleted words may still stand in."""
        this = (owned(BEATS, community_id), BEATS.c.id == beat_id)
        debts = (await debts_in(self.session, community_id)).values()
        row = await self.session.first(select(BEATS).where(*this))
        await asyncio.sleep(0)  # to unpack it takes long enough for others to wait, where one after the other is read
        if row is None:
            return None
        return beat_of({**row, **EMPTIED} if any(debt.may_stand_in(row) for debt in debts) else row)

    async def newest(self, community_id: CommunityId, agent_id: AgentId, *, limit: int = 50) -> Sequence[Beat]:
        its = (owned(BEATS, community_id), BEATS.c.agent_id == agent_id)
        return await self._listed(select(*LISTED).where(*its).order_by(BEATS.c.id.desc()).limit(limit))

    async def first(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime, *, side: int = 0
    ) -> Mapping[AgentId, Beat]:
        its = (owned(BEATS, community_id), BEATS.c.agent_id.in_(agent_ids), BEATS.c.at >= since, BEATS.c.side == side)
        first = select(func.min(BEATS.c.id)).where(*its).group_by(BEATS.c.agent_id)
        found = await self._listed(select(*LISTED).where(owned(BEATS, community_id), BEATS.c.id.in_(first)))
        return {beat.agent_id: beat for beat in found}

    async def _listed(self, asked: Query) -> list[Beat]:
        return [beat_of({**row, **EMPTIED}) for row in await self.session.mappings(asked)]

    async def addressed_by(self, community_id: CommunityId, person_id: Snowflake, since: datetime) -> int:
        of = {"its": community_id, "by": person_id, "since": since}
        return int(await self.session.value(ADDRESSED, of))

    async def self_caused(self, community_id: CommunityId, agent_id: AgentId, since: datetime) -> Sequence[datetime]:
        of = {"its": community_id, "whose": agent_id, "since": since}
        return [row[0] for row in await self.session.rows(SELF_CAUSED, of)]

    async def tally(self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime) -> Tally:
        theirs = and_(owned(BEATS, community_id), BEATS.c.agent_id.in_(agent_ids), BEATS.c.at >= since)
        theirs = and_(theirs, BEATS.c.side >= 0)  # who moved how often in a closed scene is nobody's to count
        kinds = await self.session.rows(select(BEATS.c.reason, func.count()).where(theirs).group_by(BEATS.c.reason))
        calls = func.count(func.distinct(case((BEATS.c.response_id != "", BEATS.c.response_id))))
        silent = func.coalesce(func.sum(case((BEATS.c.silent, 1), else_=0)), 0)
        row = (
            await self.session.mappings(
                select(calls.label("calls"), silent.label("silent"), *sums(BEATS)).where(theirs)
            )
        )[0]
        theirs_to_read = select(MEMBERSHIPS.c.room_id).where(
            owned(MEMBERSHIPS, community_id), MEMBERSHIPS.c.agent_id.in_(agent_ids)
        )
        said = and_(
            owned(MESSAGES, community_id),
            MESSAGES.c.room_id.in_(theirs_to_read),
            MESSAGES.c.shown.in_([True, False]),
            MESSAGES.c.sent_at >= since,
            MESSAGES.c.sender_agent_id.in_(agent_ids),
        )
        return Tally(
            beats={ReasonKind(kind): count for kind, count in kinds},
            silent=int(row["silent"]),
            calls=int(row["calls"]),
            answers=int(await self.session.value(select(func.count()).where(said))),
            usage=plain(Usage, row),
        )
