"""Counts and sums: money, failures, moves of tempo, beats by cause, usage."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Select, and_, case, cast, func, select, text, update

from bot.core.keeping import Used
from bot.core.kinds import Emotion, ReasonKind, SenderKind, UsedBy
from bot.core.ports import NOBODY
from bot.core.records import AgentId, CommunityId, MessageId, Sender, Snowflake, Usage
from bot.core.spending import divided
from bot.core.view import Tally
from storage.convert import reactor_mark, usage_of
from storage.session import Session, Values, owned
from storage.tables import BEATS, FAILURES, MEMBERSHIPS, MESSAGES, REACTIONS, RESERVATIONS, USAGE

PAYING_LOCK = 7_353_677  # any number of its own: who sets the installation's money aside is one at a time
SUMS = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost_usd", "latency_seconds")


def sums(table: Any) -> list[Any]:  # noqa: ANN401  # SQL expressions
    """Give the sums of usage over rows, named and typed as their columns."""
    return [func.coalesce(cast(func.sum(table.c[n]), table.c[n].type), 0, type_=table.c[n].type).label(n) for n in SUMS]


class Counting(Session):
    """What is counted."""

    async def spent(self, community_id: CommunityId, day: date) -> tuple[Decimal, int]:
        """Give USD and tokens settled and reserved on a UTC day."""
        usd = func.coalesce(func.sum(RESERVATIONS.c.usd), 0, type_=RESERVATIONS.c.usd.type)
        tokens = func.coalesce(func.sum(RESERVATIONS.c.tokens), 0)
        asked = select(usd, tokens).where(owned(RESERVATIONS, community_id), RESERVATIONS.c.day == day)
        row = (await self.rows(asked))[0]
        return row[0], int(row[1])

    async def paid(self, community_id: CommunityId, day: date) -> tuple[Decimal, Decimal]:
        """Give the USD of a UTC day, settled and reserved, that the installation pays: here, and for everyone."""
        usd = RESERVATIONS.c.usd
        here = case((owned(RESERVATIONS, community_id), usd), else_=0)
        sums = [func.coalesce(func.sum(one, type_=usd.type), 0, type_=usd.type) for one in (here, usd)]
        row = (await self.rows(select(*sums).where(RESERVATIONS.c.day == day, RESERVATIONS.c.paid.is_(True))))[0]
        return row[0], row[1]

    async def spent_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, Usage]:
        """Give what was settled and is reserved on a UTC day for each agent: its share of each call."""
        usd = func.sum(RESERVATIONS.c.usd, type_=RESERVATIONS.c.usd.type)
        on_day = and_(owned(RESERVATIONS, community_id), RESERVATIONS.c.day == day, RESERVATIONS.c.agents.is_not(None))
        asked = select(RESERVATIONS.c.agents, usd, func.sum(RESERVATIONS.c.tokens)).where(on_day)
        spent: dict[AgentId, Usage] = {}
        for agents, cost, tokens in await self.rows(asked.group_by(RESERVATIONS.c.agents)):
            whole = Usage(cost_usd=cost, input_tokens=int(tokens))
            for agent_id, share in divided(whole, _weights(agents)).items():
                before = spent.get(agent_id, Usage())
                spent[agent_id] = Usage(
                    cost_usd=before.cost_usd + share.cost_usd,
                    input_tokens=before.input_tokens + share.input_tokens,
                )
        return spent

    async def failures(
        self,
        community_id: CommunityId,
        room_id: AgentId,
        since: datetime,
        *,
        agent_id: AgentId | None = None,
        person_id: Snowflake | None = None,
    ) -> int:
        """Count keys that did not open a room."""
        here = and_(owned(FAILURES, community_id), FAILURES.c.room_id == room_id, FAILURES.c.at >= since)
        whose = and_(
            FAILURES.c.agent_id.is_not_distinct_from(agent_id), FAILURES.c.person_id.is_not_distinct_from(person_id)
        )
        return int(await self.value(select(func.count()).where(here, whose)))

    async def tempo_moves(
        self, community_id: CommunityId, agent_id: AgentId, by_agent_id: AgentId, since: datetime
    ) -> int:
        """Count how often one agent's reactions moved another's interval."""
        moved = and_(
            owned(REACTIONS, community_id),
            REACTIONS.c.reactor == f"agent:{by_agent_id}",
            REACTIONS.c.at >= since,
            REACTIONS.c.emotion.in_([Emotion.THUMBS_UP, Emotion.THUMBS_DOWN]),
            REACTIONS.c.moved_seconds != 0,
        )
        on_theirs = and_(
            MESSAGES.c.community_id == REACTIONS.c.community_id,
            MESSAGES.c.id == REACTIONS.c.message_id,
            MESSAGES.c.sender_agent_id == agent_id,
        )
        asked = select(func.count()).select_from(REACTIONS.join(MESSAGES, on_theirs)).where(moved)
        return int(await self.value(asked))

    async def reaction_effect(
        self, community_id: CommunityId, message_id: MessageId, emoji: str, reactor: Sender
    ) -> float | None:
        """Give the seconds by which a stored reaction moved the author's interval; None when there is no such one."""
        this = and_(
            owned(REACTIONS, community_id),
            REACTIONS.c.message_id == message_id,
            REACTIONS.c.emoji == emoji,
            REACTIONS.c.reactor == reactor_mark(reactor),
        )
        found: float | None = await self.value(select(REACTIONS.c.moved_seconds).where(this))
        return found

    async def reactions_of(
        self, community_id: CommunityId, message_ids: Sequence[MessageId]
    ) -> Sequence[tuple[MessageId, Sender, str]]:
        """Give who reacted to which of these messages with what (the name under which it is counted)."""
        columns = (REACTIONS.c.message_id, REACTIONS.c.reactor, REACTIONS.c.reactor_name, REACTIONS.c.emoji)
        asked = select(*columns).where(owned(REACTIONS, community_id), REACTIONS.c.message_id.in_(message_ids))
        rows = await self.rows(asked.order_by(REACTIONS.c.at, REACTIONS.c.reactor))
        return [(id, _reactor(mark, name), emoji) for id, mark, name, emoji in rows]

    async def addressed_beats(self, community_id: CommunityId, person_id: Snowflake, since: datetime) -> int:
        """Count the beats that a person has caused by addressing agents."""
        theirs = and_(owned(BEATS, community_id), BEATS.c.person_id == person_id, BEATS.c.at >= since)
        addressed = BEATS.c.reason == ReasonKind.ADDRESSED
        return int(await self.value(select(func.count()).where(theirs, addressed)))

    async def self_caused_beats(
        self, community_id: CommunityId, agent_id: AgentId, since: datetime
    ) -> Sequence[datetime]:
        """Give when an agent beat after `since` without a person's cause, oldest first."""
        its = and_(owned(BEATS, community_id), BEATS.c.agent_id == agent_id, BEATS.c.at > since)
        rows = await self.rows(select(BEATS.c.at).where(its, BEATS.c.person_id.is_(None)).order_by(BEATS.c.at))
        return [row[0] for row in rows]

    async def tally(self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime) -> Tally:
        """Add up what these agents did since then."""
        theirs = and_(owned(BEATS, community_id), BEATS.c.agent_id.in_(agent_ids), BEATS.c.at >= since)
        kinds = await self.rows(select(BEATS.c.reason, func.count()).where(theirs).group_by(BEATS.c.reason))
        calls = func.count(func.distinct(case((BEATS.c.response_id != "", BEATS.c.response_id))))
        silent = func.coalesce(func.sum(case((BEATS.c.silent, 1), else_=0)), 0)
        row = (await self.mappings(select(calls.label("calls"), silent.label("silent"), *sums(BEATS)).where(theirs)))[0]
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
            answers=int(await self.value(select(func.count()).where(said))),
            usage=usage_of(row),
        )

    async def usage_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, tuple[int, Usage]]:
        """Give beats and usage of a UTC day by agent."""
        by_agent = _usage(USAGE.c.agent_id, of=community_id).where(USAGE.c.day == day)
        rows = await self.mappings(by_agent.group_by(USAGE.c.agent_id).order_by(USAGE.c.agent_id))
        return {row["agent_id"]: (int(row["beats"]), usage_of(row)) for row in rows}

    async def used_daily(self, community_id: CommunityId, by: UsedBy, since: date | None) -> Sequence[Used]:
        """Give what was used on each UTC day since one (None: ever), of each agent, room, model or format."""
        what = USAGE.c[COLUMNS[by]]
        asked = _usage(USAGE.c.day, what.label("key"), of=community_id).group_by(USAGE.c.day, what)
        if since is not None:
            asked = asked.where(USAGE.c.day >= since)
        return [_used(row) for row in await self.mappings(asked.order_by(USAGE.c.day, what))]

    async def used_ever(self, community_id: CommunityId, agent_id: AgentId) -> Used | None:
        """Give what an agent used in all its life."""
        asked = _usage(func.min(USAGE.c.day).label("day"), USAGE.c.agent_id.label("key"), of=community_id)
        rows = await self.mappings(asked.where(USAGE.c.agent_id == agent_id).group_by(USAGE.c.agent_id))
        return _used(rows[0]) if rows else None


