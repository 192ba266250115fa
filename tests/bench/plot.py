"""Small plots for a terminal."""

from collections.abc import Sequence

WIDTH = 44


def bars(title: str, points: Sequence[tuple[str, float]], unit: str) -> str:
    """Draw one bar for each point, to the same scale."""
    longest = max(value for _, value in points) or 1
    lines = [
        f"{label:>12} {'█' * max(1, round(WIDTH * value / longest))} {value:.2f} {unit}" for label, value in points
    ]
    return "\n".join([title, *lines])
