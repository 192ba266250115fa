"""Where those who sit in a ring are on its picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from cogs.ui.pictures import WIDTH

SIDE, RADIUS, FACE = WIDTH, 190, 30
CROWD, SMALLER = 9, 0.85  # from how many faces on names stand outside, and how much closer all are then


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one of the ring is: at which angle, and how large all are."""

    angle: float
    size: float

    def at(self, far: float) -> tuple[float, float]:
        """Give the point so far from the middle."""
        return SIDE / 2 + far * cos(self.angle), SIDE / 2 + far * sin(self.angle)

    def beside(self, wide: float, line: int) -> tuple[float, float]:
        """Give where a line of words begins: below the face, and outside of the ring where there are many."""
        if self.size == 1.0:
            x, y = self.at(RADIUS)
            return x - wide / 2, y + FACE + 14 + 17 * line
        x, y = self.at((RADIUS + FACE) * self.size + 8)
        aside = min(1.0, max(-1.0, cos(self.angle) * 3))  # centred above and below, beginning or ending at the sides
        return x - wide * (1 - aside) / 2, y + 10 * sin(self.angle) + 17 * line - (8 if sin(self.angle) < 0 else 0)


def spots(count: int) -> Sequence[Spot]:
    """Give the places of so many, the first above and the others clockwise."""
    size = SMALLER if count > CROWD else 1.0
    return [Spot(2 * pi * place / count - pi / 2, size) for place in range(count)]