COLUMNS = {UsedBy.AGENT: "agent_id", UsedBy.ROOM: "room_id", UsedBy.MODEL: "model", UsedBy.FORMAT: "input_format"}


def _usage(*what: Any, of: CommunityId) -> Select[Any]:  # noqa: ANN401  # columns
    return select(*what, func.sum(USAGE.c.beats).label("beats"), *sums(USAGE)).where(owned(USAGE, of))


def _used(row: Values) -> Used:
    return Used(day=row["day"], key=str(row["key"]), beats=int(row["beats"]), usage=usage_of(row))


def _weights(agents: Mapping[str, int] | Sequence[int]) -> dict[AgentId, int]:
    """Give the weights of a call's agents; archives of earlier programs have agents that share equally."""
    weights = agents.items() if isinstance(agents, Mapping) else [(id, 1) for id in agents]
    return {AgentId(int(id)): max(0, int(weight)) for id, weight in weights}


def _reactor(mark: str, name: str) -> Sender:
    kind, _, id = mark.partition(":")
    match kind:
        case "agent":
            return Sender(kind=SenderKind.AGENT, agent_id=AgentId(int(id)))
        case "person":
            return Sender(kind=SenderKind.PERSON, person_id=Snowflake(int(id)), name=name)
        case _:
            return Sender(kind=SenderKind(kind), name=name)


