"""What a community may spend in a UTC day, and how it slows down before it rests (SPEC §5)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.records import Agent, AgentId, Usage

SLOWED_FROM = 0.80
SLOWER_FROM = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What is settled and reserved of a day's limits."""

    usd: Decimal = Decimal(0)
    tokens: int = 0
    usd_limit: Decimal | None = None
    tokens_limit: int | None = None

    @property
    def share(self) -> float:
        """How much of the tighter limit is used: 1.0 is all of it."""
        return max(_share(self.usd, self.usd_limit), _share(Decimal(self.tokens), self.tokens_limit))

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

    @property
    def is_over(self) -> bool:
        """Whether agents rest until midnight."""
        return self.share >= 1.0

    def holds(self, *, usd: Decimal, tokens: int) -> bool:
        """Tell whether a call of that size stays within the limits."""
        fits_usd = self.usd_limit is None or self.usd + usd <= self.usd_limit
        return fits_usd and (self.tokens_limit is None or self.tokens + tokens <= self.tokens_limit)


def of_day(spent: tuple[Decimal, int], config: CommunityConfig) -> Spending:
    """Set what was spent beside the community's limits."""
    usd, tokens = spent
    return Spending(usd=usd, tokens=tokens, usd_limit=config.usd_per_day, tokens_limit=config.tokens_per_day)


def roots(agents: Mapping[AgentId, Agent]) -> Mapping[AgentId, AgentId]:
    """Give the root of everyone's family: the first of its forebears, which people made.

    Where a forebear is deleted for good, its id stands for it, so that its children stay one family.
    """
    return {id: _root(agents, id) for id in agents}


def overspent(
    agents: Mapping[AgentId, Agent], used: Mapping[AgentId, Usage], config: CommunityConfig
) -> frozenset[AgentId]:
    """Give the agents whose family has used up its share of the day: who makes agents divides what it has.

    Once agents have made agents, each family of several may spend the day's limit divided by the number of families
    in which somebody is not retired; agents on their own are held to the community's limit only. `used`: what was
    spent on each and what is set aside for it.
    """
    families = _families(agents)
    over = [one for one in families if _spent_by(one, used, config, len(families)).is_over and len(one) > 1]
    return frozenset(agents) & frozenset().union(*over)


def family_holds(
    agents: Mapping[AgentId, Agent],
    used: Mapping[AgentId, Usage],
    config: CommunityConfig,
    in_call: Collection[AgentId],
    *,
    usd: Decimal,
    tokens: int,
) -> bool:
    """Tell whether a call stays within its family's share; one of several families has the community's limit only."""
    families = _families(agents)
    whose = next((one for one in families if len(one) > 1 and one.issuperset(in_call)), None)
    return whose is None or _spent_by(whose, used, config, len(families)).holds(usd=usd, tokens=tokens)


def _families(agents: Mapping[AgentId, Agent]) -> list[frozenset[AgentId]]:
    """Give all families in which somebody is not retired, with the ids of forebears that are gone."""
    families: dict[AgentId, set[AgentId]] = {}
    for id, root in roots(agents).items():
        families.setdefault(root, {root}).add(id)
    return [frozenset(one) for one in families.values() if any(_lives(agents, id) for id in one)]


def _lives(agents: Mapping[AgentId, Agent], id: AgentId) -> bool:
    return id in agents and agents[id].retired_at is None


def _spent_by(
    family: Collection[AgentId], used: Mapping[AgentId, Usage], config: CommunityConfig, families: int
) -> Spending:
    its = [used[id] for id in family if id in used]
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


def _root(agents: Mapping[AgentId, Agent], id: AgentId) -> AgentId:
    seen = {id}
    while id in agents and (parent := agents[id].created_by) is not None and parent not in seen:
        seen.add(parent)
        id = parent
    return id


def _share(spent: Decimal, limit: Decimal | int | None) -> float:
    if limit is None:
        return 0.0
    return float(spent / limit) if limit > 0 else 1.0
