"""What a community may spend in a UTC day, and how it slows down before it rests (docs/money.md#limits-of-a-day)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum

from bot.core.config import CommunityConfig
from bot.core.models import Ceilings
from bot.core.records import Agent, AgentId, Usage

SLOWED_FROM = 0.80
SLOWER_FROM = 0.95
PICO_USD = Decimal("0.000000000001")  # the smallest coin: a call's price is divided into whole ones


class Limit(StrEnum):
    """Whose limit on a day's money is reached, as it is told."""

    CEILING = "What whoever runs Selfroom pays for here in a day"
    BUDGET = "The budget for today"
    SHARE = "The share of today's budget of this agent and those it is related to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """What the installation has paid or set aside in a day, beside its ceilings: for one community, and for all."""

    here: Decimal
    everywhere: Decimal
    ceilings: Ceilings

    @property
    def share(self) -> float:
        """How much of the tighter ceiling is used: 1.0 is all of it."""
        return max(_share(self.here, self.ceilings.usd_each), _share(self.everywhere, self.ceilings.usd_all))

    def holds(self, usd: Decimal) -> bool:
        """Tell whether a call of that price stays below both ceilings."""
        each, everyone = self.ceilings.usd_each, self.ceilings.usd_all
        return (each is None or self.here + usd <= each) and (everyone is None or self.everywhere + usd <= everyone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What is settled and reserved of a day's limits; `paid` where the installation's ceilings hold as well."""

    usd: Decimal = Decimal(0)
    tokens: int = 0
    usd_limit: Decimal | None = None
    tokens_limit: int | None = None
    paid: Paid | None = None

    @property
    def share(self) -> float:
        """How much of the tightest limit is used: 1.0 is all of it."""
        own = max(_share(self.usd, self.usd_limit), _share(Decimal(self.tokens), self.tokens_limit))
        return max(own, self.paid.share) if self.paid else own

    @property
    def reached(self) -> Limit | None:
        """Whose limit is reached, so that everybody rests until midnight: of the ceiling nobody here can raise it."""
        if self.share < 1.0:
            return None
        return Limit.CEILING if self.paid is not None and self.paid.share >= 1.0 else Limit.BUDGET

    @property
    def stretch(self) -> float:
        """By what intervals are multiplied."""
        if self.share >= SLOWER_FROM:
            return 4.0
        return 2.0 if self.share >= SLOWED_FROM else 1.0

    @property
    def allows_initiative(self) -> bool:
        """Whether agents may still begin something by themselves."""
        return self.share < SLOWER_FROM

    def lacks(self, *, usd: Decimal, tokens: int) -> Limit | None:
        """Give whose limit does not hold a call of that size; None when there is enough for it."""
        if self.paid is not None and not self.paid.holds(usd):
            return Limit.CEILING
        fits_usd = self.usd_limit is None or self.usd + usd <= self.usd_limit
        fits_tokens = self.tokens_limit is None or self.tokens + tokens <= self.tokens_limit
        return None if fits_usd and fits_tokens else Limit.BUDGET


