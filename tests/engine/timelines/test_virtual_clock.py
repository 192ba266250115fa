"""Time passes only when it is told to."""

import asyncio

import pytest

from bot.engine.timelines.virtual_clock import VirtualClock, settle
from tests.fakes import START


async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    clock, woken = VirtualClock(START), list[int]()

    async def sleeper(seconds: int) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    tasks = [asyncio.create_task(sleeper(seconds)) for seconds in (3, 1, 2)]
    await settle()
    assert clock.sleeping == 3
    await clock.advance(2)
    assert woken == [1, 2]
    await clock.advance(1)
    await asyncio.gather(*tasks)
    assert woken == [1, 2, 3]


async def test_a_timeout_is_up_only_once_the_time_has_passed() -> None:
    clock = VirtualClock(START)

    async def late() -> None:
        async with clock.timeout(5):
            await asyncio.Event().wait()

    task = asyncio.create_task(late())
    await clock.advance(4)
    assert not task.done()
    await clock.advance(1)
    with pytest.raises(TimeoutError):
        await task
