"""Agents that make agents divide with them what they have to spend; calls are divided among those that share them."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from bot.core.config import CommunityConfig
from bot.core.records import Agent, AgentId, Usage
from bot.core.spending import PICO_USD, divided, overspent, roots, too_poor
from tests.factories import agent
from tests.fakes import START

ONE_DOLLAR = CommunityConfig(usd_per_day=Decimal(1), tokens_per_day=None)


def town(*made_by: int | None) -> dict[AgentId, Agent]:
    """Agents 1, 2, ... made by these."""
    parents = [None if parent is None else AgentId(parent) for parent in made_by]
    made = [agent(id, created_by=parent) for id, parent in enumerate(parents, start=1)]
    return {one.id: one for one in made}


def used(**usd: str) -> dict[AgentId, Usage]:
    return {AgentId(int(name.removeprefix("a"))): Usage(cost_usd=Decimal(value)) for name, value in usd.items()}


def test_children_and_their_children_are_of_one_family() -> None:
    assert roots(town(None, 1, 2, None, 4)) == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4}


def test_a_family_has_its_part_of_the_day_and_then_all_of_it_rests() -> None:
    agents = town(None, 1, None)
    assert overspent(agents, used(a1="0.30", a2="0.19"), ONE_DOLLAR) == frozenset()
    assert overspent(agents, used(a1="0.30", a2="0.20"), ONE_DOLLAR) == {1, 2}


def test_a_child_made_to_spend_more_gives_its_family_no_more() -> None:
    agents = town(None, 1, 1, 2, None)
    assert overspent(agents, used(a4="0.50"), ONE_DOLLAR) == {1, 2, 3, 4}


def test_an_agent_on_its_own_is_held_to_the_communitys_limit_only() -> None:
    assert overspent(town(None, 1, None), used(a3="0.90"), ONE_DOLLAR) == frozenset()


def test_families_that_are_retired_leave_their_part_to_the_others() -> None:
    agents = town(None, 1, None)
    agents[AgentId(3)] = agent(3, retired_at=START)
    assert overspent(agents, used(a1="0.60"), ONE_DOLLAR) == frozenset()
    assert overspent(agents, used(a1="1.00"), ONE_DOLLAR) == {1, 2}


def test_children_of_one_that_was_deleted_stay_a_family() -> None:
    agents = {id: one for id, one in town(None, 1, 1, None).items() if id != 1}
    assert overspent(agents, used(a2="0.25", a3="0.25"), ONE_DOLLAR) == {2, 3}


def test_tokens_are_divided_as_money_is() -> None:
    config = CommunityConfig(usd_per_day=None, tokens_per_day=1_000)
    spent = {AgentId(2): Usage(input_tokens=450, output_tokens=50)}
    assert overspent(town(None, 1, None), spent, config) == {1, 2}
    assert overspent(town(None, 1, None), spent, CommunityConfig(usd_per_day=None)) == frozenset()


COUNTS = st.integers(0, 10**9)


@given(
    st.dictionaries(st.integers(1, 999), COUNTS, min_size=1, max_size=12),
    st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, st.integers(0, 10**15)),
)
def test_the_shares_of_a_call_add_up_to_it_exactly(weights: dict[int, int], used: tuple[int, ...]) -> None:
    fresh, cached, written, output, coins = used
    whole = Usage(
        input_tokens=fresh + cached + written,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        cost_usd=coins * PICO_USD,
    )
    shares = divided(whole, {AgentId(id): weight for id, weight in weights.items()})
    assert shares.keys() == weights.keys()
    for name in ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost_usd"):
        assert sum(getattr(one, name) for one in shares.values()) == getattr(whole, name)
    total = sum(weights.values())
    for id, one in shares.items():
        assert 0 <= one.cached_tokens + one.cache_write_tokens <= one.input_tokens
        fair = output * weights[id] / total if total else output / len(weights)
        assert abs(one.output_tokens - fair) <= 1 + fair * 1e-9


def test_in_a_shared_call_only_the_family_that_cannot_bear_its_share_is_poor() -> None:
    agents = town(None, 1, None, None)
    spent = used(a2="0.30")
    shares = used(a1="0.02", a2="0.02", a3="0.40")
    assert too_poor(agents, spent, ONE_DOLLAR, shares) == {1, 2}
    assert too_poor(agents, spent, ONE_DOLLAR, used(a2="0.03", a3="0.60")) == frozenset()
    assert too_poor(agents, spent, ONE_DOLLAR, used(a3="0.60")) == frozenset()
