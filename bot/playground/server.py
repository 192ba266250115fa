"""The playground's server: REST, gateway, CDN and page on one port of this machine."""

import asyncio
import contextlib
import socket
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Self

from aiohttp import web

from bot.playground import cdn, people, permissions
from bot.playground.call import Reply
from bot.playground.door import doorkeeper, is_loopback
from bot.playground.errors import ApiError
from bot.playground.faults import GATEWAY
from bot.playground.gateway import connection
from bot.playground.journal import Journal
from bot.playground.ratelimits import Pace
from bot.playground.rest import (
    channels,
    commands,
    guilds,
    interactions,
    members,
    messages,
    page,
    reactions,
    roles,
    threads,
    undone,
    users,
    webhooks,
)
from bot.playground.rest import playground as setup
from bot.playground.rest.endpoint import Endpoint, respond, suffer
from bot.playground.rest.exchange import Exchange, Observer
from bot.playground.rest.reading import LARGEST_JSON
from bot.playground.rest.routes import Route
from bot.playground.rows import Json
from bot.playground.shapes.user import show_user
from bot.playground.world import World
from bot.playground.writing import posting

Neighbour = Callable[[web.Application], None]

CLOSING_SECONDS = 0.5


class PlaygroundError(Exception):
    """The playground can't run; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundOptions:
    """Where the playground listens, where its state is kept and how strict its rate limits are.

    `port` 0 takes a free one; `state_path` None keeps everything in memory; `pace` "discord" has Discord's
    limits, "fast" the same within much shorter windows, "off" none; `face_url` is where the bot itself can be
    asked for what no Discord knows.
    """

    host: str = "127.0.0.1"
    port: int = 8808
    state_path: Path | None = None
    pace: Pace = "discord"
    face_url: str | None = None


class Playground:
    """A Discord of one's own, from `async with` to its end; `neighbours` hang what else answers on its port."""

    def __init__(
        self,
        options: PlaygroundOptions | None = None,
        *,
        observers: Iterable[Observer] = (),
        neighbours: Iterable[Neighbour] = (),
    ) -> None:
        self.options = options or PlaygroundOptions()
        self.port = self.options.port
        self._observers = tuple(observers)
        self._neighbours = tuple(neighbours)
        self._runner: web.AppRunner | None = None
        self._world: World | None = None
        self._seed: Json = {}

    # Where it is

    @property
    def _netloc(self) -> str:
        host = self.options.host
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """Give the address of the page."""
        return f"http://{self._netloc}"

    @property
    def api_url(self) -> str:
        """Give what stands for `https://discord.com/api/v10`."""
        return f"{self.url}/api/v10"

    @property
    def gateway_url(self) -> str:
        """Give what stands for `wss://gateway.discord.gg`."""
        return f"ws://{self._netloc}/gateway"

    @property
    def cdn_url(self) -> str:
        """Give what stands for `https://cdn.discordapp.com`."""
        return f"{self.url}/cdn"

    @property
    def world(self) -> World:
        """Give the state; only while the playground runs."""
        if self._world is None:
            raise PlaygroundError("The playground is not running: enter it with `async with` first.")
        return self._world

    @property
    def bot_token(self) -> str:
        """Give the token of the bot that is there from the start."""
        return str(self.world.users.rows[self._seed["bot_id"]]["token"])

    def _is_person(self, token: str) -> bool:
        user = self.world.user_with(token)
        return user is not None and not user.get("bot")

    def member_with(self, token: str, guild_id: int) -> int | None:
        """Give the id of the person with this token, if they are in that server; bots are nobody."""
        user = self.world.user_with(token)
        is_there = user is not None and not user.get("bot") and self.world.member(guild_id, user["id"]) is not None
        return int(user["id"]) if user is not None and is_there else None

    # Running

    async def __aenter__(self) -> Self:
        listener = self._listen()
        try:
            self._world = self._open()
            self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=CLOSING_SECONDS)
            await self._runner.setup()
            await web.SockSite(self._runner, listener).start()
        except BaseException:
            listener.close()
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._world is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(connection.close_all(self._world), CLOSING_SECONDS)
        if self._runner is not None:
            await self._runner.cleanup()
        if self._world is not None:
            await self._world.hub.close()
            self._world.journal.close()
            self._world = None

    def _listen(self) -> socket.socket:
        host, port = self.options.host, self.options.port
        if not is_loopback(host):
            raise PlaygroundError(f"The playground only listens on this machine: use 127.0.0.1, not {host}.")
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError:
            listener.close()
            raise PlaygroundError(
                f"Port {port} is in use: stop the program that has it, or choose another port."
            ) from None
        self.port = listener.getsockname()[1]
        return listener

    def _open(self) -> World:
        path = self.options.state_path
        try:
            journal = Journal(path)
        except (OSError, sqlite3.Error) as error:
            if "locked" in str(error):
                raise PlaygroundError(
                    f"Another playground uses the state in {path}: stop that one, or choose another data folder."
                ) from None
            raise PlaygroundError(
                f"The playground's state in {path} can't be opened: make it writable, or move it away."
            ) from None
        world = World(journal, cdn_url=self.cdn_url, gateway_url=self.gateway_url, pace=self.options.pace)
        self._seed = seed(world)
        return world

    # The parts of the app

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[doorkeeper(self._is_person)], client_max_size=LARGEST_JSON)
        self._api = Endpoint(self.world, prefix="/api/v10", observers=self._observers)
        self._api.add_to(app.router, api_routes())
        app.router.add_get("/gateway", self._gateway)
        app.router.add_get("/gateway/", self._gateway)
        app.router.add_get("/cdn/{tail:.*}", self._cdn)
        app.router.add_route("*", "/api/{tail:.*}", _other_version)
        app.router.add_get("/playground", self._about)
        app.router.add_get("/playground/stats", self._stats)
        for add_to in self._neighbours:
            add_to(app)
        Endpoint(self.world, prefix="/playground").add_to(app.router, [*setup.routes, *page.routes])
        cdn.add_to(app, asks=self.options.face_url or "")
        return app

    async def _gateway(self, request: web.Request) -> web.StreamResponse:
        try:
            await suffer(self.world.faults.for_request(GATEWAY, None), request)
        except ApiError as error:
            return respond(Reply(error.status, error.body(), error.headers))
        return await connection.serve(request, self.world, self.gateway_url)

    async def _cdn(self, request: web.Request) -> web.StreamResponse:
        return await cdn.serve(request, self.world)

    async def _about(self, _: web.Request) -> web.Response:
        person = self.world.users.rows[self._seed["user_id"]]
        return respond(
            Reply(
                200,
                {
                    "version": _version(),
                    "guild_id": self._seed["guild_id"],
                    "channel_id": self._seed["channel_id"],
                    "application_id": self._seed["bot_id"],
                    "bot_token": self.bot_token,
                    "api_url": self.api_url,
                    "gateway_url": self.gateway_url,
                    "cdn_url": self.cdn_url,
                    "face_url": self.options.face_url,
                    "person": {"user": show_user(person), "token": person["token"]},
                },
            )
        )

    async def _stats(self, _: web.Request) -> web.Response:
        sessions = [session for session in self.world.hub.sessions() if session.connection is not None]
        return respond(Reply(200, self._api.tally.shown() | {"connections": len(sessions)}))


