"""The bot's own small HTTP face on loopback: health, metrics, and in a playground what its drawer shows to whom."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.adapters.metrics import Heart, PrometheusMetrics, hearts_page, queues_page
from bot.adapters.tree_streams import TreeStreams, TreeVisitors
from bot.core.errors import BadSetting, StoreError
from bot.core.next_beat import NextBeat, Waiting
from bot.core.page_rows import agent_row, beat_row
from bot.core.ports import Clock, Models, Reading, Store
from bot.core.ports.communities import Communities
from bot.core.ports.talk import Queue
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Beat, Community, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Told
from bot.core.sight import Sight, insiders
from bot.core.view import Glance, Tally

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
FOR_ALL = ("/healthz", "/readyz", "/metrics")  # all there is outside the playground
STRANGER = "Only people of the playground may see this: send the page's own token as Authorization."
NOT_SHOWN = NextBeat(waiting=Waiting.NEWS, words="something in a room that you do not see")
ID_DIGITS = 19  # of Discord's ids since 2022
LARGEST = 2**63


class Visitors(TreeVisitors, Protocol):
    """Who may look: the people of a playground, by the token that their page has."""

    def may_enter(self, token: str, guild_id: Snowflake) -> bool:
        """Tell whether the token is that of a person in the server."""

    async def why_not_inside(self, token: str, guild_id: Snowflake, agent_id: AgentId) -> str:
        """Tell whether the person may see what agents see and think, as `/hud show` asks it."""

    async def sight(self, token: str, guild_id: Snowflake) -> Sight:
        """Give what the person may see of the community."""

    async def scene(self, token: str, guild_id: Snowflake, thread_id: Snowflake) -> Told | None:
        """Give the scene of a thread as who only watches it sees it, to who may read it."""


FaceOf = Callable[[Snowflake, Agent, Snowflake | None], Awaitable[str | None]]  # the address of an agent's picture
Foresee = Callable[[Reading, Community], Awaitable[tuple[Glance, Mapping[AgentId, NextBeat]]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """What there is beside health and metrics, in a playground only: for whom, on which pages, and whose models."""

    visitors: Visitors
    models: Models
    origins: frozenset[str]
    face_of: FaceOf


def open_to(face: "Face") -> Middleware:
    """Let this machine's programs and the playground's page read the answers, and no other page."""

    @web.middleware
    async def allow(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        origins = face.inside.origins if face.inside else frozenset()
        site = request.headers.get("Sec-Fetch-Site", "none")  # a page's picture or script comes without an origin
        is_ours = site == "none" if origin is None else origin in origins
        if request.url.host not in LOCAL_HOSTS or not is_ours:
            raise web.HTTPForbidden(text="Only the playground's page may read this.")
        if request.path not in FOR_ALL and face.inside is None:
            raise web.HTTPNotFound(text="Outside the playground there are /healthz, /readyz and /metrics only.")
        response = web.Response(status=204) if request.method == "OPTIONS" else await handler(request)
        if origin is not None:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Allow-Headers"] = "Authorization"
            response.headers["Vary"] = "Origin"
        return response

    return allow


class Face:
    """The HTTP face; an async context manager. `port` 0 takes a free one; `url` tells where it is.

    `inside` is set in a playground: without it nobody is told more than health and metrics. `foresee` and
    `is_connected` are set once the house stands: they tell what everyone is at and waits for, and whether Discord is
    there.
    """

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
        self.is_connected: Callable[[], bool] = lambda: True
        self.inside: Inside | None = None
        self.foresee: Foresee | None = None
        app = web.Application(middlewares=[open_to(self)])
        app.router.add_get("/healthz", self._alive)
        app.router.add_get("/readyz", self._ready)
        app.router.add_get("/metrics", self._page)
        app.router.add_get("/agents", self._agents)
        app.router.add_get("/agents/{id:[0-9]{1,15}}/beat", self._beat)
        app.router.add_get("/rooms/{id:[0-9]{1,15}}/tally", self._tally)
        app.router.add_get("/scenes/{thread:[0-9]+}", self._scene)
        app.router.add_options("/{path:.*}", self._alive)  # what a page asks first: `open_to` answers it
        TreeStreams(self._of_visitor, lambda: self._doors.visitors).add_to(app.router)
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

    async def _alive(self, _: web.Request) -> web.Response:
        """Answer while the loop turns: whoever gets no answer starts the process again."""
        return web.json_response({"alive": True})

    async def _ready(self, _: web.Request) -> web.Response:
        """Tell whether agents can be spoken to now; what lacks is named."""
        lacks = [] if self.is_ready else ["start"]
        if self.is_ready and not self.is_connected():
            lacks.append("discord")
        try:
            async with self._store.reading() as read:
                await read.notes.find(None, "any")
        except StoreError:
            lacks.append("database")
        return web.json_response({"ready": not lacks, "lacks": lacks}, status=503 if lacks else 200)

    async def _page(self, _: web.Request) -> web.Response:
        hearts: list[Heart] = []
        queues: Sequence[Queue] = ()
        with suppress(StoreError):  # without its database the house still tells what it counted
            async with self._store.reading() as read:
                queues = await read.letters.queues()
                for community in await read.communities.all():
                    hearts += await self._hearts(read, community)
        page = await asyncio.to_thread(self._written, hearts, queues)  # a thousand agents take a tenth of a second
        return web.Response(body=page, content_type="text/plain", charset="utf-8")

    def _written(self, hearts: Sequence[Heart], queues: Sequence[Queue]) -> bytes:
        return self._metrics.page() + queues_page(queues, self._clock.now()) + hearts_page(hearts)

    async def _hearts(self, read: Reading, community: Community) -> list[Heart]:
        """Give how hearts beat; of agents in private rooms only that they are there, for anybody may ask."""
        if self.foresee is None:
            return []
        view, looks = await self.foresee(read, community)
        private = [room.id for room in view.all_rooms.values() if room.side != PUBLIC_SIDE]
        inside = await insiders(read.scenes, community.id, view, private)
        sight = Sight(hidden_rooms=frozenset(private), hidden_agents=inside)
        return [
            Heart(
                community=community.id,
                agent=agent,
                next_beat=NOT_SHOWN if agent.id in sight.hidden_agents else looks[agent.id],
                named=agent.id not in sight.hidden_agents,
            )
            for agent in sight.of(view).agents.values()
            if agent.retired_at is None
        ]

    async def _agents(self, request: web.Request) -> web.Response:
        async with self._store.reading() as read:
            community = await self._community(read.communities, request)
            if community is None or self.foresee is None:
                return web.json_response([])
            view, looks = await self.foresee(read, community)
        sight = await self._doors.visitors.sight(_token(request), community.guild_id)
        shown, hidden = sight.of(view), sight.hidden_agents
        rooms = shown.all_rooms
        faces = await asyncio.gather(
            *(
                self._doors.face_of(community.guild_id, one, room.channel_id if (room := rooms.get(one.id)) else None)
                for one in shown.agents.values()
            )
        )
        rows = [
            agent_row(shown, one, NOT_SHOWN if one.id in hidden else looks[one.id])
            | {"face": face, "hidden": one.id in hidden}
            for one, face in zip(shown.agents.values(), faces, strict=True)
        ]
        return web.json_response(rows)

    async def _beat(self, request: web.Request) -> web.Response:
        async with self._store.reading() as read:
            community = await self._community(read.communities, request)
        if community is None:
            raise web.HTTPNotFound
        agent_id = AgentId(int(request.match_info["id"]))
        if why := await self._doors.visitors.why_not_inside(_token(request), community.guild_id, agent_id):
            return web.json_response({"message": why}, status=403)
        async with self._store.reading() as read:
            beat = await _shown_beat(read, community, agent_id)
            model = await self._doors.models.of(read.providers, community)
        if beat is None:
            return web.json_response({"message": "This agent has not beaten yet."}, status=404)
        return web.json_response(beat_row(beat, model))

    async def _tally(self, request: web.Request) -> web.Response:
        since = datetime.fromtimestamp((_number(request.query.get("since", ""), digits=14) or 0) / 1000, UTC)
        room_id = AgentId(int(request.match_info["id"]))
        async with self._store.reading() as read:
            community = await self._community(read.communities, request)
        sight = await self._doors.visitors.sight(_token(request), community.guild_id) if community else Sight()
        async with self._store.reading() as read:
            view = await read.views.glance(community.id, room_ids=[room_id], messages=0) if community else None
            if view is None or room_id not in view.rooms or room_id in sight.hidden_rooms:
                return web.json_response({"message": f"There is no room {room_id}."}, status=404)
            members = [view.agents[one] for one in view.rooms[room_id].members if one not in sight.hidden_agents]
            tally = await read.beats.tally(view.community.id, [agent.id for agent in members], since)
            model = await self._doors.models.of(read.providers, view.community)
        is_typing = bool(view.unposted.get(room_id))  # what was said is posted once the time to type it has passed
        busy = is_typing or any(agent.beat_id or agent.next_beat_at for agent in members)
        return web.json_response(tally_row(tally) | {"busy": busy, "coin": model.source.coin})

    async def _scene(self, request: web.Request) -> web.Response:
        thread_id = _number(request.match_info["thread"], digits=ID_DIGITS)
        async with self._store.reading() as read:
            community = await self._community(read.communities, request)
        told = None
        if community is not None and thread_id is not None:
            told = await self._doors.visitors.scene(_token(request), community.guild_id, Snowflake(thread_id))
        return web.json_response(scene_row(told) if told is not None else None)

    async def _of_visitor(self, request: web.Request) -> Community | None:
        async with self._store.reading() as read:
            return await self._community(read.communities, request)

    @property
    def _doors(self) -> Inside:
        if self.inside is None:
            raise web.HTTPNotFound
        return self.inside

    async def _community(self, communities: Communities, request: web.Request) -> Community | None:
        """Find the community that `guild_id` names, else the first; who asks has to be of its server."""
        guild_id = _number(request.query.get("guild_id", ""), digits=ID_DIGITS)
        if guild_id is not None:
            found = await communities.of_guild(Snowflake(guild_id))
        else:
            found = next(iter(await communities.all()), None)
        if found is not None and not self._doors.visitors.may_enter(_token(request), found.guild_id):
            body = json.dumps({"message": STRANGER})
            raise web.HTTPUnauthorized(text=body, content_type="application/json")
        return found


def _number(text: str, *, digits: int) -> int | None:
    """Read a number that anybody may have written, if a database can hold it."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
    return number if number is not None and number < LARGEST else None


