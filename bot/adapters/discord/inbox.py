"""What Discord reports, taken in one after the other: nothing overtakes, and a failing store holds the line."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

import structlog

from bot.core.errors import StoreError
from bot.core.events import Event, MessageSeen

STORE_REST_SECONDS = 1.0
Report = Callable[[], Awaitable[Event | None]]
T = TypeVar("T")
log = structlog.get_logger(__name__)


class Taker(Protocol):
    """Whoever stores events (engine.intake)."""

    async def take(self, event: Event) -> None:
        """Store one event; raises StoreError when it could not."""

    async def take_read_on(self, events: Sequence[MessageSeen]) -> None:
        """Store messages that were missed; raises StoreError when it could not."""


class Inbox:
    """The queue between the gateway and intake, with one task that empties it."""

    def __init__(self, intake: Taker) -> None:
        self._intake = intake
        self._waiting: asyncio.Queue[Report] = asyncio.Queue()

    @property
    def size(self) -> int:
        """How many reports wait."""
        return self._waiting.qsize()

    def put(self, report: Report) -> None:
        """Take a report's event when its turn comes; the report is made into a record only then."""
        self._waiting.put_nowait(report)

    async def run(self) -> None:
        """Empty the queue for ever; one bad report is logged and left."""
        while True:
            report = await self._waiting.get()
            try:
                event = await _in_the_end(report)
                if event is not None:
                    await self.take(event)
            except Exception:
                log.exception("a report of Discord could not be taken in")

    async def take(self, event: Event) -> None:
        """Store an event now, waiting for as long as the store cannot."""
        await _in_the_end(partial(self._intake.take, event))

    async def take_read_on(self, events: Sequence[MessageSeen]) -> None:
        """Store messages that were missed now, waiting for as long as the store cannot."""
        await _in_the_end(partial(self._intake.take_read_on, events))


async def _in_the_end(asked: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await asked()
        except StoreError as error:
            log.error("what was said cannot be stored yet", error=error.sentence)
            await asyncio.sleep(STORE_REST_SECONDS)
