"""The longest hold of the loop, parser by parser, on what somebody would send who wants to stop the others."""

import asyncio
import json
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from bot.adapters.workshop import ProcessWorkshop
from bot.core.answer_text import LONGEST_PLAIN, is_plain
from bot.core.answers import parse_answer
from bot.core.cards import read_card
from bot.core.errors import SelfroomError
from bot.core.records import AgentId
from tests.bench import Figure
from tests.bench.holds import hold
from tests.core.cards import V2
from tests.core.test_monsters import PARSERS
from tests.monsters import ANSWERS, TEXTS, bombs

SIZES = {
    "answers": LONGEST_PLAIN - 100,
    "names": 6_000,
    "paths": 6_000,
    "search": 6_000,
    "reactions": 200,
}  # as Discord bounds them
SIZE = 20_000
ANSWER = 200_000
MOST_MS = 50
TRIES = 3  # the least of so many: what else the machine did meanwhile is no hold of ours


def run() -> list[Figure]:
    """Measure."""
    return [*map(_here, PARSERS), *asyncio.run(_elsewhere())]


def _here(parser: str) -> Figure:
    """Give the longest time that what is read on the loop itself takes, over all monsters."""
    size = SIZES.get(parser, SIZE)
    monsters = [made(one) for made in {**ANSWERS, **TEXTS}.values() for one in (size, size // 4, size // 13)]
    longest = max(min(_seconds(PARSERS[parser], text) for _ in range(TRIES)) for text in monsters)
    return _held(parser.replace(" ", "_"), longest)


def _seconds(parser: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    parser(text)
    return time.thread_time() - start


async def _elsewhere() -> list[Figure]:
    """Give how long the loop is held, and how much memory it takes, while a workshop reads."""
    answers = [made(size) for made in ANSWERS.values() for size in (20_000, ANSWER)]
    reads = [partial(parse_answer, text, asked=[AgentId(5)]) for text in answers if not is_plain(text)]
    cards = [partial(read_card, data) for data in _cards()]
    shop = ProcessWorkshop()
    await shop.done(0, pow, 2, 3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    of_answers = [await _longest_hold(shop, one) for one in reads]
    of_cards = [await _longest_hold(shop, one) for one in cards]
    taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1_024
    await shop.close()
    return [
        _held("answers_in_a_workshop", max(of_answers)),
        _held("cards", max(of_cards)),
        Figure(name="bounds.memory", value=taken, unit="MB", target=64),
    ]


def _cards() -> list[bytes]:
    known = {f"k{n}": n for n in range(60_000)}
    own = {"extensions": {"selfroom": {"knowledge": known}}}
    kept = {f"k{n}": "x" * 30 for n in range(40_000)}
    return [
        bombs(300),
        bombs(8_000, megabytes=1),
        json.dumps({"data": V2["data"] | own}).encode(),
        json.dumps({"data": V2["data"] | kept}).encode(),
        b'{"data":' * 100_000,
        b"[" + b"[]," * 600_000,
    ]


async def _longest_hold(shop: ProcessWorkshop, read: partial[Any]) -> float:
    """Give the longest time for which nobody else had a turn, the least of some tries."""

    async def work() -> None:
        with suppress(SelfroomError):
            await shop.done(1, read.func, *read.args, **read.keywords)

    return min([await hold(work) for _ in range(TRIES)])


def _held(name: str, seconds: float) -> Figure:
    return Figure(name=f"bounds.{name}", value=seconds * 1_000, unit="ms held", target=MOST_MS)
