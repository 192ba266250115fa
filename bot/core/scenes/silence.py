"""When nobody has more to say: how kinds of free speech count those who yield."""

from collections.abc import Iterable
from typing import Annotated, Self

from pydantic import Field

from bot.core.scenes.kind import Few, Seat, State

MOST_UNHEARD = 6  # by then who left is not coming back, and nobody takes the seat over


class Spoken(State):
    """A talk that ends when everybody yields."""

    def yielded_by(self, seat: Seat) -> Self:
        """Give what it is after somebody yielded."""
        raise NotImplementedError

    def heard(self, there: Iterable[Seat]) -> Self:
        """Give what it is after something was said, where these may speak."""
        raise NotImplementedError

    def is_quiet(self, speakers: Iterable[Seat]) -> bool:
        """Tell whether nobody of these had more to say."""
        raise NotImplementedError


class Silences(Spoken):
    """Counts who yielded since something was said, of those who are there; one alone says little more."""

    silent: Annotated[tuple[Seat, ...], Few] = ()
    unheard: Annotated[int, Field(ge=0, le=MOST_UNHEARD)] = 0  # how often in a row one alone has said something

    def yielded_by(self, seat: Seat) -> Self:
        return self.model_copy(update={"silent": tuple(sorted({*self.silent, seat}))})

    def heard(self, there: Iterable[Seat]) -> Self:
        unheard = min(self.unheard + 1, MOST_UNHEARD) if len([*there]) < 2 else 0
        return self.model_copy(update={"silent": (), "unheard": unheard})

    def is_quiet(self, speakers: Iterable[Seat]) -> bool:
        there = set(speakers)
        return there <= set(self.silent) or (len(there) < 2 and self.unheard >= MOST_UNHEARD)


class YieldsInARow(Spoken):
    """As it was counted before: by how often in a row, so that two who went away ended what the others said."""

    yields: int = 0

    def yielded_by(self, seat: Seat) -> Self:
        return self.model_copy(update={"yields": self.yields + 1})

    def heard(self, there: Iterable[Seat]) -> Self:
        return self.model_copy(update={"yields": 0})

    def is_quiet(self, speakers: Iterable[Seat]) -> bool:
        return self.yields >= len([*speakers])
