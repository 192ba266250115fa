"""What is read of all communities at once: rows that cannot be read hold nobody else up."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from bot.core.errors import Unreadable
from bot.core.ports import Clock, Reading, Store

T = TypeVar("T")
log = structlog.get_logger(__name__)


async def read_of_all(store: Store, clock: Clock, ask: Callable[[Reading], Awaitable[T]]) -> T:
    """Ask the store; rows that cannot be read are told in the log and set aside, and it is asked once more."""
    try:
        async with store.reading() as read:
            return await ask(read)
    except Unreadable as found:
        log.error("rows cannot be read: they are set aside", table=found.table, rows=found.keys)
        async with store.writing() as write:
            await write.set_aside(found, clock.now())
    async with store.reading() as read:
        return await ask(read)
