"""Beats: their claims while they go on, and what is kept of them afterwards."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    Integer,
    Label,
    Update,
    and_,
    bindparam,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    tuple_,
    update,
)

from bot.core.gate import Claim
from bot.core.happenings import Happened, Happening
from bot.core.kinds import HeldFor, ReasonKind
from bot.core.ports.beats import Awaited, Later
from bot.core.records import AgentId, Beat, BeatId, CommunityId, Reason, Snowflake, Usage
from bot.core.view import Tally
from storage.communities import HERE
from storage.convert import beat_of, plain, reason_of
from storage.inline import FEW
from storage.money import sums
from storage.owed import debts_in
from storage.prepared import Prepared, Question
from storage.questions import FREE, questions
from storage.session import Field, Query, Session, Values, owned
from storage.tables import (
    AGENTS,
    BEATS,
    COMMUNITIES,
    MEMBERSHIPS,
    MESSAGES,
    REASONS,
    ROOMS,
)

EMPTIED = {"hud": "", "answer": "", "thoughts": ""}
LONGEST_LISTED = 10_000  # characters of what a beat did, and of its sections, where hundreds are read together
TOO_LONG = {"outcome": ["It did more than a list can hold: look at the beat itself."], "sections": []}


def _short(column: Field) -> Label[Any]:  # of the column's own type
    """Give a column where it is short, and in place of what is long a word that says so."""
    told = literal(TOO_LONG[column.name], column.type)
    return case((func.coalesce(func.length(column), 0) <= LONGEST_LISTED, column), else_=told).label(column.name)


LISTED = [  # a HUD alone may have 600,000 characters
    _short(column) if column.name in TOO_LONG else column for column in BEATS.c if column.name not in EMPTIED
]

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
    .order_by(BEATS.c.at.desc())
    .limit(bindparam("newest", type_=Integer))
)


def addressed_by(community_id: CommunityId, person_id: Snowflake, since: datetime) -> Question:
    """Ask how many beats a person has caused by calling agents."""
    return ADDRESSED, {"its": community_id, "by": person_id, "since": since}


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

    async def newest(
        self, community_id: CommunityId, agent_id: AgentId, *, before: BeatId | None = None, limit: int = 50
    ) -> Sequence[Beat]:
        its = select(*LISTED).where(owned(BEATS, community_id), BEATS.c.agent_id == agent_id)
        its = its if before is None else its.where(BEATS.c.id < before)
        return await self._listed(its.order_by(BEATS.c.id.desc()).limit(limit))

    async def listed(self, community_id: CommunityId, ids: Collection[BeatId]) -> Mapping[BeatId, Beat]:
        these = select(*LISTED).where(owned(BEATS, community_id), self.session.is_one_of(BEATS.c.id, sorted(ids)))
        return {beat.id: beat for beat in await self._listed(these)}

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
        return int(await self.session.value(*addressed_by(community_id, person_id, since)))

    async def self_caused(
        self, community_id: CommunityId, agent_id: AgentId, since: datetime, *, newest: int
    ) -> Sequence[datetime]:
        of = {"its": community_id, "whose": agent_id, "since": since, "newest": newest}
        return [row[0] for row in await self.session.rows(SELF_CAUSED, of)][::-1]

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


_AWAKE = AGENTS.c.community_id.not_in(select(COMMUNITIES.c.id).where(or_(COMMUNITIES.c.paused, ~HERE)))
_OLDEST_FIRST = (AGENTS.c.next_beat_at, AGENTS.c.community_id, AGENTS.c.id)
# each community's first, then each one's second: however many wait in one of them, the others have their turn
_TURN = func.row_number().over(partition_by=AGENTS.c.community_id, order_by=_OLDEST_FIRST)
DUE = Prepared(
    select(AGENTS.c.community_id, AGENTS.c.id)
    .where(AGENTS.c.next_beat_at <= bindparam("now"), FREE, _AWAKE)
    .order_by(_TURN, *_OLDEST_FIRST)
    .limit(bindparam("most", type_=Integer))
)
_AT = case(
    (and_(AGENTS.c.beat_id.is_not(None), AGENTS.c.lease_until > AGENTS.c.next_beat_at), AGENTS.c.lease_until),
    else_=AGENTS.c.next_beat_at,
)
NEXT_DUE = Prepared(select(func.min(_AT)).where(AGENTS.c.next_beat_at.is_not(None), _AWAKE))
_CALLED = and_(
    REASONS.c.community_id == AGENTS.c.community_id,
    REASONS.c.agent_id == AGENTS.c.id,
    REASONS.c.kind == ReasonKind.ADDRESSED,
    REASONS.c.person_id.is_not(None),
)
_CALLING = and_(MESSAGES.c.community_id == REASONS.c.community_id, MESSAGES.c.id == REASONS.c.message_id)
_WHERE = func.coalesce(MESSAGES.c.thread_id, ROOMS.c.channel_id)
AWAITED = Prepared(
    select(AGENTS.c.community_id, AGENTS.c.beat_id, COMMUNITIES.c.guild_id, _WHERE)
    .select_from(AGENTS)
    .join(REASONS, _CALLED)
    .join(ROOMS, and_(ROOMS.c.community_id == REASONS.c.community_id, ROOMS.c.id == REASONS.c.room_id))
    .join(COMMUNITIES, COMMUNITIES.c.id == AGENTS.c.community_id)
    .outerjoin(MESSAGES, _CALLING)
    .where(AGENTS.c.beat_id.is_not(None), AGENTS.c.lease_until > bindparam("now"), _WHERE.is_not(None))
)
POSTING = Prepared(
    select(func.count())
    .select_from(REASONS)
    .where(REASONS.c.community_id == bindparam("its"), REASONS.c.agent_id == bindparam("whose"))
    .where(REASONS.c.room_id == bindparam("place"), REASONS.c.held_for == HeldFor.POSTING)
)
HELD_BY = Prepared(
    select(AGENTS.c.beat_id).where(AGENTS.c.community_id == bindparam("its"), AGENTS.c.id == bindparam("whose"))
)


_THEIRS = {
    is_sqlite: Prepared(cast(Query, questions(is_sqlite=is_sqlite).reasons.statement).order_by(None))
    for is_sqlite in (True, False)
}


def claimable(session: Session, community_id: CommunityId, agent_ids: Sequence[AgentId], now: datetime) -> Question:
    """Ask which of these agents are due and free, since when, and who held them last without letting them go."""
    of = {"community_id": community_id, "agents": session.many(agent_ids), "now": now}
    return questions(is_sqlite=session.is_sqlite).can_be_claimed, of


def reasons_of(session: Session, community_id: CommunityId, agent_ids: Sequence[AgentId]) -> Question:
    """Ask for all reasons of these agents, in any order."""
    return _THEIRS[session.is_sqlite], {"community_id": community_id, "members": session.many(agent_ids)}


def posting_awaited(community_id: int, agent_id: int, room_id: int) -> Question:
    """Ask whether an agent waits there until what it said is posted."""
    return POSTING, {"its": community_id, "whose": agent_id, "place": room_id}


@dataclass(frozen=True, slots=True)
class SqlClaims:
    """Claims, and what their end leaves."""

    session: Session

    async def due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, AgentId]]:
        return [(row[0], row[1]) for row in await self.session.rows(DUE, {"now": now, "most": limit})]

    async def next_due_at(self) -> datetime | None:
        """Give the time at which the next agent of any community is due; a claimed one not before its lease ends."""
        found: datetime | None = await self.session.value(NEXT_DUE)
        return found

    async def awaited(self, now: datetime) -> Sequence[Awaited]:
        return [
            Awaited(community_id=row[0], beat_id=row[1], guild_id=row[2], place=row[3])
            for row in await self.session.rows(AWAITED, {"now": now})
        ]

    async def take(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], *, now: datetime, lease_until: datetime
    ) -> Sequence[Claim]:
        """Claim those of the agents that are due and free, with their due reasons.

        Nobody else can claim in between: writing is one at a time on SQLite and per community on PostgreSQL.
        """
        rows = await self.session.rows(*claimable(self.session, community_id, agent_ids, now))
        found = {row[0]: row[2] for row in sorted(rows, key=lambda row: (row[1], row[0]))}
        reasons = await self._due_reasons(community_id, agent_ids, now)
        claims = [
            Claim(
                community_id=community_id,
                agent_id=agent_id,
                beat_id=BeatId(self.session.ids.take("beat")),
                lease_until=lease_until,
                reasons=tuple(reasons.get(agent_id, ())),
                is_takeover=held_by is not None,
            )
            for agent_id, held_by in found.items()
        ]
        taken = [
            {"its": community_id, "whose": claim.agent_id, "beat": claim.beat_id, "until": lease_until}
            for claim in claims
        ]
        await self.session.run(TAKE, taken)
        self._tell(claims, Happened.BEGUN)
        return claims

    def _tell(self, claims: Iterable[Claim], kind: Happened) -> None:
        """Tell what becomes of claims but those of scenes."""
        self.session.happenings += [
            Happening(
                kind=kind,
                community_id=claim.community_id,
                agent_id=claim.agent_id,
                beat_id=claim.beat_id,
                room_id=next((reason.room_id for reason in claim.reasons if reason.room_id is not None), None),
            )
            for claim in claims
            if all(reason.scene_id is None for reason in claim.reasons)
        ]

    async def _due_reasons(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], now: datetime
    ) -> dict[int, list[Reason]]:
        reasons: dict[int, list[Reason]] = {}
        rows = await self.session.mappings(*reasons_of(self.session, community_id, agent_ids))
        for row in sorted(rows, key=lambda row: (row["due_at"], row["kind"], row["room_id"])):
            if row["due_at"] <= now:
                reasons.setdefault(row["agent_id"], []).append(reason_of(row))
        return reasons

    async def holds(self, claim: Claim) -> bool:
        of = {"its": claim.community_id, "whose": claim.agent_id}
        return bool(await self.session.value(HELD_BY, of) == claim.beat_id)

    async def release(self, claim: Claim, *, until: datetime | None = None, held_for: HeldFor | None = None) -> None:
        await self.release_all(claim.community_id, [(claim, until, held_for)])

    async def release_all(self, community_id: CommunityId, later: Sequence[Later]) -> None:
        put_off = [
            {"its": community_id, "whose": claim.agent_id, "what": reason.kind, "where": reason.room_id or 0}
            | {"until": until, "why": held_for}
            for claim, until, held_for in later
            if until is not None
            for reason in claim.reasons
        ]
        await self.session.run(PUT_OFF, put_off)
        self._tell((claim for claim, _, _ in later), Happened.LET_GO)
        await let_go(self.session, community_id, [(claim.agent_id, claim.beat_id) for claim, _, _ in later])

    async def free_held(self, community_id: CommunityId, held_for: HeldFor, now: datetime) -> None:
        held = and_(owned(REASONS, community_id), REASONS.c.held_for == held_for, REASONS.c.due_at > now)
        whose = [row[0] for row in await self.session.rows(select(REASONS.c.agent_id).where(held))]
        await self.session.run(update(REASONS).where(held).values(due_at=now, held_for=None))
        await recount(self.session, community_id, whose)

    async def renew(self, claims: Collection[tuple[CommunityId, BeatId]], lease_until: datetime) -> None:
        """Let claims last longer, as far as nobody else has taken their agents over.

        An agent that another transaction is at just now is left out, so that nobody ever waits for the other in turn.
        """
        if claims:
            these = tuple_(AGENTS.c.community_id, AGENTS.c.beat_id).in_(sorted(claims))
            free = select(AGENTS.c.community_id, AGENTS.c.id).where(these).with_for_update(skip_locked=True)
            whose = tuple_(AGENTS.c.community_id, AGENTS.c.id).in_(free)
            await self.session.run(update(AGENTS).where(whose).values(lease_until=lease_until))

    async def abandon(self, *, keeping: Collection[tuple[CommunityId, BeatId]] = ()) -> None:
        """Free every agent but those of these beats: nothing runs for the others, as after a crash."""
        claimed = select(AGENTS.c.community_id, AGENTS.c.id, AGENTS.c.beat_id).where(AGENTS.c.beat_id.is_not(None))
        for community_id, agent_id, beat_id in await self.session.rows(claimed):
            if (community_id, beat_id) not in keeping:
                this = update(AGENTS).where(*_is(community_id, agent_id), AGENTS.c.beat_id == beat_id)
                await self.session.run(this.values(beat_id=None, lease_until=None))


async def let_go(session: Session, community_id: int, claims: Sequence[tuple[int, int]]) -> None:
    """End the claims of these beats on their agents, where they still stand, and count these agents' next beats."""
    rows = [{"its": community_id, "whose": agent_id, "beat": beat_id} for agent_id, beat_id in sorted(claims)]
    await session.run(LET_GO, rows)
    session.to_recount -= {agent_id for agent_id, _ in claims}