@dataclass(frozen=True, slots=True, kw_only=True)
class Funds:
    """What a community has left of a day, and whose family has used up its share of it."""

    spending: Spending = field(default_factory=Spending)
    overspent: frozenset[AgentId] = frozenset()

    def reached(self, agent_id: AgentId) -> Limit | None:
        """Give whose limit has an agent rest until midnight; None while it may go on."""
        return self.spending.reached or (Limit.SHARE if agent_id in self.overspent else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """Why there is no money for a call, and for whom of it (nobody named: for all).

    `soon`: other calls have more set aside than they will need, so there may be enough once they are settled.
    """

    limit: Limit
    agents: frozenset[AgentId] = frozenset()
    soon: bool = False


def of_day(spent: tuple[Decimal, int], config: CommunityConfig, paid: Paid | None = None) -> Spending:
    """Set what was spent beside the community's limits, and beside the installation's where that pays."""
    usd, tokens = spent
    return Spending(usd=usd, tokens=tokens, usd_limit=config.usd_per_day, tokens_limit=config.tokens_per_day, paid=paid)


def held_to(config: CommunityConfig, ceilings: Ceilings | None) -> CommunityConfig:
    """Give a community's settings with the budget that it really has: never above what the installation pays."""
    most = None if ceilings is None else ceilings.usd_each
    if most is None or (config.usd_per_day is not None and config.usd_per_day <= most):
        return config
    return config.model_copy(update={"usd_per_day": most})


def divided(usage: Usage, weights: Mapping[AgentId, int]) -> dict[AgentId, Usage]:
    """Divide what a call used among its agents by weight: the parts add up to the whole, to the last token and coin."""
    cached, written = (_parts(count, weights) for count in (usage.cached_tokens, usage.cache_write_tokens))
    fresh = _parts(usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens, weights)
    output = _parts(usage.output_tokens, weights)
    coins = _parts(int((usage.cost_usd / PICO_USD).to_integral_value()), weights)
    return {
        id_: Usage(
            input_tokens=fresh[id_] + cached[id_] + written[id_],
            cached_tokens=cached[id_],
            cache_write_tokens=written[id_],
            output_tokens=output[id_],
            cost_usd=coins[id_] * PICO_USD,
            latency_seconds=usage.latency_seconds,
        )
        for id_ in weights
    }


def _parts(whole: int, weights: Mapping[AgentId, int]) -> dict[AgentId, int]:
    """Divide a whole number by weights (equally, where nobody has any), with nothing lost and nothing added."""
    counted = weights if any(weights.values()) else dict.fromkeys(weights, 1)
    total, before, given = sum(counted.values()), 0, 0
    parts: dict[AgentId, int] = {}
    for id_, weight in counted.items():
        before += weight
        parts[id_] = whole * before // total - given
        given += parts[id_]
    return parts


def roots(agents: Mapping[AgentId, Agent]) -> Mapping[AgentId, AgentId]:
    """Give the root of everyone's family: the first of its forebears, which people made.

    Where a forebear is deleted for good, its id stands for it, so that its children stay one family.
    """
    return {id_: _root(agents, id_) for id_ in agents}


def overspent(
    agents: Mapping[AgentId, Agent], used: Mapping[AgentId, Usage], config: CommunityConfig
) -> frozenset[AgentId]:
    """Give the agents whose family has used up its share of the day: who makes agents divides what it has.

    Once agents have made agents, each family of several may spend the day's limit divided by the number of families
    in which somebody is not retired; agents on their own are held to the community's limit only. `used`: what was
    spent on each and what is set aside for it.
    """
    families = _families(agents)
    over = [one for one in families if _spent_by(one, used, config, len(families)).reached and len(one) > 1]
    return frozenset(agents) & frozenset().union(*over)


def too_poor(
    agents: Mapping[AgentId, Agent],
    used: Mapping[AgentId, Usage],
    config: CommunityConfig,
    shares: Mapping[AgentId, Usage],
) -> frozenset[AgentId]:
    """Give those in a call whose family cannot bear its `shares` of it; who is alone has the community's limit only."""
    families = _families(agents)
    poor: set[AgentId] = set()
    for one in families:
        here = one & shares.keys() if len(one) > 1 else frozenset()
        usd = sum((shares[id_].cost_usd for id_ in here), Decimal(0))
        tokens = sum(shares[id_].input_tokens + shares[id_].output_tokens for id_ in here)
        if here and _spent_by(one, used, config, len(families)).lacks(usd=usd, tokens=tokens):
            poor |= here
    return frozenset(poor)


def _families(agents: Mapping[AgentId, Agent]) -> list[frozenset[AgentId]]:
    """Give all families in which somebody is not retired, with the ids of forebears that are gone."""
    families: dict[AgentId, set[AgentId]] = {}
    for id_, root in roots(agents).items():
        families.setdefault(root, {root}).add(id_)
    return [frozenset(one) for one in families.values() if any(_lives(agents, id_) for id_ in one)]


def _lives(agents: Mapping[AgentId, Agent], agent_id: AgentId) -> bool:
    return agent_id in agents and agents[agent_id].retired_at is None


def _spent_by(
    family: Collection[AgentId], used: Mapping[AgentId, Usage], config: CommunityConfig, families: int
) -> Spending:
    its = [used[id_] for id_ in family if id_ in used]
    return Spending(
        usd=sum((one.cost_usd for one in its), Decimal(0)),
        tokens=sum(one.input_tokens + one.output_tokens for one in its),
        usd_limit=None if config.usd_per_day is None else config.usd_per_day / families,
        tokens_limit=None if config.tokens_per_day is None else config.tokens_per_day // families,
    )


def next_day(now: datetime) -> datetime:
    """Give the coming midnight in UTC, when limits begin anew."""
    return datetime.combine(day_of(now) + timedelta(days=1), time(), tzinfo=UTC)


def day_of(now: datetime) -> date:
    """Give the UTC day on which money is booked."""
    return now.astimezone(UTC).date()


def _root(agents: Mapping[AgentId, Agent], agent_id: AgentId) -> AgentId:
    seen = {agent_id}
    while agent_id in agents and (parent := agents[agent_id].created_by) is not None and parent not in seen:
        seen.add(parent)
        agent_id = parent
    return agent_id


def _share(spent: Decimal, limit: Decimal | int | None) -> float:
    if limit is None:
        return 0.0
    return float(spent / limit) if limit > 0 else 1.0


def added(one: Usage, other: Usage) -> Usage:
    """Add what two calls used."""
    return Usage(**{field.name: getattr(one, field.name) + getattr(other, field.name) for field in fields(Usage)})


def together(first: Usage, then: Usage) -> Usage:
    """Add what two calls used that are paid for as one; nothing where nobody knows it of the second, its answer."""
    return added(first, then) if then.input_tokens or then.output_tokens else then
