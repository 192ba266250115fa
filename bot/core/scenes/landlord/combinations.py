"""What cards are when they are played together, and what beats what; the order of shapes is that of the rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from bot.core.scenes.landlord.cards import BIG_JOKER, RUNNING, SMALL_JOKER, TWO, Cards

SHORTEST_STRAIGHT, SHORTEST_PAIR_RUN, SHORTEST_PLANE = 5, 3, 2
LEAST_BOMB = 4
REMEMBERED: Final = 1 << 14


class Shape(StrEnum):
    """The kinds of combinations, in the order in which cards are read that may be two of them."""

    SINGLE = "single"
    PAIR = "pair"
    TRIPLE = "triple"
    TRIPLE_SINGLE = "triple + single"
    TRIPLE_PAIR = "triple + pair"
    STRAIGHT = "straight"
    PAIR_RUN = "pair run"
    PLANE = "plane"
    PLANE_SINGLES = "plane + singles"
    PLANE_PAIRS = "plane + pairs"
    FOUR_SINGLES = "four + 2 singles"
    FOUR_PAIRS = "four + 2 pairs"
    BOMB = "bomb"
    ROCKET = "rocket"


PLANES: Final = (Shape.PLANE, Shape.PLANE_SINGLES, Shape.PLANE_PAIRS)  # by how many cards go with each triple


@dataclass(frozen=True, slots=True)
class Combination:
    """A reading of cards: `key` is the rank that decides, `length` the ranks of a run, or the cards of a bomb."""

    shape: Shape
    key: int
    length: int = 1

    @property
    def is_bomb(self) -> bool:
        """Whether it beats other shapes, and doubles what is played for."""
        return self.shape in (Shape.BOMB, Shape.ROCKET)

    def beats(self, other: "Combination") -> bool:
        """Tell whether it may be played on the other."""
        if self.shape is Shape.ROCKET or other.shape is Shape.ROCKET:
            return other.shape is not Shape.ROCKET
        if self.shape is Shape.BOMB and other.shape is Shape.BOMB:
            return (self.length, self.key) > (other.length, other.key)
        if self.shape is Shape.BOMB or other.shape is Shape.BOMB:
            return self.shape is Shape.BOMB
        return self.shape is other.shape and self.length == other.length and self.key > other.key


@lru_cache(maxsize=REMEMBERED)
def readings(cards: Cards, decks: int) -> tuple[Combination, ...]:
    """Give all that cards can be read as, in the order of shapes, the highest of a shape first; empty: nothing."""
    ranks = [rank for rank, count in enumerate(cards) if count]
    if not ranks:
        return ()
    return (
        *_of_one_rank(cards, ranks),
        *_triple_with(cards, ranks),
        *_runs(cards, ranks),
        *_planes(cards, ranks),
        *_four_with(cards, ranks),
        *_bombs(cards, ranks, decks),
    )


def _of_one_rank(cards: Cards, ranks: list[int]) -> Iterator[Combination]:
    count = cards[ranks[0]]
    if len(ranks) == 1 and count <= 3:
        yield Combination((Shape.SINGLE, Shape.PAIR, Shape.TRIPLE)[count - 1], ranks[0])


def _triple_with(cards: Cards, ranks: list[int]) -> Iterator[Combination]:
    counts = sorted(cards[rank] for rank in ranks)
    if counts in ([1, 3], [2, 3]):
        triple = next(rank for rank in ranks if cards[rank] == 3)
        yield Combination(Shape.TRIPLE_SINGLE if counts[0] == 1 else Shape.TRIPLE_PAIR, triple)


def _runs(cards: Cards, ranks: list[int]) -> Iterator[Combination]:
    counts, length, high = {cards[rank] for rank in ranks}, len(ranks), ranks[-1]
    if high not in RUNNING or high - ranks[0] != length - 1:
        return
    if counts == {1} and length >= SHORTEST_STRAIGHT:
        yield Combination(Shape.STRAIGHT, high, length)
    if counts == {2} and length >= SHORTEST_PAIR_RUN:
        yield Combination(Shape.PAIR_RUN, high, length)


def _planes(cards: Cards, ranks: list[int]) -> Iterator[Combination]:
    """Read triples in a row, with nothing, a single each or a pair each: of ranks that are not in the row."""
    if cards.count(3) < SHORTEST_PLANE:
        return
    size = sum(cards)
    for each, shape in enumerate(PLANES):
        length, over = divmod(size, 3 + each)
        if over or length < SHORTEST_PLANE:
            continue
        for high in reversed(RUNNING[length - 1 :]):
            if any(cards[rank] != 3 for rank in range(high - length + 1, high + 1)):
                continue
            rest = [rank for rank in ranks if not high - length < rank <= high]
            if _may_go_with_plane(cards, rest, each):
                yield Combination(shape, high, length)


def _may_go_with_plane(cards: Cards, rest: list[int], each: int) -> bool:
    if each == 1:
        return not (cards[SMALL_JOKER] and cards[BIG_JOKER])
    return each == 0 or all(cards[rank] == 2 for rank in rest)


def _four_with(cards: Cards, ranks: list[int]) -> Iterator[Combination]:
    if LEAST_BOMB not in cards:
        return
    size = sum(cards)
    for four in ranks:
        rest = [cards[rank] for rank in ranks if rank != four]
        if cards[four] != LEAST_BOMB:
            continue
        if size == 6:
            yield Combination(Shape.FOUR_SINGLES, four)
        if rest == [2, 2]:
            yield Combination(Shape.FOUR_PAIRS, four)


def _bombs(cards: Cards, ranks: list[int], decks: int) -> Iterator[Combination]:
    if len(ranks) == 1 and ranks[0] <= TWO and cards[ranks[0]] >= LEAST_BOMB:
        yield Combination(Shape.BOMB, ranks[0], cards[ranks[0]])
    if ranks == [SMALL_JOKER, BIG_JOKER] and cards[SMALL_JOKER] == cards[BIG_JOKER] == decks:
        yield Combination(Shape.ROCKET, BIG_JOKER)


def reading(cards: Cards, decks: int, to_beat: Combination | None) -> Combination | None:
    """Give what these cards count as: led, the first they can be read as; on others, the first that beats them."""
    found = readings(cards, decks)
    return next((one for one in found if to_beat is None or one.beats(to_beat)), None)
