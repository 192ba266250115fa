"""Work that would hold everybody up is done elsewhere, and not for ever."""

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial

import pytest
import pytest_asyncio

from bot.adapters import workshop as module
from bot.adapters.workshop import ProcessWorkshop
from bot.core.answers import parse_answer
from bot.core.cards import read_card
from bot.core.errors import BadSetting, TooMuch
from bot.core.kinds import OutputFormat
from bot.core.records import AgentId
from tests.core.cards import V2, json_card
from tests.moment import moment
from tests.monsters import ANSWERS

FIVE = AgentId(5)


@pytest.fixture
async def shop() -> AsyncIterator[ProcessWorkshop]:
    made = ProcessWorkshop()
    yield made
    await made.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_shop() -> AsyncIterator[ProcessWorkshop]:
    """Begin its processes once: each loads what it works with, which takes longer than most of the work."""
    made = ProcessWorkshop()
    yield made
    await made.close()


async def test_what_comes_of_work_is_the_same_as_here(shop: ProcessWorkshop) -> None:
    text = "{'agents': [{'agent_id': 5, 'actions': [{'type': 'set', 'path': 'a', 'value': 1}, {'type': 'x'}]}]}"
    given = {"asked": [FIVE], "output_format": OutputFormat.JSON}
    assert await shop.done(1, parse_answer, text, **given) == parse_answer(text, asked=[FIVE])  # type: ignore[arg-type]
    assert (await shop.done(1, read_card, json_card(V2))).name == "Tamsin"


async def test_an_error_with_a_sentence_comes_back_as_it_is(shop: ProcessWorkshop) -> None:
    with pytest.raises(BadSetting, match="no character card"):
        await shop.done(1, read_card, b"nothing")


async def test_a_bug_in_the_work_is_no_fault_of_the_sender(shop: ProcessWorkshop) -> None:
    with pytest.raises(RuntimeError, match="ValueError: invalid literal"):
        await shop.done(1, int, "x")


@pytest.mark.long
async def test_what_takes_too_long_is_ended_and_the_next_is_done(shop: ProcessWorkshop) -> None:
    with pytest.raises(TooMuch):
        await shop.done(1, pow, 7, 10**9)
    assert await shop.done(1, pow, 2, 3) == 8


async def test_work_with_something_given_before_is_ended_in_the_same_way() -> None:
    shop = ProcessWorkshop(wall_seconds=0.2)
    with pytest.raises(TooMuch):
        await shop.done(1, partial(time.sleep, 30))
    await shop.close()


async def test_what_waits_without_working_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = ProcessWorkshop(wall_seconds=0.3)
    with pytest.raises(TooMuch):
        await shop.done(1, time.sleep, 600)
    await shop.close()


async def test_what_takes_too_much_memory_is_refused(shop: ProcessWorkshop) -> None:
    with pytest.raises(TooMuch):
        await shop.done(1, bytes, module.MEMORY_BYTES)
    assert await shop.done(1, pow, 2, 3) == 8


async def test_a_result_that_is_too_large_is_refused(shop: ProcessWorkshop) -> None:
    with pytest.raises(TooMuch):
        await shop.done(1, bytes, module.LARGEST_RESULT)


@pytest.mark.slow
async def test_a_process_that_died_meanwhile_is_replaced(shop: ProcessWorkshop) -> None:
    assert await shop.done(1, pow, 2, 3) == 8
    (bench,) = shop._idle
    bench.kill()
    await bench.wait()
    assert await shop.done(1, pow, 2, 4) == 16


def heard_of_late(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Have asyncio hear of a process's end only once this is set, as on a busy machine."""
    killed, really = threading.Event(), os.waitpid

    def late(pid: int, options: int) -> tuple[int, int]:
        if threading.current_thread() is not threading.main_thread():
            killed.wait(60)
        return really(pid, options)

    monkeypatch.setattr(os, "waitpid", late)
    return killed


def wait_until_dead(pid: int) -> None:
    """Wait for a process's end, and leave it to others to hear of it."""
    with suppress(ChildProcessError):  # they did already
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


async def test_the_end_of_one_that_is_just_dying_is_known_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = heard_of_late(monkeypatch)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(3)")
    wait_until_dead(process.pid)
    module.kill(process)
    killed.set()
    assert await process.wait() == 3


async def test_no_secret_of_the_environment_goes_along(shop: ProcessWorkshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "secret")
    assert await shop.done(1, os.getenv, "DISCORD_TOKEN") is None


@pytest.mark.slow
async def test_a_flood_of_one_lane_lets_another_through(shop: ProcessWorkshop) -> None:
    await asyncio.gather(*(shop.done(lane, pow, 2, 3) for lane in (1, 2)))  # both benches are warm
    order: list[str] = []

    async def work(lane: int, seconds: float, name: str) -> None:
        await shop.done(lane, time.sleep, seconds)
        order.append(name)

    flood = [asyncio.create_task(work(1, 0.2, "flood")) for _ in range(6)]
    await asyncio.sleep(0.05)
    await work(2, 0, "other")
    await asyncio.gather(*flood)
    assert order.index("other") <= 1


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ANSWERS)
async def test_the_loop_goes_on_while_a_monster_is_read(shared_shop: ProcessWorkshop, name: str) -> None:
    """However long it takes there: here it is a matter of handing it over."""
    await shared_shop.done(1, pow, 2, 3)  # the last monster may have ended the process
    text = ANSWERS[name](50_000)
    used = time.thread_time()
    try:
        found = await shared_shop.done(1, parse_answer, text, asked=[FIVE])
        assert found.usable or found.unusable == {FIVE}
    except TooMuch:
        pass
    assert time.thread_time() - used < 500 * moment()


async def test_a_card_of_bombs_and_one_of_endless_knowledge_are_refused(shop: ProcessWorkshop) -> None:
    known = {
        "name": "A",
        "description": "B",
        "extensions": {"selfroom": {"knowledge": {f"k{n}": n for n in range(60_000)}}},
    }
    with pytest.raises(BadSetting, match="holds more than any agent needs"):
        await shop.done(1, read_card, json.dumps(known).encode())
