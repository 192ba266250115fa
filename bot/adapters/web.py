"""The bot's own small HTTP face on loopback: health, metrics, and what the playground's drawer shows."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.adapters.metrics import Heart, PrometheusMetrics, hearts_page
from bot.core.errors import BadSetting, StoreError
from bot.core.outlook import Outlook, outlooks
from bot.core.ports import Clock, Reading, Store
from bot.core.records import Agent, AgentId, Beat, Community, Snowflake
from bot.core.spending import day_of
from bot.core.status import state_of
from bot.core.view import Tally, View

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


def open_to(face: "Face") -> Middleware:
    """Let this machine's programs and the playground's page read the answers, and no other page."""

    @web.middleware
    async def allow(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if request.url.host not in LOCAL_HOSTS or (origin is not None and origin not in face.origins):
            raise web.HTTPForbidden(text="Only the playground's page may read this.")
        response = await handler(request)
        if origin is not None:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"
        return response

    return allow


class Face:
    """The HTTP face; an async context manager. `port` 0 takes a free one; `url` tells where it is."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        metrics: PrometheusMetrics,
        *,
        port: int = 0,
    ) -> None:
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._port = port
        self.is_ready = False
        self.origins: frozenset[str] = frozenset()  # of the pages that may read
        app = web.Application(middlewares=[open_to(self)])
        app.router.add_get("/health", self._health)
        app.router.add_get("/metrics", self._page)
        app.router.add_get("/agents", self._agents)
        app.router.add_get("/agents/{id:[0-9]+}/beat", self._beat)
        app.router.add_get("/rooms/{id:[0-9]+}/tally", self._tally)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        self.url = ""

    async def __aenter__(self) -> "Face":
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise BadSetting(
                f"Port {self._port} cannot be opened ({error.strerror}): set SELFROOM_FACE_PORT to another one."
            ) from error
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"ready": self.is_ready}, status=200 if self.is_ready else 503)

    async def _page(self, _: web.Request) -> web.Response:
        hearts: list[Heart] = []
        with suppress(StoreError):  # without its database the house still tells what it counted
            async with self._store.reading() as read:
                for community in await read.communities():
                    hearts += await self._hearts(read, community)
        page = self._metrics.page() + hearts_page(hearts)
        return web.Response(body=page, content_type="text/plain", charset="utf-8")

    async def _hearts(self, read: Reading, community: Community) -> list[Heart]:
        view, looks = await self._outlooks(read, community)
        return [
            Heart(community=community.id, agent=agent, outlook=looks[agent.id])
            for agent in view.agents.values()
            if agent.retired_at is None
        ]

    async def _outlooks(self, read: Reading, community: Community) -> tuple[View, Mapping[AgentId, Outlook]]:
        now = self._clock.now()
        everyone = tuple((await read.view(community.id, messages=0)).agents)
        view = await read.glance(community.id, agent_ids=everyone, messages=0)
        return view, outlooks(view, await read.spent(community.id, day_of(now)), now)

    async def _agents(self, request: web.Request) -> web.Response:
        now = self._clock.now()
        async with self._store.reading() as read:
            community = await self._community(read, request)
            if community is None:
                return web.json_response([])
            view, looks = await self._outlooks(read, community)
            typing = {letter.room_id for letter in await read.letters(now, limit=1000)}
        rows = [agent_row(view, one, now, looks[one.id], typing=one.id in typing) for one in view.agents.values()]
        return web.json_response(rows)

    async def _beat(self, request: web.Request) -> web.Response:
        async with self._store.reading() as read:
            community = await self._community(read, request)
            agent_id = AgentId(int(request.match_info["id"]))
            beat = await read.last_beat(community.id, agent_id) if community else None
        if beat is None:
            return web.json_response({"message": "This agent has not beaten yet."}, status=404)
        return web.json_response(beat_row(beat))

    async def _tally(self, request: web.Request) -> web.Response:
        since = datetime.fromtimestamp(int(request.query.get("since", "0")) / 1000, UTC)
        now, room_id = self._clock.now(), AgentId(int(request.match_info["id"]))
        async with self._store.reading() as read:
            community = await self._community(read, request)
            view = await read.view(community.id, room_ids=[room_id], messages=1) if community else None
            if view is None or room_id not in view.rooms:
                return web.json_response({"message": f"There is no room {room_id}."}, status=404)
            members = [view.agents[one] for one in view.rooms[room_id].members]
            tally = await read.tally(view.community.id, [agent.id for agent in members], since)
            letters = {letter.room_id for letter in await read.letters(now, limit=1000)}
        busy = room_id in letters or any(agent.beat_id or agent.next_beat_at for agent in members)
        return web.json_response(tally_row(tally) | {"busy": busy})

    @staticmethod
    async def _community(read: Reading, request: web.Request) -> Community | None:
        """Find the community that `guild_id` names, else the first."""
        guild_id = request.query.get("guild_id", "")
        if guild_id.isdigit():
            return await read.community_of_guild(Snowflake(int(guild_id)))
        return next(iter(await read.communities()), None)


def agent_row(view: View, agent: Agent, now: datetime, look: Outlook, *, typing: bool) -> dict[str, Any]:
    """Give what the page's agent list shows of one agent."""
    room = view.all_rooms.get(agent.id)
    return {
        "id": agent.id,
        "name": agent.name,
        "type": agent.type,
        "model": agent.model,
        "channel_id": str(room.channel_id) if room and room.channel_id else None,
        "state": state_of(agent, now, typing=typing),
        "interval_seconds": agent.interval_seconds,
        "resting_interval_seconds": agent.resting_interval_seconds,
        "last_beat_at": agent.last_beat_at.isoformat() if agent.last_beat_at else None,
        "last_reason": agent.last_reason,
        "next_beat_at": look.at.isoformat() if look.at else None,
        "waits_for": look.words,
        "waiting": look.waiting,
    }


def beat_row(beat: Beat) -> dict[str, Any]:
    """Give what the drawer shows of one beat."""
    used = beat.usage
    return {
        "beat_id": beat.id,
        "at": beat.at.isoformat(),
        "reason": beat.reason,
        "side": beat.side,
        "model": beat.model,
        "format": beat.input_format,
        "hud": beat.hud,
        "answer": beat.answer,
        "thoughts": beat.thoughts,
        "tokens": {"input": used.input_tokens, "cached": used.cached_tokens, "output": used.output_tokens},
        "cost_usd": float(used.cost_usd),
        "latency_seconds": used.latency_seconds,
        "sections": [{"name": name, "tokens": tokens} for name, tokens in beat.sections],
        "outcome": list(beat.outcome),
    }


def tally_row(tally: Tally) -> dict[str, Any]:
    """Give what a replay prints at its end."""
    return {
        "beats": {kind.value: count for kind, count in tally.beats.items()},
        "silent": tally.silent,
        "calls": tally.calls,
        "answers": tally.answers,
        "input_tokens": tally.usage.input_tokens,
        "cached_tokens": tally.usage.cached_tokens,
        "output_tokens": tally.usage.output_tokens,
        "cost_usd": float(tally.usage.cost_usd),
    }
