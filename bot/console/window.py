"""The window's server: on loopback, for managers who came through the door, each request judged anew."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from http import HTTPStatus
from importlib import metadata
from pathlib import Path
from typing import Final

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from bot.console import shapes
from bot.console.doing import Doings
from bot.console.door import Door, Guest, Pace, Passes
from bot.console.feed import Feed
from bot.console.glances import SHARED_SECONDS, Glances
from bot.console.growing import Growing, TreeLive
from bot.console.guard import guard, lay_policy, origins_of
from bot.console.live import Live
from bot.console.openapi import described
from bot.console.reading import Readings
from bot.console.routes import Given, Route, Scope
from bot.console.runs import RunPages
from bot.console.standing import Asker, Standing
from bot.console.streams import Streams
from bot.console.trees import NODE, TREE, TreePages
from bot.console.turns import Turns, given
from bot.console.words import words
from bot.core.errors import BadSetting, NotFound, Rejected, SelfroomError
from bot.core.happenings import Happened, Happening
from bot.core.permissions import ONLY_MANAGERS
from bot.core.ports import Clock
from bot.core.records import Person, Snowflake
from bot.core.runs.spec import RunSpec
from bot.core.sentences import Sentence
from bot.engine.front_desk import FrontDesk
from bot.languages import locale_of, spoken

PAGE: Final = Path(__file__).parent / "page"
COOKIE: Final = "selfroom_console"
SAFE_COOKIE: Final = "__Host-selfroom_console"  # a browser takes it over TLS alone, and for this very host
PROOF: Final = "X-Console-Proof"
LARGEST_BODY: Final = 4_096
ASKED_MOST, ASKED_SECONDS = 120, 10.0  # of one session: a page asks a few times a second at the most
TRIED_MOST, TRIED_SECONDS = 20, 60.0  # of everybody without a session together; what opens is never held up by it
NO_SESSION = "Your session has ended, or never began: use /console open for a new link."
USED_UP = "This link opens nothing: it has been used, or is older than 5 minutes. Use /console open for a new one."
NO_SCOPE = "This token may not do that: make one with `selfroom token create` and --scope {}."
TOO_OFTEN = "That was asked too often: wait a moment."
STATUSES: Final[Mapping[type[SelfroomError], HTTPStatus]] = {
    NotFound: HTTPStatus.NOT_FOUND,
    BadSetting: HTTPStatus.BAD_REQUEST,
    Rejected: HTTPStatus.FORBIDDEN,
}
UNAVAILABLE: Final = HTTPStatus.SERVICE_UNAVAILABLE  # of all other refusals
log = structlog.get_logger(__name__)


def routes_of(desk: FrontDesk, feed: Feed, glances: Glances, presets: Mapping[str, RunSpec]) -> list[Route]:
    """Give all that can be asked, read and changed."""
    readings, trees = Readings(desk, feed, glances), TreePages(desk)
    pages = (readings, Doings(desk, readings), RunPages(desk, presets), trees, Growing(desk, trees))
    return [route for one in pages for route in one.routes()]


class Console:
    """The console; an async context manager. `port` 0 takes a free one; `url`: the proxy's origin before it."""

    def __init__(
        self,
        desk: FrontDesk,
        standing: Standing,
        clock: Clock,
        *,
        port: int,
        shared: Path,
        feed: Feed,
        url: str | None = None,
        hours: float = 12,
        presets: Mapping[str, RunSpec] | None = None,
        passes: Passes | None = None,
        glance_seconds: float = SHARED_SECONDS,
    ) -> None:
        self._standing = standing
        self.port = port
        self._url = url
        self._hours = hours
        self._clock = clock
        self._passes = passes
        self._door = Door(clock, hours=hours)
        self._asked = Pace(clock, most=ASKED_MOST, seconds=ASKED_SECONDS)
        self._tried = Pace(clock, most=TRIED_MOST, seconds=TRIED_SECONDS)
        self._turns = Turns()
        self._origins: list[str] = []
        streams = Streams()
        self._live = Live(desk, feed, streams, self._asker, self._still)
        self._trees = TreeLive(desk, TreePages(desk), streams, self._asker, self._still)
        desk.runs.on_news = lambda whose: feed.tell([Happening(kind=Happened.CHANGED, community_id=whose, what="runs")])
        self._runner = web.AppRunner(
            self._app(routes_of(desk, feed, Glances(desk, glance_seconds), presets or {}), shared),
            access_log=None,
            shutdown_timeout=1,
        )

    async def __aenter__(self) -> "Console":
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        except OSError as error:
            await self._runner.cleanup()
            raise BadSetting(
                f"Port {self.port} cannot be opened ({error.strerror}): set SELFROOM_CONSOLE_PORT to another one."
            ) from error
        self.port = self._runner.addresses[0][1]
        self._origins += origins_of(self.port, self._url)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        """Give the address of the page."""
        return self._origins[0]

    def link(self, guild_id: Snowflake, person: Person) -> str:
        """Give the address that lets a manager in, once; raises Rejected for everybody else."""
        if not person.is_architect:
            raise Rejected(ONLY_MANAGERS)
        # behind the #, so that no server, proxy or preview of links ever sees what opens
        return f"{self.url}/#enter={self._door.link(Guest(guild_id, person.id))}"

    def revoke(self, guild_id: Snowflake, person: Person) -> int:
        """End all sessions of a person in a server; gives how many there were."""
        return self._door.revoke(Guest(guild_id, person.id))

    def _app(self, routes: Sequence[Route], shared: Path) -> web.Application:
        app = web.Application(middlewares=[problems, guard(self._origins)], client_max_size=LARGEST_BODY)
        app.on_response_prepare.append(lay_policy)
        app.router.add_get("/", _index)
        app.router.add_get("/words", words(PAGE, shared))
        app.router.add_post("/api/v1/session", self._enter)
        app.router.add_delete("/api/v1/session", self._leave)
        app.router.add_get("/api/v1/events", self._live.stream)
        for path in (TREE, NODE):
            stream = _streamed(path, "")
            app.router.add_get(f"/api/v1{stream.served_at}", self._trees.stream)
        app.router.add_get("/api/v1/openapi.json", _description([*own_routes(), *routes]))
        for route in routes:
            app.router.add_route(route.method, f"/api/v1{route.served_at}", self._shown(route))
        for folder in ("js", "css"):
            app.router.add_static(f"/{folder}", PAGE / folder)
            app.router.add_static(f"/shared/{folder}", shared / folder)
        for name in ("style.css", "favicon.svg"):
            app.router.add_get(f"/shared/{name}", _file(shared / name))
        return app

    @property
    def _cookie(self) -> str:
        return SAFE_COOKIE if self.url.startswith("https:") else COOKIE

    async def _enter(self, request: web.Request) -> web.Response:
        """Begin a session with what a link holds."""
        opened = self._door.open(await _token(request))
        if opened is None:
            if not self._tried.allows(None):
                raise web.HTTPTooManyRequests(text=TOO_OFTEN)
            raise web.HTTPUnauthorized(text=USED_UP)
        response = web.json_response({"proof": opened.proof})
        response.set_cookie(
            self._cookie,
            opened.cookie,
            max_age=int(self._hours * 3_600),
            httponly=True,
            samesite="Strict",
            secure=self._cookie == SAFE_COOKIE,
            path="/",
        )
        return response

    async def _leave(self, request: web.Request) -> web.Response:
        self._whose(request)
        self._door.leave(request.cookies.get(self._cookie, ""))
        response = web.Response(status=204)
        response.del_cookie(self._cookie, path="/", secure=self._cookie == SAFE_COOKIE, samesite="Strict")
        return response

    def _shown(self, route: Route) -> Handler:
        async def show(request: web.Request) -> web.StreamResponse:
            asker = await self._asker(request, route.scope)
            async with self._turns.of(asker.guild_id, alone=route.is_large):
                told = await route.told(asker, request)
                answer = (
                    told if isinstance(told, web.StreamResponse) else web.json_response(_spoken(told, _locale(request)))
                )
                return await given(request, answer)

        return show

    async def _asker(self, request: web.Request, scope: Scope = Scope.READ) -> Asker:
        """Give who asks, with the rights that they have now, unless they ask too often."""
        guest = self._whose(request, scope)
        if not self._asked.allows(guest):
            raise web.HTTPTooManyRequests(text=TOO_OFTEN)
        return await self._standing_of(guest, anew=True)

    async def _still(self, request: web.Request) -> Asker:
        """Give who asked, and goes on and on: with the rights that they had a few seconds ago."""
        return await self._standing_of(self._whose(request), anew=False)

    async def _standing_of(self, guest: Guest, *, anew: bool) -> Asker:
        manager = await self._standing.manager(guest.guild_id, guest.user_id, anew=anew)
        if manager is None:
            raise Rejected(ONLY_MANAGERS)
        return Asker(
            guild_id=guest.guild_id,
            person=manager.person,
            sees=manager.sees,
            may_read=self._standing.reader(guest.guild_id, guest.user_id),
            server=self._standing.name(guest.guild_id),
        )

    def _whose(self, request: web.Request, scope: Scope = Scope.READ) -> Guest:
        """Give whose session it is, or for whom a program's token asks that has this scope."""
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind:
            is_ours = kind.casefold() == "bearer" and self._passes is not None
            holder = self._passes.holder(token.strip(), self._clock.now()) if is_ours and self._passes else None
            if holder is not None and scope not in holder.scopes:
                raise Rejected(NO_SCOPE.format(scope))
            guest = None if holder is None else holder.guest
        else:
            guest = self._door.who(request.cookies.get(self._cookie, ""), request.headers.get(PROOF, ""))
        if guest is None:
            if not self._tried.allows(None):
                raise web.HTTPTooManyRequests(text=TOO_OFTEN)
            raise web.HTTPUnauthorized(text=NO_SESSION)
        return guest