async def _other_version(_: web.Request) -> web.Response:
    error = ApiError(400, 50041, "Invalid API version: this is version 10.")
    return respond(Reply(error.status, error.body()))


def _version() -> str:
    try:
        return version("selfroom")
    except PackageNotFoundError:
        return "0"


__all__ = ["Exchange", "Observer", "Pace", "Playground", "PlaygroundError", "PlaygroundOptions"]


MODULES = (
    *(users, guilds, channels, roles, members, messages, reactions, webhooks, threads, commands, interactions),
    undone,
)


def api_routes() -> list[Route]:
    """Gather the routes of every module."""
    return [route for module in MODULES for route in module.routes]


FIRST = "Robin"  # until the person gives themselves a name
WELCOME = """**Welcome to the playground**, a small Discord of your own on this machine: no account, no key, no network.
Open an agent's channel and say hello, react to its answer with 👍 or 👎, or type `/agent create` to make another.
The minds you meet here are a **scripted, rule-based model** until you give it a real one."""


def seed(world: World) -> Json:
    """Give ids of the first server, person and bot; they are made when the state is new."""
    found = world.meta.get("seed")
    if found is not None:
        return found
    person = people.make_person(world, FIRST)
    guild = people.make_guild(world, "The Playground", owner_id=person["id"], channel="welcome")
    bot = people.make_bot(world, "Selfroom", owner_id=person["id"])
    people.invite_bot(world, guild["id"], bot, rights=permissions.BOT)
    channel = next(iter(world.channels.within(guild["id"]).values()))
    host = world.add_user(
        {"id": world.ids.next(), "username": "Playground", "global_name": None, "bot": True, "system": True}
    )
    posting.say(world, channel, host["id"], WELCOME)
    ids = {"guild_id": guild["id"], "channel_id": channel["id"], "user_id": person["id"], "bot_id": bot["id"]}
    world.meta.put("seed", ids)
    world.journal.commit()
    return ids
