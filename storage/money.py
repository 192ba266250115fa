"""Money that is set aside before it is spent, and usage by agent and format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache

from sqlalchemy import String, Table, and_, bindparam, case, cast, func, literal_column, select, text, update

from bot.core.happenings import Happened, Happening
from bot.core.keeping import Used
from bot.core.kinds import UsedBy
from bot.core.ports.beats import NOBODY, NOBODY_ANYWHERE
from bot.core.records import AgentId, CommunityId, Usage
from bot.core.spending import divided
from storage.convert import plain
from storage.prepared import Prepared, Question
from storage.session import Query, Session, Term, Values, inserting, owned
from storage.tables import RESERVATIONS, USAGE

PAYING_LOCK = 7_353_677  # any number of its own: who sets the installation's money aside is one at a time
COLUMNS = {UsedBy.AGENT: "agent_id", UsedBy.ROOM: "room_id", UsedBy.MODEL: "model", UsedBy.FORMAT: "input_format"}
DAYS_AT_A_TIME = 500  # sums of days that are read between two turns of the loop
SUMS = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost_usd", "latency_seconds")


@cache  # to word them takes as long as to ask
def sums(table: Table) -> tuple[Term, ...]:
    """Give the sums of usage over rows, named and typed as their columns."""
    typed = [(n, table.c[n], table.c[n].type) for n in SUMS]
    return tuple(func.coalesce(cast(func.sum(of), type_), 0, type_=type_).label(n) for n, of, type_ in typed)


SPENT = Prepared(
    select(
        func.coalesce(func.sum(RESERVATIONS.c.usd), 0, type_=RESERVATIONS.c.usd.type),
        func.coalesce(func.sum(RESERVATIONS.c.tokens), 0),
    ).where(RESERVATIONS.c.community_id == bindparam("its"), RESERVATIONS.c.day == bindparam("on"))
)
SETTLE = Prepared(
    update(RESERVATIONS)
    .where(RESERVATIONS.c.community_id == bindparam("its"), RESERVATIONS.c.id == bindparam("which"))
    .values(usd=bindparam("new_usd"), tokens=bindparam("new_tokens"), settled=True)
)


def spent_on(community_id: CommunityId, day: date) -> Question:
    """Ask what was set aside and spent on a day."""
    return SPENT, {"its": community_id, "on": day}


@dataclass(frozen=True, slots=True)
class SqlMoney:
    """What was set aside and spent."""

    session: Session

    async def spent(self, community_id: CommunityId, day: date) -> tuple[Decimal, int]:
        row = (await self.session.rows(*spent_on(community_id, day)))[0]
        return row[0], int(row[1])

    async def paid(self, community_id: CommunityId, day: date) -> tuple[Decimal, Decimal]:
        usd = RESERVATIONS.c.usd
        here = case((owned(RESERVATIONS, community_id), usd), else_=0)
        sums = [func.coalesce(func.sum(one, type_=usd.type), 0, type_=usd.type) for one in (here, usd)]
        row = (await self.session.rows(select(*sums).where(RESERVATIONS.c.day == day, RESERVATIONS.c.paid.is_(True))))[
            0
        ]
        return row[0], row[1]

    async def spent_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, Usage]:
        usd = func.sum(RESERVATIONS.c.usd, type_=RESERVATIONS.c.usd.type)
        on_day = and_(owned(RESERVATIONS, community_id), RESERVATIONS.c.day == day, RESERVATIONS.c.agents.is_not(None))
        asked = select(RESERVATIONS.c.agents, usd, func.sum(RESERVATIONS.c.tokens)).where(on_day)
        spent: dict[AgentId, Usage] = {}
        for agents, cost, tokens in await self.session.rows(asked.group_by(RESERVATIONS.c.agents)):
            whole = Usage(cost_usd=cost, input_tokens=int(tokens))
            for agent_id, share in divided(whole, _weights(agents)).items():
                before = spent.get(agent_id, Usage())
                spent[agent_id] = Usage(
                    cost_usd=before.cost_usd + share.cost_usd,
                    input_tokens=before.input_tokens + share.input_tokens,
                )
        return spent

    async def usage_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, tuple[int, Usage]]:
        by_agent = _usage(USAGE.c.agent_id, of=community_id).where(USAGE.c.day == day)
        rows = await self.session.mappings(by_agent.group_by(USAGE.c.agent_id).order_by(USAGE.c.agent_id))
        return {row["agent_id"]: (int(row["beats"]), plain(Usage, row)) for row in rows}

    async def used_daily(
        self, community_id: CommunityId, by: UsedBy, since: date | None, *, agent_id: AgentId | None = None
    ) -> Sequence[Used]:
        what: Term = USAGE.c[COLUMNS[by]]
        if by in (UsedBy.MODEL, UsedBy.FORMAT):  # which model was asked at night tells who moved
            of_scene = USAGE.c.agent_id < literal_column("0")
            what = case((of_scene, cast(USAGE.c.agent_id, String)), else_=what)
        asked = _usage(USAGE.c.day, what.label("key"), of=community_id).group_by(USAGE.c.day, what)
        if since is not None:
            asked = asked.where(USAGE.c.day >= since)
        if agent_id is not None:
            asked = asked.where(USAGE.c.agent_id == agent_id)
        found: list[Used] = []
        async for page in self.session.pages(asked.order_by(USAGE.c.day, what), DAYS_AT_A_TIME):
            found += map(_used, page)
        return found

    async def used_ever(self, community_id: CommunityId, agent_id: AgentId) -> Used | None:
        asked = _usage(func.min(USAGE.c.day).label("day"), USAGE.c.agent_id.label("key"), of=community_id)
        rows = await self.session.mappings(asked.where(USAGE.c.agent_id == agent_id).group_by(USAGE.c.agent_id))
        return _used(rows[0]) if rows else None

    async def take_turns(self) -> None:
        """Let no other transaction set the installation's money aside until this one ends; SQLite has one at a time."""
        if not self.session.is_sqlite:
            await self.session.run(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": PAYING_LOCK})

    async def reserve(
        self,
        community_id: CommunityId,
        day: date,
        *,
        usd: Decimal,
        tokens: int,
        agents: Mapping[AgentId, int] = NOBODY,
        paid: bool = False,
        places: Mapping[AgentId, AgentId] = NOBODY_ANYWHERE,
    ) -> int:
        row = {"community_id": community_id, "day": day, "usd": usd, "tokens": tokens, "settled": False, "paid": paid}
        self.session.happenings += [
            Happening(kind=Happened.CALLED, community_id=community_id, agent_id=agent_id, room_id=room_id)
            for agent_id, room_id in sorted(places.items())
        ]
        row["agents"] = {str(id_): weight for id_, weight in sorted(agents.items())} or None
        return int(await self.session.value(_reserving(is_sqlite=self.session.is_sqlite), row))

    async def settle(self, community_id: CommunityId, reservation_id: int, *, usd: Decimal, tokens: int) -> None:
        of = {"its": community_id, "which": reservation_id, "new_usd": usd, "new_tokens": tokens}
        await self.session.run(SETTLE, of)


@cache
def _reserving(*, is_sqlite: bool) -> Prepared:
    return Prepared(inserting(RESERVATIONS, is_sqlite=is_sqlite).returning(RESERVATIONS.c.id))


def _usage(*what: Term, of: CommunityId) -> Query:
    return select(*what, func.sum(USAGE.c.beats).label("beats"), *sums(USAGE)).where(owned(USAGE, of))


def _used(row: Values) -> Used:
    return Used(day=row["day"], key=str(row["key"]), beats=int(row["beats"]), usage=plain(Usage, row))


def _weights(agents: Mapping[str, int] | Sequence[int]) -> dict[AgentId, int]:
    """Give the weights of a call's agents; archives of earlier programs have agents that share equally."""
    weights = agents.items() if isinstance(agents, Mapping) else [(id_, 1) for id_ in agents]
    return {AgentId(int(id_)): max(0, int(weight)) for id_, weight in weights}