class Spending(Counting):
    """Money that is set aside before it is spent."""

    async def take_turns(self) -> None:
        """Let no other transaction set the installation's money aside until this one ends; SQLite has one at a time."""
        if not self.is_sqlite:
            await self.run(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": PAYING_LOCK})

    async def reserve(
        self,
        community_id: CommunityId,
        day: date,
        *,
        usd: Decimal,
        tokens: int,
        agents: Mapping[AgentId, int] = NOBODY,
        paid: bool = False,
    ) -> int:
        """Set money aside for a call of these agents, with their weights; gives the reservation's id.

        `paid`: the installation pays for it.
        """
        row = {"community_id": community_id, "day": day, "usd": usd, "tokens": tokens, "settled": False, "paid": paid}
        row["agents"] = {str(id): weight for id, weight in sorted(agents.items())} or None
        statement = self.insert(RESERVATIONS).returning(RESERVATIONS.c.id)
        return int(await self.value(statement, row))

    async def settle(self, community_id: CommunityId, reservation_id: int, *, usd: Decimal, tokens: int) -> None:
        """Replace a reservation by what was spent."""
        this = update(RESERVATIONS).where(owned(RESERVATIONS, community_id), RESERVATIONS.c.id == reservation_id)
        await self.run(this.values(usd=usd, tokens=tokens, settled=True))
