"""Turns: how many requests of one server are worked on at a time, so that its managers keep nobody else waiting.

A request holds its turn until its answer is read: what waits in memory for who asks much and reads slowly is bounded.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from bot.core.records import Snowflake

AT_ONCE: Final = 4  # of one server
MOST_THERE: Final = 32  # with those that wait: a browser opens six connections
READ_SECONDS: Final = 60.0  # for a body to come, and for an answer to be taken
TOO_MANY: Final = "Too much is asked for this server at the same time: wait for some of the answers."


@dataclass(slots=True)
class _Lane:
    there: int = 0
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    alone: asyncio.Lock = field(default_factory=asyncio.Lock)


class Turns:
    """The requests of all servers, each in its server's lane."""

    def __init__(self) -> None:
        self._lanes: dict[Snowflake, _Lane] = {}

    @asynccontextmanager
    async def of(self, guild_id: Snowflake, *, alone: bool = False) -> AsyncIterator[None]:
        """Wait for a server's turn, and hold it; `alone`: no other of these at the same time. Raises when many wait."""
        lane = self._lanes.setdefault(guild_id, _Lane())
        if lane.there >= MOST_THERE:
            raise web.HTTPTooManyRequests(text=TOO_MANY)
        lane.there += 1
        try:
            if not alone:
                async with lane.turns:
                    yield
            else:
                async with lane.alone, lane.turns:
                    yield
        finally:
            lane.there -= 1
            if not lane.there:
                del self._lanes[guild_id]


async def given(
    request: web.Request, response: web.StreamResponse, *, seconds: float | None = None
) -> web.StreamResponse:
    """Give an answer to the end; who does not take it in time is left."""
    try:
        async with asyncio.timeout(seconds or READ_SECONDS):
            await response.prepare(request)
            await response.write_eof()
    except (TimeoutError, ConnectionError):
        if request.transport is not None:
            request.transport.abort()
    return response
