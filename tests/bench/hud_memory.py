"""A fresh process that loads the tokenizer and builds HUDs; prints by how many MB it grew."""

import sys
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[2]))


def grown_mb() -> float:
    """Load, build, and give the growth."""
    process = psutil.Process()
    before = process.memory_info().rss
    from tests.core.hud.worlds import World, hud

    for number in range(60):
        view = World(number, ("a string",)).view()
        hud(view, 1)
        hud(view, *list(view.agents)[:3])
    return float(process.memory_info().rss - before) / 1e6


if __name__ == "__main__":
    sys.stdout.write(f"{grown_mb():.1f}\n")
