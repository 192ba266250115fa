"""The streams that are open: so many of one person, and of all; where all are taken who has most gives one up."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final, cast

from aiohttp import web

from bot.console.door import Guest
from bot.core.errors import NotFound, Rejected

HERE_SECONDS: Final = 10.0  # so often a quiet stream shows that it is there, and is asked whether it still may be
MOST_STREAMS: Final = 64  # beyond them the server that has most of them gives one up
MOST_EACH: Final = 12  # a page that is left is noticed within seconds
LARGEST: Final = 2**53  # of a number on a page
HERE: Final = b": here\n\n"
TOO_MANY: Final = "Too many look just now: close a page of the console."
GONE: Final = (ConnectionResetError, web.HTTPException, Rejected, NotFound)  # the page, its session, right or tree


class Streams:
    """Whose streams are open, the oldest first."""

    def __init__(self) -> None:
        self._open: dict[asyncio.Task[object], Guest] = {}

    async def told(
        self, request: web.Request, guest: Guest, tell: Callable[[web.StreamResponse], Awaitable[None]]
    ) -> web.StreamResponse:
        """Open a stream and have it told, until that ends; raises HTTPServiceUnavailable where there is no place."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
        self._make_place(guest)
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._open[task] = guest
        try:
            await response.prepare(request)
            with suppress(*GONE):
                await tell(response)
        finally:
            self._open.pop(task, None)
        return response

    def _make_place(self, guest: Guest) -> None:
        """Close a stream of the server that has most, where all are taken; raises where that is who asks."""
        if sum(one == guest for one in self._open.values()) >= MOST_EACH:
            raise web.HTTPServiceUnavailable(text=TOO_MANY)
        if len(self._open) < MOST_STREAMS:
            return
        servers = Counter(one.guild_id for one in self._open.values())
        ((most, count),) = servers.most_common(1)
        if servers[guest.guild_id] + 1 >= count:
            raise web.HTTPServiceUnavailable(text=TOO_MANY)
        oldest = next(task for task, one in self._open.items() if one.guild_id == most)
        del self._open[oldest]
        oldest.cancel()


def heard_until(request: web.Request) -> int | None:
    """Give the number of the last event that a page has heard; None where it says none."""
    text = request.query.get("after", "") or request.headers.get("Last-Event-ID", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 16 else None
    return number if number is not None and number < LARGEST else None


def is_there(request: web.Request) -> bool:
    """Tell whether the page is still there; writing says so late."""
    return request.transport is not None and not request.transport.is_closing()


def worded(seq: int, kind: str, data: Mapping[str, object]) -> bytes:
    """Give an event as it goes over the line."""
    return f"id: {seq}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()
