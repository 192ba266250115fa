"""Chance of the scripted mind: drawn from what it was shown, so that it is the same for the same turn."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Chance that is the same for the same turn."""

    def __init__(self, text: str) -> None:
        self._text = text

    def below(self, bound: int, salt: str) -> int:
        """Give a number from 0 up to, but not, the bound."""
        digest = blake2b(f"{self._text}|{salt}".encode("utf-8", "replace"), digest_size=8).digest()
        return int.from_bytes(digest) % bound

    def one_of(self, items: Sequence[T], salt: str) -> T:
        """Give one of some things."""
        return items[self.below(len(items), salt)]
