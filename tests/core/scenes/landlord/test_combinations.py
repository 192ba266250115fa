"""What cards are together: held against a second recogniser that builds plays instead of looking at them."""

import pytest

from bot.core.scenes.landlord.cards import of_names, read_cards
from bot.core.scenes.landlord.combinations import Combination, Shape, reading, readings
from tests.core.scenes.landlord import referee
from tests.core.scenes.plays import dice


def found(cards: tuple[str, ...], decks: int) -> list[referee.Read]:
    return [(one.shape.value, one.length, one.key) for one in readings(of_names(cards), decks)]


@pytest.mark.parametrize("decks", [1, 2])
def test_every_five_cards_or_fewer_are_read_as_the_referee_reads_them(decks: int) -> None:
    book = referee.book(decks, 5)
    assert [cards for cards in referee.multisets(decks, 5) if found(cards, decks) != book.get(cards, [])] == []


@pytest.mark.long
@pytest.mark.parametrize("decks", [1, 2])
def test_every_eight_cards_or_fewer_are_read_as_the_referee_reads_them(decks: int) -> None:
    book, many = referee.book(decks, 8), 0
    for cards in referee.multisets(decks, 8):
        many += 1
        assert found(cards, decks) == book.get(cards, []), cards
    assert many == {1: 375_469, 2: 459_441}[decks]


@pytest.mark.parametrize("decks", [1, 2])
def test_larger_ones_drawn_near_to_plays_are_read_as_the_referee_reads_them(decks: int) -> None:
    rng, plays = dice(decks), 0
    for _ in range(1_000):
        cards = referee.some_cards(rng, decks)
        assert found(cards, decks) == referee.reads(cards, decks), cards
        plays += bool(found(cards, decks))
    assert plays > 100


def read(cards: str, decks: int = 1) -> list[str]:
    return [one.shape.value for one in readings(of_names(read_cards(cards)), decks)]


@pytest.mark.parametrize(
    ("cards", "decks", "shapes"),
    [
        ("333444555 777", 1, ["plane + singles"]),
        ("333444555666", 1, ["plane", "plane + singles", "plane + singles"]),
        ("333444 SJ BJ", 1, []),
        ("333444 5566", 1, ["plane + pairs"]),
        ("333444 5555", 1, []),
        ("333444 34", 1, []),
        ("KKKAAA222", 1, []),
        ("10 J Q K A 2", 1, []),
        ("4444 55", 1, ["four + 2 singles"]),
        ("4444 SJ BJ", 1, ["four + 2 singles"]),
        ("4444 5566", 1, ["four + 2 pairs"]),
        ("4444 5555", 1, []),
        ("44444 5", 2, []),
        ("44444444", 2, ["bomb"]),
        ("SJ BJ", 1, ["rocket"]),
        ("SJ BJ", 2, []),
        ("SJ SJ", 2, ["pair"]),
        ("SJ SJ BJ BJ", 2, ["rocket"]),
        ("333 SJ SJ", 2, ["triple + pair"]),
        ("", 1, []),
    ],
)
def test_what_the_rules_name_is_read_so(cards: str, decks: int, shapes: list[str]) -> None:
    assert read(cards, decks) == shapes


def test_cards_that_may_be_two_things_are_whichever_beats_and_led_the_first() -> None:
    cards = of_names(read_cards("333444555666"))
    led = reading(cards, 1, None)
    assert led == Combination(Shape.PLANE, 3, 4)
    on_three = reading(cards, 1, Combination(Shape.PLANE_SINGLES, 2, 3))
    assert on_three == Combination(Shape.PLANE_SINGLES, 3, 3)
    assert reading(cards, 1, Combination(Shape.PLANE_SINGLES, 3, 3)) is None


def test_beating_is_as_the_referee_says_and_never_goes_both_ways() -> None:
    for decks in (1, 2):
        book = referee.book(decks, 6)
        some = sorted({one for found_ in book.values() for one in found_})
        for mine in some:
            for theirs in some:
                ours = (
                    Combination(Shape(mine[0]), mine[2], mine[1]),
                    Combination(Shape(theirs[0]), theirs[2], theirs[1]),
                )
                assert ours[0].beats(ours[1]) is referee.may_beat(mine, theirs)
                assert not (ours[0].beats(ours[1]) and ours[1].beats(ours[0]))
