"""Money is set aside before a call and settled after it, so that no limit is passed by calls that run together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.ports import Model, Store, Writing
from bot.core.records import Agent, AgentId, CommunityId, Usage
from bot.core.spending import day_of, family_holds, of_day, overspent
from bot.core.view import View
from bot.engine.planner import PlannedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """A call whose price is set aside; `reservation` None: there was not enough left for it.

    `soon`: other calls have more set aside than they will need, so there may be enough once they are settled.
    `family`: its agents' own share of the day does not hold it.
    """

    call: PlannedCall
    reservation: int | None
    soon: bool = False
    family: bool = False


class Purse:
    """Keeps a community within its limits; `schema_tokens` are added to every call that is held to the schema."""

    def __init__(self, store: Store, *, schema_tokens: int = 0) -> None:
        self._store = store
        self._schema_tokens = schema_tokens
        self._open: dict[CommunityId, set[int]] = {}

    async def reserve(
        self,
        community_id: CommunityId,
        model: Model,
        config: CommunityConfig,
        calls: Sequence[PlannedCall],
        now: datetime,
        agents: Mapping[AgentId, Agent] | None = None,
    ) -> tuple[Booked, ...]:
        """Set aside each call's input and largest answer at list price, as far as the day's limits go.

        `agents`: all of the community, among whom families are held to their shares.
        """
        day = day_of(now)
        booked: list[Booked] = []
        async with self._store.writing(community_id) as write:
            for call in calls:
                usd, tokens = self._price(model, call)
                ids = [ready.agent_id for ready in call.ready]
                held = True
                if agents and _has_families(agents):
                    used = await write.spent_by_agent(community_id, day)
                    held = family_holds(agents, used, config, ids, usd=usd, tokens=tokens)
                reservation = None
                if held:
                    reservation = await set_aside(write, community_id, config, day, usd=usd, tokens=tokens, agents=ids)
                others = self._open.setdefault(community_id, set())
                booked.append(Booked(call=call, reservation=reservation, soon=bool(others), family=not held))
                if reservation is not None:
                    others.add(reservation)
        return tuple(booked)

    async def overspent(self, view: View, now: datetime) -> frozenset[AgentId]:
        """Give the agents whose family has used up its share of the day; nothing is asked where no agent made one."""
        if not _has_families(view.agents):
            return frozenset()
        async with self._store.reading() as read:
            return overspent(view.agents, await read.spent_by_agent(view.community.id, day_of(now)), view.config)

    async def settle(self, community_id: CommunityId, booked: Booked, usage: Usage) -> None:
        """Replace what was set aside by what was used."""
        if booked.reservation is None:
            return
        tokens = usage.input_tokens + usage.output_tokens
        async with self._store.writing(community_id) as write:
            await write.settle(community_id, booked.reservation, usd=usage.cost_usd, tokens=tokens)
        self.give_up(community_id, booked)

    def give_up(self, community_id: CommunityId, booked: Booked) -> None:
        """Wait no longer for a call to be settled: what it set aside counts in full, or is settled."""
        if booked.reservation is not None:
            self._open.setdefault(community_id, set()).discard(booked.reservation)

    def _price(self, model: Model, call: PlannedCall) -> tuple[Decimal, int]:
        schema_tokens = self._schema_tokens if call.kind.structured else 0
        input_tokens = call.built.tokens + schema_tokens
        usd = model.list_price(call.kind.model, input_tokens=input_tokens, output_tokens=call.answer_tokens)
        return usd, input_tokens + call.answer_tokens


def _has_families(agents: Mapping[AgentId, Agent]) -> bool:
    return any(agent.created_by is not None for agent in agents.values())


async def set_aside(
    write: Writing,
    community_id: CommunityId,
    config: CommunityConfig,
    day: date,
    *,
    usd: Decimal,
    tokens: int,
    agents: Sequence[AgentId] = (),
) -> int | None:
    """Set the price of one call aside; gives the reservation, None when the day's limits do not hold it."""
    spending = of_day(await write.spent(community_id, day), config)
    return (
        await write.reserve(community_id, day, usd=usd, tokens=tokens, agents=agents)
        if spending.holds(usd=usd, tokens=tokens)
        else None
    )
