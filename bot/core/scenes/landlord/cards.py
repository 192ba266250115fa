"""Cards without suits: a hand is how many it has of each rank, 3 to 2 and the two jokers."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import add, ge, sub
from typing import Annotated, Final

from pydantic import Field

from bot.core.scenes.kind import Chance

RANKS: Final = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2", "SJ", "BJ")
ACE, TWO, SMALL_JOKER, BIG_JOKER = 11, 12, 13, 14
RUNNING: Final = range(ACE + 1)  # the ranks of straights, pair runs and planes
SUITS: Final = 4
NONE: Final = (0,) * len(RANKS)
_CARD: Final = re.compile(r"10|SJ|BJ|[2-9JQKAT]", re.IGNORECASE)

MOST_OF_A_RANK: Final = 8  # in two decks
Cards = tuple[int, ...]  # how many of each rank
Heap = Annotated[  # the same, as it is kept
    tuple[Annotated[int, Field(ge=0, le=MOST_OF_A_RANK)], ...], Field(min_length=len(RANKS), max_length=len(RANKS))
]


def pack(decks: int) -> Cards:
    """Give all the cards of so many decks: 54 each."""
    return (*[SUITS * decks] * (TWO + 1), decks, decks)


def of_names(names: Iterable[str]) -> Cards:
    """Count cards given by the names of their ranks; raises ValueError for what is none."""
    counts = [0] * len(RANKS)
    for name in names:
        counts[RANKS.index(name)] += 1
    return tuple(counts)


@lru_cache(maxsize=1 << 13)
def names_of(cards: Cards) -> tuple[str, ...]:
    """Give the name of each card, the lowest first."""
    return tuple(name for name, count in zip(RANKS, cards, strict=True) for _ in range(count))


def words_of(cards: Cards) -> str:
    """Give cards as they are shown: `3 3 10 SJ`."""
    return " ".join(names_of(cards)) or "none"


def counted(cards: Cards) -> str:
    """Give many cards in short: `3×4 10 2×2`."""
    shown = [name if count == 1 else f"{name}×{count}" for name, count in zip(RANKS, cards, strict=True) if count]
    return " ".join(shown) or "none"


def read_cards(given: object) -> tuple[str, ...]:
    """Read cards as people and models write them: names, numbers, or several in one word; raises ValueError."""
    parts = given if isinstance(given, list | tuple) else [given]
    found: list[str] = []
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, str | int):
            raise ValueError("cards are written like 3 3 10 SJ")
        left = re.sub(r"[\s,+]+", "", str(part))
        cards = _CARD.findall(left)
        if "".join(cards) != left:
            raise ValueError(f"there is no card {left[:20]}")
        found += ["10" if card in "Tt" else card.upper() for card in cards]
    return tuple(sorted(found, key=RANKS.index))


def both(one: Cards, other: Cards) -> Cards:
    """Give two heaps as one."""
    return tuple(map(add, one, other))


def without(hand: Cards, cards: Cards) -> Cards:
    """Give what is left of a hand."""
    return tuple(map(sub, hand, cards))


def holds(hand: Cards, cards: Cards) -> bool:
    """Tell whether a hand has all of these cards."""
    return all(map(ge, hand, cards))


def dealt(cards: Cards, sizes: Sequence[int], chance: Chance, purpose: str) -> tuple[Cards, ...]:
    """Shuffle cards and deal them: heaps of these sizes, which are all the cards together."""
    order = [rank for rank, count in enumerate(cards) for _ in range(count)]
    shuffled = chance.shuffled(purpose, order)
    heaps, at = [], 0
    for size in sizes:
        counts = [0] * len(RANKS)
        for rank in shuffled[at : at + size]:
            counts[rank] += 1
        heaps.append(tuple(counts))
        at += size
    return tuple(heaps)
