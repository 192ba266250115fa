"""What happens, as it happens: server-sent events by number, for who may see each at that moment."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Set
from functools import lru_cache
from typing import Final

from aiohttp import web

from bot.console.door import Guest
from bot.console.feed import KEPT, Feed, Told
from bot.console.standing import Asker
from bot.console.streams import HERE, HERE_SECONDS, Streams, heard_until, is_there, worded
from bot.core.happenings import Happened
from bot.core.records import PUBLIC_SIDE, AgentId, CommunityId, Snowflake
from bot.engine.front_desk import FrontDesk

MASK_SECONDS: Final = 1.0  # as long all who look share what is known of who sits in a closed scene
TOGETHER_SECONDS: Final = 0.2  # what happens within is told at once: so a busy house costs little for each who looks
Asking = Callable[[web.Request], Awaitable[Asker]]


class Live:
    """The stream of everything that happens; `asker` judges who asks, `still` whether they may go on."""

    def __init__(self, desk: FrontDesk, feed: Feed, streams: Streams, asker: Asking, still: Asking) -> None:
        self._desk = desk
        self._streams = streams
        self._feed = feed
        self._asker = asker
        self._still = still
        self._asking: defaultdict[Snowflake, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._masks: dict[Snowflake, tuple[float, Mapping[AgentId, Snowflake | None], frozenset[AgentId]]] = {}

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Tell what happened `after` a number, and from then on what happens, of the `kinds` that are asked for."""
        asker = await self._asker(request)
        guest = Guest(asker.guild_id, asker.person.id)
        community, _ = await self._desk.community.settings(asker.guild_id)
        heard = heard_until(request)
        after = self._feed.seq if heard is None else heard
        kinds = frozenset(request.query.get("kinds", "").split(",")) & set(Happened) or frozenset(Happened)
        return await self._streams.told(
            request, guest, lambda response: self._tell(request, response, community.id, after, kinds)
        )

    async def _tell(
        self,
        request: web.Request,
        response: web.StreamResponse,
        community_id: CommunityId,
        after: int,
        kinds: frozenset[str],
    ) -> None:
        while is_there(request):
            asker = await self._still(request)
            found = self._feed.after(community_id, after)
            if found is None:
                after = self._feed.seq
                await response.write(worded(after, "gap", {"seq": after, "kind": "gap"}))
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
                await response.write(HERE)

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
    return worded(told.seq, told.happening.kind, row(told))
