"""Figures of secrets: whether anything around a closed scene tells who sits there and manages more than their seat.

`PAIRS=10000 python -m tests.bench secrets` holds so many pairs of worlds of each closed kind against each other, on
two cores. Every surface is drawn in both worlds of every pair, pictures to their bytes; what the store has for both
alike is read once (tests.engine.remembered), and one pair of fifty is drawn with nothing remembered, too, and must be
the same.
"""

import asyncio
import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import structlog.testing

from bot.core.scenes.registry import KINDS
from tests.bench import Figure
from tests.engine.worlds_alike import SEATS, around, compared

PAIRS = 500  # of each closed kind
AT_ONCE = 250  # that one process holds before it tells
CORES = 2
Told = tuple[list[str], int, float]  # what differed, how many surfaces there are, and seconds of the processor


def run() -> list[Figure]:
    """Measure."""
    pairs = int(os.environ.get("PAIRS") or PAIRS)
    tasks = [(kind, first, min(AT_ONCE, pairs - first)) for first in range(0, pairs, AT_ONCE) for kind in SEATS]
    with ProcessPoolExecutor(CORES, mp_context=get_context("forkserver")) as pool:
        told = [*pool.map(_held, *zip(*tasks, strict=True))]
    by_kind = {kind: [one for (of, _, _), one in zip(tasks, told, strict=True) if of == kind] for kind in SEATS}
    return [figure for kind, some in by_kind.items() for figure in _figures(f"secrets.{kind}", pairs, some)]


def _figures(name: str, pairs: int, told: list[Told]) -> list[Figure]:
    wrong = sum(len(one) for one, _, _ in told)
    return [
        Figure(name=f"{name}_pairs_of_{pairs}_around_which_anything_differs", value=wrong, unit="surfaces", target=0),
        Figure(name=f"{name}_surfaces", value=min(surfaces for _, surfaces, _ in told), unit="surfaces"),
        Figure(name=f"{name}_of_the_processors", value=sum(seconds for _, _, seconds in told), unit="s"),
    ]


def _held(kind: str, first: int, pairs: int) -> Told:
    """Hold some pairs; each part has games of its own, for it begins with another seed."""
    return asyncio.run(_compared(kind, first, pairs))


async def _compared(kind: str, first: int, pairs: int) -> Told:
    began = time.process_time()
    with structlog.testing.capture_logs():
        async with around(KINDS[kind]) as here:
            wrong, surfaces = await compared(here, pairs, seed=first)
    return wrong, surfaces, time.process_time() - began