@web.middleware
async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Word every refusal as problem+json (RFC 9457)."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < HTTPStatus.BAD_REQUEST:
            raise
        answer = _problem(error.status, error.text or error.reason)
        answer.headers.update({name: value for name, value in error.headers.items() if name == "Allow"})
        return answer
    except SelfroomError as error:
        status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), UNAVAILABLE)
        return _problem(status, spoken(error.sentence, _locale(request)))
    except Exception:
        log.exception("the console could not answer", path=request.path)
        return _problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong inside Selfroom: its log tells what.")


def _spoken(told: object, locale: str) -> object:
    """Say all sentences of an answer in the language of a locale."""
    match told:
        case _ if not locale:
            return told
        case Sentence():
            return spoken(told, locale)
        case dict():
            return {name: _spoken(one, locale) for name, one in told.items()}
        case list() | tuple():
            return [_spoken(one, locale) for one in told]
        case _:
            return told


def _locale(request: web.Request) -> str:
    return locale_of(request.headers.get("Accept-Language", ""))


def _problem(status: int, sentence: str) -> web.Response:
    told = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": int(status), "detail": sentence}
    return web.json_response(told, status=int(status), content_type="application/problem+json")


async def _token(request: web.Request) -> str:
    """Read what somebody wants to enter with; whatever it is, it is text."""
    try:
        said = json.loads(await request.text())
    except (ValueError, RecursionError, LookupError):  # no JSON, too deep, or of an encoding that there is not
        return ""
    token = said.get("token") if isinstance(said, dict) else None
    return token if isinstance(token, str) else ""


