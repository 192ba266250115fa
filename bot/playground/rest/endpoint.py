"""The one door between HTTP and the handlers: token, body, answer; one transaction per request."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import BodyPartReader, web

from bot.playground.errors import ApiError, Unknown, unauthorized
from bot.playground.rest.call import Call, Reply, Upload
from bot.playground.rest.routes import Route, RouteTable
from bot.playground.world import World

log = logging.getLogger("playground")

MAX_BODY = 25 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer, for whoever watches; bodies are parsed JSON or None."""

    method: str
    path: str
    route: Route | None
    query: Mapping[str, str]
    by_bot: bool
    request: Any
    status: int
    response: Any


Observer = Callable[[Exchange], None]


class Endpoint:
    """Answers every REST request of one world."""

    def __init__(
        self, world: World, table: RouteTable, *, prefix_parts: int, observers: Iterable[Observer] = ()
    ) -> None:
        self.world = world
        self._prefix_parts = prefix_parts
        self._table = table
        self._observers = tuple(observers)
        self.unknown: dict[str, int] = {}
        self.requests = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request below the prefix (`/api/v10` has two parts)."""
        self.requests += 1
        path = "/" + "/".join(request.rel_url.raw_path.split("/")[self._prefix_parts + 1 :])
        found = self._table.find(request.method, path)
        call = Call(world=self.world, query=dict(request.query))
        try:
            reply = await self._handle(request, found, call)
        except ApiError as error:
            reply = Reply(error.status, error.body())
        except Exception:
            log.exception("the playground failed at %s %s", request.method, path)
            reply = Reply(500, {"message": "500: Internal Server Error", "code": 0})
        finally:
            self.world.journal.commit()
        self._observe(request, path, found, call, reply)
        return respond(reply)

    async def _handle(self, request: web.Request, found: tuple[Route, dict[str, str]] | None, call: Call) -> Reply:
        if found is None:
            name = f"{request.method} {request.path}"
            self.unknown[name] = self.unknown.get(name, 0) + 1
            raise Unknown(0)
        route, call.params = found
        call.user = self._who(request, route)
        call.reason = request.headers.get("X-Audit-Log-Reason")
        call.body, call.files = await read_body(request)
        return as_reply(route.handler(call))

    def _who(self, request: web.Request, route: Route) -> dict[str, Any] | None:
        token = request.headers.get("Authorization", "")
        user = self.world.user_with(token.removeprefix("Bot "))
        if user is not None and bool(user.get("bot")) != token.startswith("Bot "):
            user = None
        if user is None and route.door == "token":
            raise unauthorized()
        return user

    def _observe(
        self,
        request: web.Request,
        path: str,
        found: tuple[Route, dict[str, str]] | None,
        call: Call,
        reply: Reply,
    ) -> None:
        for observer in self._observers:
            observer(
                Exchange(
                    method=request.method,
                    path=path,
                    route=found[0] if found else None,
                    query=call.query,
                    by_bot=not request.headers.get("Authorization") or call.is_bot,
                    request=call.body if request.can_read_body else None,
                    status=reply.status,
                    response=reply.body,
                )
            )


def as_reply(answer: object) -> Reply:
    """Give a handler's answer a status."""
    if isinstance(answer, Reply):
        return answer
    return Reply(204) if answer is None else Reply(200, answer)


def respond(reply: Reply) -> web.Response:
    """Give the HTTP response; the content type has no charset, as Discord's has none."""
    if reply.body is None:
        return web.Response(status=reply.status)
    body = json.dumps(reply.body, separators=(",", ":")).encode()
    return web.Response(status=reply.status, body=body, headers={"Content-Type": "application/json"})


async def read_body(request: web.Request) -> tuple[Any, tuple[Upload, ...]]:
    """Read JSON, or a form with `payload_json` and files."""
    if request.content_type == "multipart/form-data":
        return await _read_parts(request)
    data = await request.read()
    if not data:
        return {}, ()
    return _parse(data), ()


def _parse(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        raise ApiError(400, 50109) from None


async def _read_parts(request: web.Request) -> tuple[Any, tuple[Upload, ...]]:
    body: object = {}
    files: list[Upload] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            raise ApiError(400, 50035)
        name, data = part.name or "", bytes(await part.read(decode=True))
        if name == "payload_json":
            body = _parse(data)
        elif name.startswith("file"):
            digits = "".join(filter(str.isdigit, name))
            kind = part.headers.get("Content-Type", "application/octet-stream")
            filename = part.filename or f"file{digits}"
            slot = int(digits or len(files))
            files.append(Upload(slot=slot, name=filename, content_type=kind, data=data))
    return body, tuple(files)