async def recount(session: Session, community_id: int, agent_ids: Iterable[int]) -> None:
    """Set the next beats of these agents to the earliest of their reasons; none while paused or retired."""
    whose = sorted(set(agent_ids))
    if session.is_sqlite and len(whose) <= FEW:
        await session.run(RECOUNT_EACH, [{"its": community_id, "whose": agent_id} for agent_id in whose])
    else:
        await session.run(RECOUNT, {"its": community_id, "whose": whose})


async def free_told(session: Session, community_id: int, message: Values, at: datetime) -> None:
    """Let an agent beat again that was held because this message of its own was still to be posted."""
    if await session.value(*posting_awaited(community_id, message["sender_agent_id"], message["room_id"])):
        held = and_(
            owned(REASONS, community_id),
            REASONS.c.agent_id == message["sender_agent_id"],
            REASONS.c.room_id == message["room_id"],
            REASONS.c.held_for == HeldFor.POSTING,
        )
        await session.run(update(REASONS).where(held, REASONS.c.due_at > at).values(due_at=at))
        await session.run(update(REASONS).where(held).values(held_for=None))
        await recount(session, community_id, [message["sender_agent_id"]])


async def forget_lines(session: Session, community_id: int, message_ids: Collection[int]) -> None:
    """Let agents that these erased messages made due look at the newest line left that they have not seen, or at none.

    Who is in a call is let be: its reasons are dropped as they were claimed.
    """
    idle = and_(AGENTS.c.community_id == REASONS.c.community_id, AGENTS.c.id == REASONS.c.agent_id)
    lost = select(*REASONS.c).join(AGENTS, idle).where(owned(REASONS, community_id), AGENTS.c.beat_id.is_(None))
    found = await session.mappings(lost.where(REASONS.c.message_id.in_(message_ids)))
    for reason in found:
        this = and_(*(column == reason[column.name] for column in REASONS.primary_key))
        left = await session.first(_unseen(reason))
        put = update(REASONS).where(this).values(dict(left)) if left is not None else delete(REASONS).where(this)
        await session.run(put)
    if found:
        await recount(session, community_id, [reason["agent_id"] for reason in found])


