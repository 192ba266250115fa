"""APScheduler: the slot tick, slots that are asked for in between, and the timed jobs."""

from asyncio import CancelledError, Task, current_task
from collections.abc import Awaitable, Callable
from contextvars import Context
from datetime import datetime, timedelta

from apscheduler.job import Job
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.core.ports import Clock

JobBody = Callable[[], Awaitable[None]]
NUDGE = "nudge"
TICKS_AT_ONCE = 3  # one that runs; the others only ask it to run again


class SlotScheduler:
    """Runs the slot on its grid, sooner when nudged, and other jobs at their own pace.

    Keeps the `Planned` port. Late runs are never dropped, and a job never runs beside itself.
    """

    def __init__(self, clock: Clock, *, slot_seconds: float) -> None:
        self._clock = clock
        self._slot_seconds = slot_seconds
        self._slot: JobBody | None = None
        self._slot_runs = False
        self._slot_again = False
        self._running: set[Task[None]] = set()
        self._stopped = False
        self._scheduler = AsyncIOScheduler(
            timezone="UTC", job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )

    def start(self, slot: JobBody | None) -> None:
        """Begin to tick; where nobody beats, with the timed jobs alone."""
        self._slot = slot
        if slot is not None:
            self._scheduler.add_job(
                self._carried,
                "interval",
                args=[self._tick],
                seconds=self._slot_seconds,
                id="slot",
                max_instances=TICKS_AT_ONCE,
            )
        self._scheduler.start()

    def every(self, seconds: float, body: JobBody, *, name: str) -> None:
        """Run a timed job again and again."""
        self._scheduler.add_job(self._carried, "interval", args=[body], seconds=seconds, id=name, name=name)

    def nudge(self, at: datetime) -> None:
        """Ask for a slot at that time when it comes before the next one on the grid."""
        if self._slot is None or self._stopped or at >= self._clock.now() + timedelta(seconds=self._slot_seconds):
            return
        Context().run(self._nudge, at)  # the scheduler's timers go on in what was bound where they were set

    def _nudge(self, at: datetime) -> None:
        waiting: Job | None = self._scheduler.get_job(NUDGE)
        if waiting is None:
            self._scheduler.add_job(
                self._carried, "date", args=[self._tick], run_date=at, id=NUDGE, max_instances=TICKS_AT_ONCE
            )
        elif waiting.next_run_time > at:
            waiting.reschedule("date", run_date=at)

    async def _carried(self, body: JobBody) -> None:
        """Do a timed job; when all ends it is broken off, and that is no error to be logged with its traceback."""
        task = current_task()
        if self._stopped or task is None:
            return
        self._running.add(task)
        try:
            await body()
        except CancelledError:
            if not self._stopped:
                raise
        finally:
            self._running.discard(task)

    async def _tick(self) -> None:
        """Run the slot; a tick that meets a running one lets that run once more instead of beside it."""
        if self._slot is None or self._slot_runs:
            self._slot_again = True
            return
        self._slot_runs = self._slot_again = True
        try:
            while self._slot_again:
                self._slot_again = False
                await self._slot()
        finally:
            self._slot_runs = False

    def stop(self) -> None:
        """Tick no more, and break off what runs.

        APScheduler's own end would break off jobs that have not begun, and log each of them as an error.
        """
        self._stopped = True
        if self._scheduler.running:
            self._scheduler.remove_all_jobs()
            self._scheduler.pause()
        for task in self._running:
            task.cancel()
