"""Many things, worked off a few at a time. Pure."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def portions(
    several: Iterable[T], size_of: Callable[[T], int], *, most: int, many: int | None = None
) -> Iterator[list[T]]:
    """Give things in their order: of each time at least one, and else no more than `most` together, nor so `many`."""
    some: list[T] = []
    together = 0
    for one in several:
        size = size_of(one)
        if some and (len(some) == many or together + size > most):
            yield some
            some, together = [], 0
        some.append(one)
        together += size
    if some:
        yield some
