"""What can be played from a hand: all of it, or the few plays that are suggested."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain, combinations, zip_longest
from operator import attrgetter
from typing import Final

from bot.core.scenes.landlord.cards import (
    BIG_JOKER,
    NONE,
    RANKS,
    RUNNING,
    SMALL_JOKER,
    TWO,
    Cards,
    both,
)
from bot.core.scenes.landlord.combinations import (
    LEAST_BOMB,
    PLANES,
    SHORTEST_PAIR_RUN,
    SHORTEST_PLANE,
    SHORTEST_STRAIGHT,
    Combination,
    Shape,
)

SUGGESTED_AT_MOST: Final = 25
REMEMBERED: Final = 1 << 13
_Ordered = tuple[int, int, Cards]  # what is torn apart for it, how high it is, its cards
ORDER: Final = {shape: place for place, shape in enumerate(Shape)}
BEATING_OTHERS: Final = (ORDER[Shape.BOMB], ORDER[Shape.ROCKET])


@dataclass(frozen=True, slots=True)
class Body:
    """The cards by which a combination counts, and what goes with them: so many times `each` card of other ranks."""

    combination: Combination
    cards: Cards
    attached: int = 0
    each: int = 1
    place: tuple[int, int] = field(init=False)  # where it stands among others: by the order of shapes, then by length

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", (ORDER[self.combination.shape], self.combination.length))


def some(ranks: Sequence[int], each: int) -> Cards:
    """Give so many cards of each rank."""
    counts = [0] * len(RANKS)
    for rank in ranks:
        counts[rank] = each
    return tuple(counts)


@cache
def alike(rank: int, many: int) -> Cards:
    """Give so many cards of one rank."""
    return some([rank], many)


@lru_cache(maxsize=REMEMBERED)
def bodies(hand: Cards, decks: int) -> tuple[Body, ...]:
    """Give the bodies of all combinations in a hand, in the order of shapes, the lowest of a shape first."""
    found = [one for rank, count in enumerate(hand) if count for one in _of_one_rank(rank, count)]
    found += [*_runs(hand), *_bombs(hand, decks)]
    fit = [one for one in found if one.attached == 0 or next(attachments(hand, one), None) is not None]
    return tuple(sorted(fit, key=attrgetter("place")))


@cache
def _of_one_rank(rank: int, count: int) -> tuple[Body, ...]:
    """Give the bodies made of one rank of which one has so many cards, but bombs."""
    shapes = (Shape.SINGLE, Shape.PAIR, Shape.TRIPLE)[:count]
    found = [Body(Combination(shape, rank), alike(rank, many)) for many, shape in enumerate(shapes, 1)]
    if count >= 3:
        found.append(Body(Combination(Shape.TRIPLE_SINGLE, rank), alike(rank, 3), 1, 1))
        found.append(Body(Combination(Shape.TRIPLE_PAIR, rank), alike(rank, 3), 1, 2))
    if count >= LEAST_BOMB:
        found.append(Body(Combination(Shape.FOUR_SINGLES, rank), alike(rank, LEAST_BOMB), 2, 1))
        found.append(Body(Combination(Shape.FOUR_PAIRS, rank), alike(rank, LEAST_BOMB), 2, 2))
    return tuple(found)


def _runs(hand: Cards) -> Iterator[Body]:
    for each, least in ((1, SHORTEST_STRAIGHT), (2, SHORTEST_PAIR_RUN), (3, SHORTEST_PLANE)):
        for ranks in _rows(hand, each, least):
            yield from _of_a_row(ranks, each)


@cache
def _of_a_row(ranks: range, each: int) -> tuple[Body, ...]:
    """Give the bodies made of so many cards of each of these ranks."""
    high, length, cards = ranks[-1], len(ranks), some(ranks, each)
    if each < 3:
        return (Body(Combination((Shape.STRAIGHT, Shape.PAIR_RUN)[each - 1], high, length), cards),)
    return tuple(
        Body(Combination(shape, high, length), cards, length if with_each else 0, with_each or 1)
        for with_each, shape in enumerate(PLANES)
    )


def _rows(hand: Cards, each: int, least: int) -> Iterator[range]:
    for first in RUNNING:
        last = first
        while last in RUNNING and hand[last] >= each:
            last += 1
            if last - first >= least:
                yield range(first, last)


def _bombs(hand: Cards, decks: int) -> Iterator[Body]:
    for rank in range(TWO + 1):
        for many in range(LEAST_BOMB, hand[rank] + 1):
            yield Body(Combination(Shape.BOMB, rank, many), alike(rank, many))
    if hand[SMALL_JOKER] == hand[BIG_JOKER] == decks:
        yield Body(Combination(Shape.ROCKET, BIG_JOKER), some([SMALL_JOKER, BIG_JOKER], decks))


def attachments(hand: Cards, body: Body) -> Iterator[Cards]:
    """Give all that may go with a body, the cheapest first: what is single and low costs least."""
    if not body.attached:
        yield NONE
        return
    others = [rank for rank in _cheapest(hand, body.each) if not body.cards[rank]]
    if body.each == 2:
        yield from (some(ranks, 2) for ranks in combinations(others, body.attached))
        return
    is_plane = body.combination.shape is Shape.PLANE_SINGLES
    for cards in _singles(hand, others, body.attached):
        if not (is_plane and cards[SMALL_JOKER] and cards[BIG_JOKER]):
            yield cards


def _cheapest(hand: Cards, each: int) -> list[int]:
    fit = [rank for rank, count in enumerate(hand) if count >= each]
    return sorted(fit, key=lambda rank: (rank >= TWO, hand[rank] >= LEAST_BOMB, hand[rank] - each, rank))


def _singles(hand: Cards, ranks: Sequence[int], many: int) -> Iterator[Cards]:
    """Give all choices of so many cards of these ranks: one of each of the first, before more of one."""
    if not many:
        yield NONE
        return
    if not ranks:
        return
    first, rest = ranks[0], ranks[1:]
    least = max(0, many - sum(hand[rank] for rank in rest))
    most = min(many, hand[first])
    for taken in sorted(range(least, most + 1), key=lambda count: (count == 0, count)):
        own = alike(first, taken)
        yield from (both(own, more) for more in _singles(hand, rest, many - taken))


def plays(hand: Cards, decks: int, to_beat: Combination | None = None) -> Iterator[Cards]:
    """Give all that may be played from a hand, each once: led, or on what is to be beaten."""
    known: set[Cards] = set()
    for body in _allowed(hand, decks, to_beat):
        for more in attachments(hand, body):
            cards = both(body.cards, more)
            if cards not in known:
                known.add(cards)
                yield cards


def _allowed(hand: Cards, decks: int, to_beat: Combination | None) -> list[Body]:
    return [one for one in bodies(hand, decks) if to_beat is None or one.combination.beats(to_beat)]


class _Cheapest:
    """Each body of a hand with the cheapest that goes with it, worked out when asked: few beat what lies there."""

    def __init__(self, hand: Cards, decks: int) -> None:
        self._hand = hand
        self._found: dict[int, list[tuple[Body, list[_Ordered]]]] = {}  # by their shapes, in the order of those
        for body in bodies(hand, decks):
            self._found.setdefault(body.place[0], []).append((body, []))

    def beating(self, to_beat: Combination | None) -> Iterator[tuple[Body, _Ordered]]:
        """Give those that may be played, and by what such plays are ordered."""
        shapes = self._found if to_beat is None else dict.fromkeys((ORDER[to_beat.shape], *BEATING_OTHERS))
        for body, known in chain.from_iterable(self._found.get(shape, ()) for shape in shapes):
            own = body.combination
            if to_beat is not None and not own.beats(to_beat):
                continue
            if not known:
                cards = both(body.cards, next(attachments(self._hand, body))) if body.attached else body.cards
                known.append((_broken(self._hand, cards), own.key - own.length, cards))
            yield body, known[0]


_cheapest_plays = lru_cache(maxsize=REMEMBERED)(_Cheapest)


@lru_cache(maxsize=REMEMBERED)
def suggested(hand: Cards, decks: int, to_beat: Combination | None = None) -> tuple[Cards, ...]:
    """Give 25 plays at most, of each shape those that break least; empty only where nothing may be played."""
    groups: dict[int, list[_Ordered]] = {}
    for body, ordered in _cheapest_plays(hand, decks).beating(to_beat):
        groups.setdefault(body.place[0], []).append(ordered)
    rows = zip_longest(*(sorted(one) for one in groups.values()))
    drawn = [one[2] for row in rows for one in row if one is not None]
    whole = [hand] if hand in set(drawn) else []
    kept = set([*whole, *dict.fromkeys(drawn)][:SUGGESTED_AT_MOST])
    return tuple(cards for cards in dict.fromkeys(drawn) if cards in kept)


def _broken(hand: Cards, cards: Cards) -> int:
    """Count what is torn apart: cards left behind of ranks that are played, above all of bombs."""
    torn = 0
    for had, count in zip(hand, cards, strict=True):
        if 0 < count < had:
            torn += had + 3 if had >= LEAST_BOMB else had
    rocket = cards[SMALL_JOKER] + cards[BIG_JOKER] == 1 and hand[SMALL_JOKER] and hand[BIG_JOKER]
    return torn + (4 if rocket else 0)


def lowest(hand: Cards) -> int:
    """Give the rank of a hand's lowest card."""
    return next(rank for rank, count in enumerate(hand) if count)
