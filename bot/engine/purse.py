"""Money is set aside before a call and settled after it, so that no limit is passed by calls that run together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.gate import Ready
from bot.core.models import Ceilings, Models, OwnProviders
from bot.core.ports import Expected, Metrics, Model, Store
from bot.core.ports.beats import Money, WritableMoney
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Community, CommunityId, Usage
from bot.core.spans import Span
from bot.core.spending import Funds, Limit, Paid, Short, Spending, day_of, divided, held_to, of_day, overspent, too_poor
from bot.core.view import Outline
from bot.engine.planner import PlannedCall, tokens_of

CLOSED_SCENES = "closed scenes"  # stands in place of a model
PICTURE_TOKENS = 3_000  # about what the largest picture takes


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPrice:
    """What a call takes at most; `ceilings` where the installation pays, `weights` those of its agents' parts."""

    usd: Decimal
    tokens: int
    ceilings: Ceilings | None = None
    weights: Mapping[AgentId, int] = field(default_factory=dict)
    places: Mapping[AgentId, AgentId] = field(default_factory=dict)  # for which rooms they are asked

    @classmethod
    def of(cls, model: Model, name: str, *, input_tokens: int, answer_tokens: int) -> "CallPrice":
        """Give what a call of a model takes with the largest answer, at list price."""
        usd = model.list_price(name, input_tokens=input_tokens, output_tokens=answer_tokens)
        return cls(usd=usd, tokens=input_tokens + answer_tokens, ceilings=model.ceilings(name))


@dataclass(frozen=True, slots=True)
class Bill:
    """What is to take the place of what was set aside for a call."""

    reservation: int
    usage: Usage

    @classmethod
    def of(cls, call: PlannedCall, usage: Usage | None) -> "Bill | None":
        """Give the bill of a call; None where all that was set aside counts, or it is settled already."""
        return None if call.reservation is None or usage is None else cls(call.reservation, usage)


class Purse:
    """Keeps a community within its limits."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[CommunityId, set[int]] = {}

    async def reserve(
        self,
        community_id: CommunityId,
        model: Model,
        config: CommunityConfig,
        calls: Sequence[PlannedCall],
        now: datetime,
        agents: Mapping[AgentId, Agent] | None = None,
    ) -> tuple[PlannedCall, ...]:
        """Set aside each call's input and largest answer at list price, as far as the day's limits go.

        `agents`: all of the community, among whom families are held to their shares.
        """
        day, config = day_of(now), held_to(config, model.source.ceilings)
        async with self._store.writing(community_id, Expected(spent_on=day)) as write:
            prices = [(call, _price(model, call)) for call in calls]
            money = write.money
            return tuple([await self._book(money, community_id, config, day, *one, agents) for one in prices])

    async def _book(
        self,
        money: WritableMoney,
        community_id: CommunityId,
        config: CommunityConfig,
        day: date,
        call: PlannedCall,
        price: CallPrice,
        agents: Mapping[AgentId, Agent] | None,
    ) -> PlannedCall:
        soon = self._others_run(community_id, price)
        if agents and has_families(agents):
            used = await money.spent_by_agent(community_id, day)
            shares = divided(Usage(cost_usd=price.usd, input_tokens=price.tokens), price.weights)
            if poor := too_poor(agents, used, config, shares):
                return replace(call, short=Short(limit=Limit.SHARE, agents=poor, soon=soon))
        reservation = await set_aside(money, community_id, config, day, price)
        if isinstance(reservation, Limit):
            return replace(call, short=Short(limit=reservation, soon=soon))
        self._open.setdefault(community_id, set()).add(reservation)
        return replace(call, reservation=reservation)

    def _others_run(self, community_id: CommunityId, price: CallPrice) -> bool:
        """Tell whether calls run that may leave something: under the installation's ceiling anybody's."""
        return bool(self._open.get(community_id)) or (price.ceilings is not None and any(self._open.values()))

    async def overspent(self, view: Outline, ceilings: Ceilings | None, now: datetime) -> frozenset[AgentId]:
        """Give the agents whose family has used up its share of the day; nothing is asked where no agent made one."""
        if not has_families(view.agents):
            return frozenset()
        async with self._store.reading() as read:
            return await _overspent(read.money, view, day_of(now), ceilings)

    async def settle(self, community_id: CommunityId, call: PlannedCall, usage: Usage | None) -> None:
        """Replace what was set aside by what was used; where nobody knows that (None), all of it counts."""
        if call.reservation is not None and usage is not None:
            async with self._store.writing(community_id) as write:
                await settle(write.money, community_id, call.reservation, usage)
        self.give_up(community_id, call)

    def give_up(self, community_id: CommunityId, call: PlannedCall) -> None:
        """Wait no longer for a call to be settled: what it set aside counts in full, or is settled."""
        if call.reservation is not None:
            self._open.setdefault(community_id, set()).discard(call.reservation)


def _price(model: Model, call: PlannedCall) -> CallPrice:
    input_tokens = tokens_of(call.kind, call.built, model) + PICTURE_TOKENS * len(call.images)
    price = CallPrice.of(model, call.kind.model, input_tokens=input_tokens, answer_tokens=call.answer_tokens)
    return replace(price, weights=weights_of(call), places=places_of(call))


def places_of(call: PlannedCall) -> dict[AgentId, AgentId]:
    """Give for which rooms agents are asked; whose turn it is in a scene is told to nobody."""
    places = {one.agent_id: AgentId(one.side) if one.side != PUBLIC_SIDE else one.first.room_id for one in call.ready}
    told = {one.agent_id for one in call.ready if all(reason.scene_id is None for reason in one.reasons)}
    return {id_: room_id for id_, room_id in places.items() if id_ in told and room_id is not None}


def weights_of(call: PlannedCall) -> dict[AgentId, int]:
    """Give by what a call is divided among its agents: what each of them was shown."""
    return {part.agent_id: part.tokens for part in call.built.parts}


def has_families(agents: Mapping[AgentId, Agent]) -> bool:
    return any(agent.created_by is not None for agent in agents.values())


async def spending_now(
    money: Money, community_id: CommunityId, config: CommunityConfig, day: date, ceilings: Ceilings | None
) -> Spending:
    """Set what a day has cost so far beside every limit, the installation's as well where it pays."""
    paid = None
    if ceilings is not None:
        here, everywhere = await money.paid(community_id, day)
        paid = Paid(here=here, everywhere=everywhere, ceilings=ceilings)
    return of_day(await money.spent(community_id, day), config, paid)