def _unseen(reason: Values) -> Query:
    """Ask for the newest line of others that an agent has not seen in a reason's room: if people asked, of people."""
    by_people = MESSAGES.c.sender_person_id.is_not(None)
    by_others = or_(by_people, MESSAGES.c.sender_agent_id != reason["agent_id"])
    seen = (
        select(MEMBERSHIPS.c.seen_until)
        .where(owned(MEMBERSHIPS, reason["community_id"]), MEMBERSHIPS.c.agent_id == reason["agent_id"])
        .where(MEMBERSHIPS.c.room_id == reason["room_id"])
        .scalar_subquery()
    )
    columns = {"message_id": "id", "person_id": "sender_person_id", "by_agent_id": "sender_agent_id"}
    return (
        select(*(MESSAGES.c[of].label(name) for name, of in columns.items()))
        .where(owned(MESSAGES, reason["community_id"]), MESSAGES.c.room_id == reason["room_id"])
        .where(MESSAGES.c.id > func.coalesce(seen, 0), by_people if reason["person_id"] else by_others)
        .order_by(MESSAGES.c.id.desc())
        .limit(1)
    )


def _recounting(whose: ColumnElement[bool], *, freed: Sequence[str] = ()) -> Update:
    """Word how next beats are counted; `freed`: what a beat's claim has set, where it still stands."""
    at_rest = or_(AGENTS.c.paused_reason.is_not(None), AGENTS.c.retired_at.is_not(None))
    earliest = (
        select(func.min(REASONS.c.due_at))
        .where(REASONS.c.community_id == AGENTS.c.community_id, REASONS.c.agent_id == AGENTS.c.id)
        .scalar_subquery()
    )
    of_these = update(AGENTS).where(AGENTS.c.community_id == bindparam("its"), whose)
    new = [
        (AGENTS.c[name], case((AGENTS.c.beat_id == bindparam("beat"), None), else_=AGENTS.c[name])) for name in freed
    ]
    return of_these.ordered_values((AGENTS.c.next_beat_at, case((at_rest, None), else_=earliest)), *new)


RECOUNT = _recounting(AGENTS.c.id.in_(bindparam("whose", expanding=True)))
RECOUNT_EACH = Prepared(_recounting(AGENTS.c.id == bindparam("whose")))
LET_GO = Prepared(_recounting(AGENTS.c.id == bindparam("whose"), freed=("beat_id", "lease_until")))


TAKE = Prepared(
    update(AGENTS)
    .where(AGENTS.c.community_id == bindparam("its"), AGENTS.c.id == bindparam("whose"))
    .values(beat_id=bindparam("beat"), lease_until=bindparam("until"))
)


PUT_OFF = Prepared(
    update(REASONS)
    .where(REASONS.c.community_id == bindparam("its"), REASONS.c.agent_id == bindparam("whose"))
    .where(REASONS.c.kind == bindparam("what"), REASONS.c.room_id == bindparam("where"))
    .where(REASONS.c.due_at < bindparam("until"))
    .values(due_at=bindparam("until"), held_for=bindparam("why"))
)


def _is(community_id: int, agent_id: int) -> tuple[ColumnElement[bool], ...]:
    return owned(AGENTS, community_id), AGENTS.c.id == agent_id
