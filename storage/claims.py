"""Who is due, and who answers for whom: the heartbeat's side of the store."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Update, and_, bindparam, case, func, or_, select, update

from bot.core.gate import Claim
from bot.core.kinds import HeldFor
from bot.core.records import AgentId, BeatId, CommunityId, Reason
from storage.communities import HERE
from storage.convert import reason_of
from storage.session import Session, Values, owned
from storage.tables import AGENTS, COMMUNITIES, REASONS


def free(now: datetime) -> ColumnElement[bool]:
    """Give the condition that no live claim holds the agent."""
    return or_(AGENTS.c.beat_id.is_(None), AGENTS.c.lease_until <= now)


@dataclass(frozen=True, slots=True)
class SqlClaims:
    """Claims, and what their end leaves."""

    session: Session

    async def due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, AgentId]]:
        asked = (
            select(AGENTS.c.community_id, AGENTS.c.id)
            .where(AGENTS.c.next_beat_at <= now, free(now), _awake())
            .order_by(AGENTS.c.next_beat_at, AGENTS.c.community_id, AGENTS.c.id)
            .limit(limit)
        )
        return [(row[0], row[1]) for row in await self.session.rows(asked)]

    async def next_due_at(self) -> datetime | None:
        """Give the time at which the next agent of any community is due; a claimed one not before its lease ends."""
        held = and_(AGENTS.c.beat_id.is_not(None), AGENTS.c.lease_until > AGENTS.c.next_beat_at)
        at = case((held, AGENTS.c.lease_until), else_=AGENTS.c.next_beat_at)
        found: datetime | None = await self.session.value(
            select(func.min(at)).where(AGENTS.c.next_beat_at.is_not(None), _awake())
        )
        return found

    async def take(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], *, now: datetime, lease_until: datetime
    ) -> Sequence[Claim]:
        """Claim those of the agents that are due and free, with their due reasons.

        Nobody else can claim in between: writing is one at a time on SQLite and per community on PostgreSQL.
        """
        can_be = and_(owned(AGENTS, community_id), AGENTS.c.next_beat_at <= now, free(now))
        asked = select(AGENTS.c.id).where(can_be, AGENTS.c.id.in_(agent_ids)).order_by(AGENTS.c.next_beat_at)
        found = [row[0] for row in await self.session.rows(asked)]
        reasons = await self._due_reasons(community_id, found, now)
        claims = [
            Claim(
                community_id=community_id,
                agent_id=agent_id,
                beat_id=BeatId(self.session.ids.take("beat")),
                lease_until=lease_until,
                reasons=tuple(reasons.get(agent_id, ())),
            )
            for agent_id in found
        ]
        taken = [
            {"its": community_id, "whose": claim.agent_id, "beat": claim.beat_id, "until": lease_until}
            for claim in claims
        ]
        await self.session.run(TAKE, taken)
        return claims

    async def _due_reasons(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], now: datetime
    ) -> dict[int, list[Reason]]:
        asked = select(REASONS).where(
            owned(REASONS, community_id), REASONS.c.agent_id.in_(agent_ids), REASONS.c.due_at <= now
        )
        reasons: dict[int, list[Reason]] = {}
        for row in await self.session.mappings(asked.order_by(REASONS.c.due_at, REASONS.c.kind, REASONS.c.room_id)):
            reasons.setdefault(row["agent_id"], []).append(reason_of(row))
        return reasons

    async def holds(self, claim: Claim) -> bool:
        held = select(AGENTS.c.beat_id).where(*_is(claim.community_id, claim.agent_id))
        return bool(await self.session.value(held) == claim.beat_id)

    async def release(self, claim: Claim, *, until: datetime | None = None, held_for: HeldFor | None = None) -> None:
        if until is not None:
            for reason in claim.reasons:
                later = update(REASONS).where(*_same(claim.community_id, claim.agent_id, reason))
                await self.session.run(later.where(REASONS.c.due_at < until).values(due_at=until, held_for=held_for))
        let_go = update(AGENTS).where(*_is(claim.community_id, claim.agent_id), AGENTS.c.beat_id == claim.beat_id)
        await self.session.run(let_go.values(beat_id=None, lease_until=None))
        await recount(self.session, claim.community_id, [claim.agent_id])

    async def free_held(self, community_id: CommunityId, held_for: HeldFor, now: datetime) -> None:
        held = and_(owned(REASONS, community_id), REASONS.c.held_for == held_for, REASONS.c.due_at > now)
        whose = [row[0] for row in await self.session.rows(select(REASONS.c.agent_id).where(held))]
        await self.session.run(update(REASONS).where(held).values(due_at=now, held_for=None))
        await recount(self.session, community_id, whose)

    async def abandon(self, *, keeping: Collection[tuple[CommunityId, BeatId]] = ()) -> None:
        """Free every agent but those of these beats: nothing runs for the others, as after a crash."""
        claimed = select(AGENTS.c.community_id, AGENTS.c.id, AGENTS.c.beat_id).where(AGENTS.c.beat_id.is_not(None))
        for community_id, agent_id, beat_id in await self.session.rows(claimed):
            if (community_id, beat_id) not in keeping:
                this = update(AGENTS).where(*_is(community_id, agent_id), AGENTS.c.beat_id == beat_id)
                await self.session.run(this.values(beat_id=None, lease_until=None))


def _awake() -> ColumnElement[bool]:
    return AGENTS.c.community_id.not_in(select(COMMUNITIES.c.id).where(or_(COMMUNITIES.c.paused, ~HERE)))


async def recount(session: Session, community_id: int, agent_ids: Iterable[int]) -> None:
    """Set the next beats of these agents to the earliest of their reasons; none while paused or retired."""
    await session.run(RECOUNT, {"its": community_id, "whose": sorted(set(agent_ids))})


async def free_told(session: Session, community_id: int, message: Values, at: datetime) -> None:
    """Let an agent beat again that was held because this message of its own was still to be posted."""
    held = and_(
        owned(REASONS, community_id),
        REASONS.c.agent_id == message["sender_agent_id"],
        REASONS.c.room_id == message["room_id"],
        REASONS.c.held_for == HeldFor.POSTING,
    )
    if await session.value(select(func.count()).select_from(REASONS).where(held)):
        await session.run(update(REASONS).where(held, REASONS.c.due_at > at).values(due_at=at))
        await session.run(update(REASONS).where(held).values(held_for=None))
        await recount(session, community_id, [message["sender_agent_id"]])


def _recounting() -> Update:
    at_rest = or_(AGENTS.c.paused_reason.is_not(None), AGENTS.c.retired_at.is_not(None))
    earliest = (
        select(func.min(REASONS.c.due_at))
        .where(REASONS.c.community_id == AGENTS.c.community_id, REASONS.c.agent_id == AGENTS.c.id)
        .scalar_subquery()
    )
    whose = AGENTS.c.id.in_(bindparam("whose", expanding=True))
    of_these = update(AGENTS).where(AGENTS.c.community_id == bindparam("its"), whose)
    return of_these.values(next_beat_at=case((at_rest, None), else_=earliest))


RECOUNT = _recounting()


TAKE = (
    update(AGENTS)
    .where(AGENTS.c.community_id == bindparam("its"), AGENTS.c.id == bindparam("whose"))
    .values(beat_id=bindparam("beat"), lease_until=bindparam("until"))
)


def _is(community_id: int, agent_id: int) -> tuple[ColumnElement[bool], ...]:
    return owned(AGENTS, community_id), AGENTS.c.id == agent_id


def _same(community_id: int, agent_id: int, reason: Reason) -> tuple[ColumnElement[bool], ...]:
    return (
        owned(REASONS, community_id),
        REASONS.c.agent_id == agent_id,
        REASONS.c.kind == reason.kind,
        REASONS.c.room_id == (reason.room_id or 0),
    )
