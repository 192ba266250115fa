"""Model servers that know whom they serve: each takes one key, and remembers who came with which."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.standin import add_to


@dataclass(slots=True)
class Crowd:
    """Who is being answered: how many at once at most, and how many have to have come before any is."""

    awaited: int = 1
    inside: int = 0
    most: int = 0
    complete: asyncio.Event = field(default_factory=asyncio.Event)

    async def __aenter__(self) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        if self.most >= self.awaited:
            self.complete.set()
        await self.complete.wait()

    async def __aexit__(self, *_: object) -> None:
        self.inside -= 1


@dataclass(slots=True)
class KeyedServer:
    """A scripted model that only its own key opens."""

    key: str
    server: TestServer
    came_with: Counter[str] = field(default_factory=Counter)  # Authorization headers
    headers: list[dict[str, str]] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    crowd: Crowd = field(default_factory=Crowd)

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return str(self.server.make_url("/v1"))

    @property
    def keys(self) -> set[str]:
        """The keys that were tried so far."""
        return {one.removeprefix("Bearer ") for one in self.came_with}

    async def calls(self) -> list[dict[str, Any]]:
        """Give what it was asked."""
        address = self.server.make_url("/playground/model/calls")
        async with aiohttp.ClientSession() as session, session.get(address) as response:
            found: list[dict[str, Any]] = await response.json()
            return found

    async def forget(self) -> None:
        """Drop what was prepared: it answers by its own rules."""
        async with aiohttp.ClientSession() as session:
            await session.delete(self.server.make_url("/playground/model/script"))

    async def prepare(self, **step: Any) -> None:  # noqa: ANN401
        """Prepare what it answers."""
        async with aiohttp.ClientSession() as session:
            address = self.server.make_url("/playground/model/script")
            async with session.post(address, json=[{"times": None} | step]) as response:
                assert response.status == 200


@asynccontextmanager
async def keyed(key: str) -> AsyncIterator[KeyedServer]:
    """Run one on a free port."""
    here: list[KeyedServer] = []

    @web.middleware
    async def check(request: web.Request, handler: Any) -> web.StreamResponse:  # noqa: ANN401
        if request.path.startswith("/v1/"):
            said = request.headers.get("Authorization", "")
            here[0].came_with[said] += 1
            here[0].came.set()
            here[0].headers.append(dict(request.headers))
            if said != f"Bearer {key}":
                problem = {"message": f"Incorrect API key provided: {said}.", "code": "invalid_api_key"}
                return web.json_response({"error": problem}, status=401)
        async with here[0].crowd:
            answer: web.StreamResponse = await handler(request)
        return answer

    app = web.Application(middlewares=[check])
    add_to(app)
    server = TestServer(app)
    await server.start_server()
    here.append(KeyedServer(key, server))
    try:
        yield here[0]
    finally:
        await server.close()
