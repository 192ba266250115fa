"""What happens, as it happens: server-sent events by number, for who may see each at that moment."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Set
from contextlib import suppress
from functools import lru_cache
from typing import Final, cast

from aiohttp import web

from bot.console.door import Guest
from bot.console.feed import KEPT, Feed, Told
from bot.console.standing import Asker
from bot.core.errors import Rejected
from bot.core.happenings import Happened
from bot.core.records import PUBLIC_SIDE, AgentId, CommunityId, Snowflake
from bot.engine.front_desk import FrontDesk

HERE_SECONDS: Final = 10.0  # so often a quiet stream shows that it is there, and is asked whether it still may be
MASK_SECONDS: Final = 1.0  # as long all who look share what is known of who sits in a closed scene
MOST_STREAMS: Final = 64  # beyond them the server that has most of them gives one up
MOST_EACH: Final = 12  # a page that is left is noticed within seconds
LARGEST: Final = 2**53  # of a number on a page
TOO_MANY = "Too many look just now: close a page of the console."
TOGETHER_SECONDS: Final = 0.2  # what happens within is told at once: so a busy house costs little for each who looks
Asking = Callable[[web.Request], Awaitable[Asker]]


class Live:
    """The stream of everything that happens; `asker` judges who asks, `still` whether they may go on."""

    def __init__(self, desk: FrontDesk, feed: Feed, asker: Asking, still: Asking) -> None:
        self._desk = desk
        self._feed = feed
        self._asker = asker
        self._still = still
        self._open: dict[asyncio.Task[object], Guest] = {}  # the oldest first
        self._asking: defaultdict[Snowflake, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._masks: dict[Snowflake, tuple[float, Mapping[AgentId, Snowflake | None], frozenset[AgentId]]] = {}

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Tell what happened `after` a number, and from then on what happens, of the `kinds` that are asked for."""
        asker = await self._asker(request)
        guest = Guest(asker.guild_id, asker.person.id)
        community, _ = await self._desk.community.settings(asker.guild_id)
        after = _number(request.query.get("after", "") or request.headers.get("Last-Event-ID", ""))
        kinds = frozenset(request.query.get("kinds", "").split(",")) & set(Happened) or frozenset(Happened)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._make_place(guest)
        self._open[task] = guest
        try:
            await response.prepare(request)
            with suppress(ConnectionResetError, web.HTTPException, Rejected):  # the page, its session or right is gone
                await self._tell(request, response, community.id, self._feed.seq if after is None else after, kinds)
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

    async def _tell(
        self,
        request: web.Request,
        response: web.StreamResponse,
        community_id: CommunityId,
        after: int,
        kinds: frozenset[str],
    ) -> None:
        while request.transport is not None and not request.transport.is_closing():
            asker = await self._still(request)
            found = self._feed.after(community_id, after)
            if found is None:
                after = self._feed.seq
                await response.write(_worded(after, "gap", {"seq": after, "kind": "gap"}))
                continue
            rooms, masked = await self._rooms(asker.guild_id) if found else ({}, frozenset[AgentId]())
            shown = [
                one
                for one in found
                if one.happening.kind in kinds and may_see(one, rooms.keys(), masked) and is_open(one, rooms, asker)
            ]
            if shown:
                await response.write(b"".join(map(_written, shown)))
            after = max([after, *(one.seq for one in found)])
            await asyncio.sleep(TOGETHER_SECONDS if found else 0)
            try:
                async with asyncio.timeout(HERE_SECONDS):
                    await self._feed.wait(community_id, after)
            except TimeoutError:
                await response.write(b": here\n\n")

    async def _rooms(self, guild_id: Snowflake) -> tuple[Mapping[AgentId, Snowflake | None], frozenset[AgentId]]:
        """Give the channel of each room, and of which agents nothing is told: they sit in a closed scene."""
        async with self._asking[guild_id]:  # all who look hear of it at the same moment: one of them asks
            now = asyncio.get_running_loop().time()
            until, rooms, masked = self._masks.get(guild_id, (now, {}, frozenset[AgentId]()))
            if until <= now:
                rooms = {id_: channel for id_, (_, channel) in (await self._desk.agents.names(guild_id)).items()}
                masked = await self._desk.agents.masked(guild_id)
                self._masks[guild_id] = now + MASK_SECONDS, rooms, masked
            return rooms, masked


def may_see(told: Told, agents: Set[AgentId], masked: frozenset[AgentId]) -> bool:
    """Tell whether managers are told: not of private threads, whose ids are no agents', and not of who is masked."""
    return _places(told) <= agents and told.happening.agent_id not in masked


def is_open(told: Told, rooms: Mapping[AgentId, Snowflake | None], asker: Asker) -> bool:
    """Tell whether where it happened is open to who asks, by the channel of each room."""
    return all((channel := rooms.get(one)) is None or asker.sees(channel) for one in _places(told))


def _places(told: Told) -> set[AgentId]:
    one = told.happening
    places = {one.room_id, AgentId(one.side) if one.side != PUBLIC_SIDE else None}
    return {place for place in places if place is not None}


def row(told: Told) -> dict[str, object]:
    """Give a happening as the page reads it."""
    one = told.happening
    return {
        "seq": told.seq,
        "kind": one.kind,
        "at": told.at.isoformat(),
        "agent": one.agent_id,
        "room": one.room_id,
        "beat": one.beat_id,
        "message": one.message_id,
        "what": one.what,
    }


@lru_cache(maxsize=KEPT)  # told to everybody who looks
def _written(told: Told) -> bytes:
    return _worded(told.seq, told.happening.kind, row(told))


def _worded(seq: int, kind: str, data: dict[str, object]) -> bytes:
    return f"id: {seq}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()


def _number(text: str) -> int | None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 16 else None
    return number if number is not None and number < LARGEST else None
