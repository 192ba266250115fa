"""Attention: what can be set, and how tokens are divided by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.attention import allot, check_sum, parse_attention, shares, word_attention
from bot.core.errors import Rejected
from bot.core.records import AgentId, Membership
from tests import factories


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("40", 40), ("40%", 40), (" 100 % ", 100), ("%*", None)])
def test_attention_is_read_with_or_without_the_sign(text: str, value: int | None) -> None:
    assert parse_attention(text) == value


@pytest.mark.parametrize("text", ["", "101", "-1", "4.5", "*", "all", "٣", "1000"])
def test_what_is_no_attention_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(Rejected, match="a number from 0 to 100"):
        parse_attention(text)


def test_attention_is_worded_as_it_is_set() -> None:
    assert [word_attention(one) for one in (None, 40)] == ["%*", "40%"]


def seats(*attention: int | None) -> list[Membership]:
    return [factories.membership(1, room, attention=value) for room, value in enumerate(attention, 1)]


def test_fixed_shares_above_a_hundred_are_refused_with_the_sum() -> None:
    with pytest.raises(Rejected, match=r"add up to 110 %.*at most 40 %"):
        check_sum(seats(60, None), AgentId(2), 50)
    check_sum(seats(60, None), AgentId(2), 40)
    check_sum(seats(60, 40), AgentId(1), 60)
    check_sum(seats(60, 40), AgentId(2), None)


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
