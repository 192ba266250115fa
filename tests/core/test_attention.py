"""Attention: what can be set, and how tokens are divided by it."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.attention import allot, share_words, shares, word_attention
from bot.core.records import AgentId, Membership
from tests import factories


def test_attention_is_worded_as_it_is_set() -> None:
    assert [word_attention(one) for one in (None, 40)] == ["%*", "40%"]
    assert [share_words(one) for one in (None, 40)] == ["an equal share of what is left", "40%"]


def seats(*attention: int | None) -> list[Membership]:
    return [factories.membership(1, room, attention=value) for room, value in enumerate(attention, 1)]


def test_dynamic_rooms_share_what_fixed_ones_leave() -> None:
    assert shares(seats(40, None, None)) == {1: 40, 2: 30, 3: 30}
    assert shares(seats(None)) == {1: 100}
    assert shares([]) == {}


numbers = st.lists(st.tuples(st.floats(0, 100), st.integers(0, 200), st.integers(0, 5_000)), min_size=1, max_size=12)


@given(numbers, st.integers(0, 10_000))
def test_tokens_are_divided_within_bounds_and_never_above_the_total(
    rooms: list[tuple[float, int, int]], spare: int
) -> None:
    weights = {AgentId(i): weight for i, (weight, _, _) in enumerate(rooms)}
    least = {AgentId(i): low for i, (_, low, _) in enumerate(rooms)}
    most = {AgentId(i): low + more for i, (_, low, more) in enumerate(rooms)}
    total = sum(least.values()) + spare
    given_ = allot(total, weights, least, most)
    assert sum(given_.values()) <= total
    assert all(least[room] <= given_[room] <= most[room] for room in weights)
    assert sum(given_.values()) >= min(total, sum(most.values())) - len(rooms)


def test_what_one_room_leaves_goes_to_the_others_by_share() -> None:
    a, b, c = AgentId(1), AgentId(2), AgentId(3)
    given_ = allot(900, {a: 50, b: 40, c: 20}, {a: 0, b: 0, c: 0}, {a: 300, b: 9_000, c: 9_000})
    assert given_ == {a: 300, b: 400, c: 200}