def _token(request: web.Request) -> str:
    return request.headers.get("Authorization", "")


async def _shown_beat(read: Reading, community: Community, agent_id: AgentId) -> Beat | None:
    """Give an agent's newest beat, those in private threads left out: the page does not know who looks."""
    view = await read.views.action_view(community.id, agent_ids=(), room_ids=(), doors=False)
    beats = await read.beats.newest(community.id, agent_id)
    newest = next((beat for beat in beats if not view.is_thread(beat.side)), None)
    return None if newest is None else await read.beats.find(community.id, newest.id)


def scene_row(told: Told) -> dict[str, object]:
    """Give what the page shows of a scene: what everybody sees who only watches it, and nothing that a seat sees."""
    scene, seen = told.scene, told.watching if told.scene.status.is_open else None
    return {
        "id": scene.id,
        "title": told.board.title,
        "status": scene.status,
        "phase": seen.phase if seen else "",
        "seats": [
            {
                "seat": one.seat,
                "name": told.cast.name(one.seat),
                "user_id": str(one.person_id) if one.person_id else None,
                "awaited": bool(seen and one.seat in seen.awaited and scene.status is SceneStatus.RUNNING),
                "away": one.seat in seen.away if seen else False,
                "dead": one.seat in seen.dead if seen else False,
            }
            for one in scene.seats
        ],
        "facts": [*map(list, seen.facts)] if seen else [],
        "bars": [*map(list, seen.bars)] if seen else [],
        "lines": told.cast.words(scene.outcome).splitlines() or ([] if seen else [*told.board.lines]),
        "why": scene.why,
        "until": told.board.until.isoformat() if told.board.until else None,
        "board_post_id": str(scene.board_post_id) if scene.board_post_id else None,
    }


def tally_row(tally: Tally) -> dict[str, object]:
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