class Entered(Given):
    """What a link holds behind its #."""

    token: str


def own_routes() -> list[Route]:
    """Give what is asked of the window itself, for the description."""
    stream = {
        "after": "the number of the last event that was heard",
        "kinds": "only these kinds, with commas",
    }
    session, begins = "/session", "Begin a session with what a link holds."
    return [
        Route(path=session, method="POST", told=_elsewhere, about=begins, body=Entered, gives=shapes.Proof),
        Route(path=session, method="DELETE", told=_elsewhere, about="End the session.", status=204),
        Route(path="/events", told=_elsewhere, about="What happens.", query=stream, content="text/event-stream"),
        _streamed(TREE, "Nodes of a tree that are made, begin, end and go."),
        _streamed(NODE, "What happens in a node."),
    ]


def _streamed(path: str, about: str) -> Route:
    after = {"after": "the number of the last event that was heard"}
    return Route(path=f"{path}/events", told=_elsewhere, about=about, query=after, content="text/event-stream")


async def _elsewhere(_: Asker, request: web.Request) -> object:
    raise LookupError(request.path)


def _description(routes: Sequence[Route]) -> Handler:
    """Describe what is served once somebody asks: it takes a moment, and most starts have no use for it."""
    told = cache(lambda: described(routes, metadata.version("selfroom"), COOKIE, PROOF))

    async def give(_: web.Request) -> web.Response:
        return web.json_response(told())

    return give


async def _index(_: web.Request) -> web.FileResponse:
    return web.FileResponse(PAGE / "index.html")


def _file(path: Path) -> Handler:
    async def give(_: web.Request) -> web.FileResponse:
        return web.FileResponse(path)

    return give
