"""The one door between HTTP and the handlers: token, limits, faults, body, answer; one transaction per request."""

import asyncio
import json
import logging
from collections.abc import Iterable
from typing import Any

from aiohttp import web

from bot.playground.errors import ApiError, Unknown, unauthorized
from bot.playground.faults import Fault, limited_by
from bot.playground.rest.call import Call, Reply
from bot.playground.rest.exchange import Exchange, Observer, Tally
from bot.playground.rest.reading import read_body
from bot.playground.rest.routes import Route, RouteTable
from bot.playground.world import World

log = logging.getLogger("playground")

Found = tuple[Route, dict[str, str]]


class Endpoint:
    """Answers every REST request of one world below a prefix of so many parts (`/api/v10` has two)."""

    def __init__(
        self, world: World, table: RouteTable, *, prefix_parts: int, observers: Iterable[Observer] = ()
    ) -> None:
        self.world = world
        self.tally = Tally()
        self._prefix_parts = prefix_parts
        self._table = table
        self._observers = tuple(observers)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request; what it changed is on disk before the answer leaves."""
        path = "/" + "/".join(request.rel_url.raw_path.split("/")[self._prefix_parts + 1 :])
        found = self._table.find(request.method, path)
        call = Call(world=self.world, query=dict(request.query), reason=request.headers.get("X-Audit-Log-Reason"))
        faults: list[Fault] = []
        try:
            call.user = self._who(request)
            if found is not None and found[0].limited:
                asker = (call.user or {}).get("id")
                faults = self.world.faults.for_request(f"{request.method} {path}", asker)
            await suffer(faults, request)
            reply = await self._handle(request, found, call)
        except ApiError as error:
            reply = Reply(error.status, error.body(), error.headers)
        except Exception:
            log.exception("the playground failed at %s %s", request.method, path)
            reply = Reply(500, {"message": "500: Internal Server Error", "code": 0})
        finally:
            self.world.journal.commit()
        reply = _spoil(faults, request, reply)
        self._tell(request, path, found, call, reply)
        return respond(reply)

    def _who(self, request: web.Request) -> dict[str, Any] | None:
        token = request.headers.get("Authorization", "")
        user = self.world.user_with(token.removeprefix("Bot "))
        if user is not None and bool(user.get("bot")) != token.startswith("Bot "):
            return None
        return user

    async def _handle(self, request: web.Request, found: Found | None, call: Call) -> Reply:
        if found is None:
            raise Unknown(0)
        route, call.params = found
        if route.door == "token" and call.user is None:
            raise unauthorized()
        call.body, call.files = await read_body(request)
        who = call.me if call.user else "anyone"
        headers = self.world.limits.take(route.name, call.params, who) if route.limited else {}
        try:
            reply = as_reply(route.handler(call))
        except ApiError as error:
            error.headers = headers | error.headers
            raise
        return Reply(reply.status, reply.body, headers)

    def _tell(self, request: web.Request, path: str, found: Found | None, call: Call, reply: Reply) -> None:
        exchange = Exchange(
            method=request.method,
            path=path,
            route=found[0] if found else None,
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
            case "latency":
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


def _spoil(faults: list[Fault], request: web.Request, reply: Reply) -> Reply:
    """Let the faults happen that strike after the request has taken effect."""
    for fault in faults:
        if fault.kind == "drop_after":
            _drop(request)
        elif fault.kind == "status" and fault.after:
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
