"""Agents that are made up are the same for the same seed, and each another."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.runs.generating import NAMES, generated
from bot.core.runs.spec import MOST_AGENTS


@settings(deadline=None)
@given(st.integers(1, MOST_AGENTS), st.integers(0, 2**63 - 1))
def test_as_many_agents_as_are_wanted_have_names_of_their_own_and_come_again_with_their_seed(
    number: int, seed: int
) -> None:
    made = generated(number, seed)
    assert made == generated(number, seed)
    assert len({one.name for one in made}) == number
    assert all(f"You are {one.name}, " in (one.prompt or "") for one in made)


def test_another_seed_gives_others_and_there_are_names_for_the_largest_run() -> None:
    assert generated(5, 1) != generated(5, 2)
    assert len(set(NAMES)) >= MOST_AGENTS