async def ceilings_of(models: Models | None, providers: OwnProviders, community: Community) -> Ceilings | None:
    """Give what the installation holds a community to, where it pays for its models."""
    return None if models is None else (await models.of(providers, community)).source.ceilings


async def funds_now(money: Money, view: Outline, day: date, ceilings: Ceilings | None) -> Funds:
    """Give what there is for each agent of a view that holds everyone."""
    spending = await spending_now(money, view.community.id, view.config, day, ceilings)
    return Funds(spending=spending, overspent=await _overspent(money, view, day, ceilings))


async def _overspent(money: Money, view: Outline, day: date, ceilings: Ceilings | None) -> frozenset[AgentId]:
    if not has_families(view.agents):
        return frozenset()
    return overspent(view.agents, await money.spent_by_agent(view.community.id, day), held_to(view.config, ceilings))


async def set_aside(
    money: WritableMoney, community_id: CommunityId, config: CommunityConfig, day: date, price: CallPrice
) -> int | Limit:
    """Set the price of one call aside; gives the reservation, or whose limit does not hold it."""
    if price.ceilings is not None:
        await money.take_turns()
    spending = await spending_now(money, community_id, config, day, price.ceilings)
    if (limit := spending.lacks(usd=price.usd, tokens=price.tokens)) is not None:
        return limit
    return await money.reserve(
        community_id,
        day,
        usd=price.usd,
        tokens=price.tokens,
        agents=price.weights,
        paid=price.ceilings is not None,
        places=price.places,
    )


async def settle(money: WritableMoney, community_id: CommunityId, reservation: int, usage: Usage) -> None:
    """Replace what was set aside by what was used."""
    tokens = usage.input_tokens + usage.output_tokens
    await money.settle(community_id, reservation, usd=usage.cost_usd, tokens=tokens)


def count_use(metrics: Metrics, model: str, usage: Usage) -> None:
    """Count what an answer used: tokens by kind (`cached` are among `input`), USD and seconds."""
    for kind, tokens in (
        ("input", usage.input_tokens),
        ("cached", usage.cached_tokens),
        ("output", usage.output_tokens),
    ):
        metrics.count("tokens", tokens, model=model, kind=kind)
    metrics.count("spent_usd", float(usage.cost_usd), model=model)
    metrics.observe("answer_seconds", usage.latency_seconds, model=model)


@dataclass(frozen=True, slots=True)
class _Undertold:
    """Counts what calls of closed scenes cost, as `/usage` tells it, and nothing by which it shows who was asked."""

    metrics: Metrics

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        if name in ("tokens", "spent_usd"):
            self.metrics.count(name, amount, **{**labels, "model": CLOSED_SCENES})

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Tell nobody: how often something took its time is how often somebody was asked."""

    def span(self, span: Span) -> None:
        """Tell nobody."""


def metrics_of(ready: Iterable[Ready], metrics: Metrics) -> Metrics:
    """Give where what is done for some agents is counted: of a closed scene only its cost, for it tells who acts."""
    return _Undertold(metrics) if any(one.side < PUBLIC_SIDE for one in ready) else metrics


def as_told(usage: Usage) -> Usage | None:
    """Give what a model's answer says it used; None when its server does not say."""
    return usage if usage.input_tokens or usage.output_tokens else None
