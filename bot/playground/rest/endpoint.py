"""The one door between HTTP and the handlers: token, limits, faults, body, answer; one transaction per request."""

import asyncio
import json
import logging
from collections.abc import Iterable
from functools import partial
from inspect import isawaitable

from aiohttp import web

from bot.playground.call import Call, Reply
from bot.playground.errors import ApiError, Unknown, unauthorized
from bot.playground.faults import Fault, limited_by
from bot.playground.rest.exchange import Exchange, Observer, Tally
from bot.playground.rest.reading import read_body
from bot.playground.rest.routes import Route
from bot.playground.rows import Json
from bot.playground.world import World

log = logging.getLogger("playground")


class Endpoint:
    """Answers the REST requests of one world below a prefix such as `/api/v10`."""

    def __init__(self, world: World, *, prefix: str, observers: Iterable[Observer] = ()) -> None:
        self.world = world
        self.tally = Tally()
        self._prefix = prefix
        self._observers = tuple(observers)

    def add_to(self, router: web.UrlDispatcher, routes: Iterable[Route]) -> None:
        """Hang these routes and an answer for everything else under the prefix, of like paths the plainer first."""
        for route in sorted(routes, key=lambda route: route.path):
            router.add_route(route.method, f"{self._prefix}{route.path}", partial(self.answer, route))
        router.add_route("*", f"{self._prefix}/{{tail:.*}}", partial(self.answer, None))

    async def answer(self, route: Route | None, request: web.Request) -> web.StreamResponse:
        """Answer one request; what it changed is on disk before the answer leaves."""
        path = request.rel_url.raw_path.removeprefix(self._prefix)
        reason = request.headers.get("X-Audit-Log-Reason")
        call = Call(world=self.world, params=request.match_info, query=dict(request.query), reason=reason)
        faults: list[Fault] = []
        try:
            call.user = self._who(request)
            if route is None or route.limited:
                faults = self.world.faults.for_request(f"{request.method} {path}", (call.user or {}).get("id"))
            await suffer(faults, request)
            reply = await self._handle(request, route, call)
        except ApiError as error:
            reply = Reply(error.status, error.body(), error.headers)
        except Exception:
            log.exception("the playground failed at %s %s", request.method, path)
            reply = Reply(500, {"message": "500: Internal Server Error", "code": 0})
        finally:
            self.world.journal.commit()
        reply = await _spoil(faults, request, reply)
        self._tell(request, path, route, call, reply)
        return respond(reply)

    def _who(self, request: web.Request) -> Json | None:
        token = request.headers.get("Authorization", "")
        user = self.world.user_with(token.removeprefix("Bot "))
        if user is not None and bool(user.get("bot")) != token.startswith("Bot "):
            return None
        return user

    async def _handle(self, request: web.Request, route: Route | None, call: Call) -> Reply:
        if route is None:
            raise Unknown(0)
        if route.door == "token" and call.user is None:
            raise unauthorized()
        call.body, call.files = await read_body(request)
        who = call.me if call.user else "anyone"
        headers = self.world.limits.take(route.name, call.params, who) if route.limited else {}
        try:
            answer = route.answer(call)
            reply = as_reply(await answer if isawaitable(answer) else answer)
        except ApiError as error:
            error.headers = headers | error.headers
            raise
        return Reply(reply.status, reply.body, headers)

    def _tell(self, request: web.Request, path: str, route: Route | None, call: Call, reply: Reply) -> None:
        exchange = Exchange(
            method=request.method,
            path=path,
            route=route,
            query=call.query,
            by_bot=not request.headers.get("Authorization") or call.is_bot,
            request=call.body if request.can_read_body else None,
            status=reply.status,
            response=reply.body,
        )
        self.tally.count(exchange)
        for observer in self._observers:
            observer(exchange)


async def suffer(faults: list[Fault], request: web.Request) -> None:
    """Let the faults happen that strike before the request takes effect."""
    for fault in faults:
        match fault.kind:
            case "latency" if not fault.after:
                await asyncio.sleep(fault.seconds)
            case "drop_before":
                _drop(request)
                raise ApiError(503, 0, "The connection was dropped on request.")
            case "rate_limit":
                raise limited_by(fault)
            case "status" if not fault.after:
                raise _failed(fault)


def _failed(fault: Fault) -> ApiError:
    return ApiError(fault.status, 0, f"{fault.status}: a fault on request")


async def _spoil(faults: list[Fault], request: web.Request, reply: Reply) -> Reply:
    """Let the faults happen that strike when it is done: the answer is late, lost or another one."""
    for fault in faults:
        if fault.kind == "latency" and fault.after:
            await asyncio.sleep(fault.seconds)
        if fault.kind == "drop_after":
            _drop(request)
        if fault.kind == "status" and fault.after:
            error = _failed(fault)
            reply = Reply(error.status, error.body())
    return reply


def _drop(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


def as_reply(answer: object) -> Reply:
    """Give a handler's answer a status."""
    if isinstance(answer, Reply):
        return answer
    return Reply(204) if answer is None else Reply(200, answer)


def respond(reply: Reply) -> web.Response:
    """Give the HTTP response; the content type has no charset, as Discord's has none."""
    if reply.body is None:
        return web.Response(status=reply.status, headers=reply.headers)
    body = json.dumps(reply.body, separators=(",", ":")).encode()
    headers = {"Content-Type": "application/json", **reply.headers}
    return web.Response(status=reply.status, body=body, headers=headers)
