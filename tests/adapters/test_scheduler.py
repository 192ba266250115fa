"""The slot tick and its nudges, on APScheduler's own clock."""

import asyncio
from datetime import timedelta

import pytest
from structlog.contextvars import bound_contextvars, get_contextvars

from bot.adapters.clock import SystemClock
from bot.adapters.scheduler import SlotScheduler

CLOCK = SystemClock()


class Slot:
    """A slot that can be held open."""

    def __init__(self) -> None:
        self.begun = 0
        self.at_once = 0
        self.most_at_once = 0
        self.began = asyncio.Event()
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def __call__(self) -> None:
        self.begun += 1
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        self.began.set()
        await self.may_end.wait()
        self.at_once -= 1


async def test_a_nudge_brings_a_slot_before_the_next_one_on_the_grid() -> None:
    slot, scheduler = Slot(), SlotScheduler(CLOCK, slot_seconds=600)
    scheduler.start(slot)
    scheduler.nudge(CLOCK.now() + timedelta(seconds=0.01))
    async with asyncio.timeout(60):
        await slot.began.wait()
    scheduler.stop()
    assert slot.begun == 1


async def test_what_is_bound_to_the_log_where_a_slot_is_asked_for_stands_in_no_line_of_the_slots() -> None:
    bound, slot, scheduler = list[object](), Slot(), SlotScheduler(CLOCK, slot_seconds=0.05)

    async def noted() -> None:
        bound.append(get_contextvars())
        await slot()

    scheduler.start(noted)
    with bound_contextvars(letter=7):
        scheduler.nudge(CLOCK.now())
    async with asyncio.timeout(60):
        while slot.begun < 3:
            slot.began.clear()
            await slot.began.wait()
    scheduler.stop()
    assert bound == [{}] * len(bound)


async def test_a_nudge_during_a_slot_is_not_lost_and_never_runs_beside_it() -> None:
    slot, scheduler = Slot(), SlotScheduler(CLOCK, slot_seconds=0.02)
    slot.may_end.clear()
    scheduler.start(slot)
    async with asyncio.timeout(60):
        await slot.began.wait()
        scheduler.nudge(CLOCK.now())
        slot.began.clear()
        slot.may_end.set()
        await slot.began.wait()
    scheduler.stop()
    assert slot.begun >= 2
    assert slot.most_at_once == 1


async def test_a_nudge_beyond_the_next_tick_changes_nothing() -> None:
    slot, scheduler = Slot(), SlotScheduler(CLOCK, slot_seconds=600)
    scheduler.start(slot)
    scheduler.nudge(CLOCK.now() + timedelta(seconds=3600))
    await asyncio.sleep(0)
    scheduler.stop()
    assert slot.begun == 0


async def test_a_slot_that_fails_is_followed_by_the_next(caplog: pytest.LogCaptureFixture) -> None:
    runs = asyncio.Queue[int]()

    async def slot() -> None:
        runs.put_nowait(1)
        raise RuntimeError("this slot failed")

    scheduler = SlotScheduler(CLOCK, slot_seconds=0.02)
    scheduler.start(slot)
    async with asyncio.timeout(60):
        await runs.get()
        await runs.get()
    scheduler.stop()
    assert "this slot failed" in caplog.text


async def test_a_job_that_runs_when_all_ends_is_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    job, scheduler = Slot(), SlotScheduler(CLOCK, slot_seconds=600)
    job.may_end.clear()
    scheduler.every(0.01, job, name="upkeep")
    scheduler.start(None)
    async with asyncio.timeout(60):
        await job.began.wait()
    before = asyncio.all_tasks()
    scheduler.stop()
    await asyncio.wait(before - {asyncio.current_task()})
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []
