"""Many things are worked off in order, a few at a time."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.portions import portions


def test_no_portion_is_larger_or_has_more_than_it_may() -> None:
    assert list(portions("abcde", lambda _: 4, most=8)) == [["a", "b"], ["c", "d"], ["e"]]
    assert list(portions("abcde", lambda _: 4, most=100, many=3)) == [["a", "b", "c"], ["d", "e"]]


def test_what_is_too_large_alone_goes_alone() -> None:
    assert list(portions([1, 9, 1], lambda one: one, most=5)) == [[1], [9], [1]]


def test_of_nothing_there_is_no_portion() -> None:
    assert list(portions([], lambda _: 1, most=5)) == []


@given(st.lists(st.integers(0, 20)), st.integers(0, 30), st.none() | st.integers(1, 5))
def test_each_comes_once_and_in_its_place(sizes: list[int], most: int, many: int | None) -> None:
    found = list(portions(sizes, lambda size: size, most=most, many=many))
    assert [size for some in found for size in some] == sizes
    assert all(len(some) == 1 or sum(some) <= most for some in found)
    assert all(some and (many is None or len(some) <= many) for some in found)
