"""Figures of secrets: whether anything around a closed scene tells who sits there and manages more than their seat.

PAIRS=n holds so many pairs of worlds of each closed kind against each other. Every surface is drawn in both worlds of
every pair; what the store has for both alike is read once (tests.engine.remembered), and one pair of fifty is drawn
with nothing remembered, too, and must be the same.
"""

import asyncio
import os
import time

import structlog.testing

from bot.core.scenes.registry import KINDS
from tests.bench import Figure
from tests.engine.worlds_alike import SEATS, around, compared

PAIRS = 500  # of each closed kind


def run() -> list[Figure]:
    """Measure."""
    with structlog.testing.capture_logs():
        return [figure for kind in SEATS for figure in asyncio.run(_held(kind, int(os.environ.get("PAIRS") or PAIRS)))]


async def _held(kind: str, pairs: int) -> list[Figure]:
    began = time.process_time()
    async with around(KINDS[kind]) as here:
        wrong, surfaces = await compared(here, pairs)
    name = f"secrets.{kind}"
    return [
        Figure(
            name=f"{name}_pairs_of_{pairs}_around_which_anything_differs", value=len(wrong), unit="surfaces", target=0
        ),
        Figure(name=f"{name}_surfaces", value=surfaces, unit="surfaces"),
        Figure(name=f"{name}_of_one_core", value=time.process_time() - began, unit="s"),
    ]
