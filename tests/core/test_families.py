"""Agents that make agents divide with them what they have to spend."""

from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.records import Agent, AgentId, Usage
from bot.core.spending import overspent, roots
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
