"""What a hand of landlord came to: what doubled its multiplier, who won, and how points are told."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from bot.core.scenes.kind import MOST_TURNS, Few, Frozen, Seat


class Doubled(Frozen):
    """What doubled the multiplier, and who did it."""

    by: Seat
    what: str


class Played(Frozen):
    """A hand that is over: what is told of it at the end."""

    landlord: Seat
    landlord_won: bool
    points: int
    doubled: Annotated[tuple[Doubled, ...], Field(max_length=MOST_TURNS)]
    multiplier: int
    won: Annotated[tuple[int, ...], Few]  # by each, in the order of seats


def counted(seats: Sequence[Seat], scores: Sequence[int]) -> str:
    """Give the points of each seat."""
    return ", ".join(f"{{s{seat}}} {score:+d}" for seat, score in zip(seats, scores, strict=True))
