"""What Discord reports, taken in server by server: nothing overtakes there, and a failing store holds the line."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Protocol, TypeVar

import structlog

from bot.core.errors import StoreError
from bot.core.events import Event, MessageSeen

STORE_REST_SECONDS = 1.0
MOST_WAITING = 10_000  # reports of a server: what comes then is read on later, as after a break
NO_SERVER = 0  # the queue of what concerns none or all of them
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
    """The queues between the gateway and intake, one for each server: none waits for what happens in another."""

    def __init__(self, intake: Taker) -> None:
        self._intake = intake
        self._lanes: dict[int, asyncio.Queue[Report]] = {}
        self._new: asyncio.Queue[int] = asyncio.Queue()  # servers whose queue nobody empties yet
        self._first: Callable[[int], Report] | None = None
        self._flooded: set[int] = set()  # servers of which nothing is taken until they are read on

    @property
    def size(self) -> int:
        """How many reports wait."""
        return sum(lane.qsize() for lane in self._lanes.values())

    def begin(self, first: Callable[[int], Report]) -> None:
        """Begin a session: what `first` gives for a server is done there before all that is reported from now on."""
        self._first = first
        for guild_id, lane in self._lanes.items():
            lane.put_nowait(first(guild_id))

    def put(self, report: Report, guild_id: int = NO_SERVER) -> None:
        """Take a report's event when its turn comes; the report is made into a record only then."""
        lane = self._lane(guild_id)
        if self._first is None or guild_id == NO_SERVER or lane.qsize() < MOST_WAITING:
            lane.put_nowait(report)
        elif guild_id not in self._flooded:
            log.warning("a server reports more than can be taken in: it is read on later", server=guild_id)
            self._flooded.add(guild_id)
            lane.put_nowait(partial(self._read_on, guild_id, self._first(guild_id)))

    async def _read_on(self, guild_id: int, first: Report) -> Event | None:
        self._flooded.discard(guild_id)  # what is reported from now on comes after what is read on
        return await first()

    def _lane(self, guild_id: int) -> "asyncio.Queue[Report]":
        if guild_id not in self._lanes:
            self._lanes[guild_id] = asyncio.Queue()
            self._new.put_nowait(guild_id)
            if self._first is not None:
                self._lanes[guild_id].put_nowait(self._first(guild_id))
        return self._lanes[guild_id]

    async def passed(self, guild_ids: Iterable[int]) -> None:
        """Wait until everything is taken in that was reported of these servers until now."""
        passed = {guild_id: asyncio.Event() for guild_id in guild_ids}
        for guild_id, event in passed.items():
            self._lane(guild_id).put_nowait(partial(_set, event))
        for event in passed.values():
            await event.wait()

    async def run(self) -> None:
        """Empty the queues for ever."""
        async with asyncio.TaskGroup() as group:
            while True:
                group.create_task(self._empty(self._lanes[await self._new.get()]))

    async def _empty(self, lane: asyncio.Queue[Report]) -> None:
        """Take one report after the other: nothing overtakes; one bad report is logged and left."""
        while True:
            report = await lane.get()
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


async def _set(event: asyncio.Event) -> None:
    event.set()
