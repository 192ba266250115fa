"""Meetings of the versions before: those that began by them go on by them, and their logs fold as they did."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field

from bot.core.scenes.council.motions import Motion, Tally
from bot.core.scenes.council.moves import Choice
from bot.core.scenes.council.state import CouncilOptions, Meeting
from bot.core.scenes.kind import MOST_SEATS, Seat
from bot.core.scenes.silence import Silences, YieldsInARow


class Council1(YieldsInARow, Meeting):
    """A meeting of version 1, which kept nobody's vote."""


class Council2(Silences, Meeting):
    """A meeting of version 2, which kept the votes of the last ballot, and no text of what was decided."""

    cast: Mapping[Seat, Choice] = Field(default_factory=dict, max_length=MOST_SEATS)  # in the last ballot, if open

    def remembering(self, tally: Tally, motion: Motion, votes: Mapping[Seat, Choice]) -> Self:
        shown = {} if self.terms.secret else {"cast": votes}
        return super().remembering(tally, motion, votes).model_copy(update=shown)

    @property
    def last_votes(self) -> Mapping[Seat, Choice]:
        return self.cast


class CouncilOptions1(CouncilOptions):
    """How a council of version 1 decides."""

    def begins_as(self) -> type[Meeting]:
        return Council1


class CouncilOptions2(CouncilOptions):
    """How a council of version 2 decides."""

    def begins_as(self) -> type[Meeting]:
        return Council2
