"""Time that passes only when it is told to: from one due moment to the next."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from heapq import heappop, heappush


class VirtualClock:
    """A clock that stands still until it is advanced; sleepers wake in the order of their times."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> datetime:
        """Give the time, as it was last advanced to."""
        return self._now

    @property
    def sleeping(self) -> int:
        """How many wait for a later time."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        """Wait until it has been advanced so far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count += 1
        heappush(self._sleepers, (self._now + timedelta(seconds=seconds), self._count, future))
        await future

    @asynccontextmanager
    async def timeout(self, seconds: float) -> AsyncIterator[None]:
        """Raise TimeoutError in a block during which it is advanced further than that."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("there is no task whose time could be up")
        expired = False

        async def watch() -> None:
            nonlocal expired
            await self.sleep(seconds)
            expired = True
            task.cancel()

        watcher = asyncio.ensure_future(watch())
        try:
            yield
        except asyncio.CancelledError:
            if not expired:
                raise
            task.uncancel()
            raise TimeoutError from None
        finally:
            watcher.cancel()

    async def advance(self, seconds: float) -> None:
        """Let time pass, waking each sleeper at its own time."""
        until = self._now + timedelta(seconds=seconds)
        await settle()
        while self._sleepers and self._sleepers[0][0] <= until:
            at, _, future = heappop(self._sleepers)
            self._now = max(self._now, at)
            if not future.done():
                future.set_result(None)
            await settle()
        self._now = until
        await settle()


async def settle(rounds: int = 20) -> None:
    """Let ready tasks run."""
    for _ in range(rounds):
        await asyncio.sleep(0)
