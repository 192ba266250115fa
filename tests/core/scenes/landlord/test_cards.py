"""Cards by rank: read as people write them, dealt without loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.scenes.kind import Chance
from bot.core.scenes.landlord.cards import (
    NONE,
    RANKS,
    both,
    counted,
    dealt,
    holds,
    names_of,
    of_names,
    pack,
    read_cards,
    without,
    words_of,
)

names = st.lists(st.sampled_from(RANKS), max_size=33)


@given(names)
def test_cards_read_back_however_they_are_written(cards: list[str]) -> None:
    ordered = tuple(sorted(cards, key=RANKS.index))
    assert read_cards(cards) == read_cards(" ".join(cards)) == read_cards([",".join(cards).lower()]) == ordered
    assert names_of(of_names(cards)) == ordered


@given(st.one_of(st.text(max_size=20), st.integers(), st.lists(st.one_of(st.text(max_size=4), st.integers()))))
def test_whatever_is_written_is_cards_or_is_refused(written: object) -> None:
    try:
        cards = read_cards(written)
    except ValueError as no:
        assert str(no).startswith(("there is no card", "cards are written"))
    else:
        assert set(cards) <= set(RANKS)


def test_numbers_and_several_cards_in_one_word_are_cards() -> None:
    assert read_cards(["333", 4, "T", "10j"]) == ("3", "3", "3", "4", "10", "10", "J")
    for wrong in (["1"], [True], [3.5], None, ["S J B"]):
        with pytest.raises(ValueError, match="card"):
            read_cards(wrong)


@given(st.integers(1, 2), st.integers(0, 10**6))
def test_all_cards_are_dealt_once(decks: int, seed: int) -> None:
    cards = pack(decks)
    assert sum(cards) == 54 * decks
    heaps = dealt(cards, [25, 25, sum(cards) - 50], Chance(str(seed), 1), "deal")
    together = NONE
    for heap in heaps:
        assert holds(cards, heap)
        together = both(together, heap)
    assert together == cards
    assert without(cards, heaps[0]) == both(heaps[1], heaps[2])


def test_cards_are_told_whole_or_in_short() -> None:
    cards = of_names(["3", "3", "10", "BJ"])
    assert (words_of(cards), counted(cards), words_of(NONE)) == ("3 3 10 BJ", "3×2 10 BJ", "none")
