"""The doctor tries another server that speaks Discord's language: the playground, and ones that lack something."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.adapters.discord.elsewhere import lacking
from bot.playground.server import Playground, PlaygroundOptions

WELL: dict[str, object] = {
    "/gateway/bot": {"url": "gateway"},
    "/applications/@me": {"id": "5"},
    "/applications/5/commands": [],
}


async def tried(base: str, *, gateway: str | None = None, cdn: str | None = None, token: str = "") -> list[str]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session:

        async def asked(url: str) -> object:
            async with session.get(url, headers={"Authorization": f"Bot {token}"}) as response:
                response.raise_for_status()
                return await response.json()

        return await lacking(session, asked, api=base, gateway=gateway, cdn=cdn)


async def test_the_playground_offers_all_that_is_needed() -> None:
    async with Playground(PlaygroundOptions(port=0)) as there:
        assert await tried(there.api_url, cdn=there.cdn_url, token=there.bot_token) == []


@pytest.fixture
async def server() -> AsyncIterator[TestServer]:
    """A server of which each test says what it lacks."""

    async def line(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(request.app[SAYS]["hello"])
        await socket.close()
        return socket

    async def told(request: web.Request) -> web.Response:
        known = request.app[OFFERS].get(request.path)
        if request.path == "/gateway/bot" and isinstance(known, dict):
            known = known | {"url": f"ws://{request.host}/line"}
        return web.json_response(known, status=404 if known is None else 200)

    app = web.Application()
    app[OFFERS], app[SAYS] = dict(WELL), {"hello": '{"op": 10, "d": {"heartbeat_interval": 41250}}'}
    app.router.add_get("/line", line)
    app.router.add_get("/{rest:.*}", told)
    running = TestServer(app)
    async with running:
        yield running


OFFERS = web.AppKey("offers", dict[str, object])
SAYS = web.AppKey("says", dict[str, str])


async def found(server: TestServer, **more: str) -> list[str]:
    return await tried(str(server.make_url("")).rstrip("/"), **more)


async def test_what_a_server_lacks_is_said_with_the_setting_that_mends_it(server: TestServer) -> None:
    (files,) = await found(server)
    assert files == "Faces and files are asked of Discord itself: set SELFROOM_DISCORD_CDN."
    base = str(server.make_url("")).rstrip("/")
    assert await found(server, cdn=base) == [f"No faces or files are given at {base}: correct SELFROOM_DISCORD_CDN."]
    server.app[OFFERS]["/embed/avatars/0.png"] = "a face"
    assert await found(server, cdn=base) == []


@pytest.mark.parametrize(
    ("hello", "sentence"),
    [
        ('{"op": 0}', "is no gateway: correct SELFROOM_DISCORD_GATEWAY."),
        ("welcome", "No gateway answers at"),
        ("[" * 100_000, "No gateway answers at"),
    ],
    ids=["another word", "no JSON", "without a bottom"],
)
async def test_what_is_no_gateway_is_told(server: TestServer, hello: str, sentence: str) -> None:
    server.app[SAYS]["hello"] = hello
    first, *_ = await found(server)
    assert sentence in first


async def test_a_gateway_that_is_nowhere_is_told_and_so_are_missing_commands(server: TestServer) -> None:
    first, *_ = await found(server, gateway="ws://127.0.0.1:9/gateway")
    assert first == "No gateway answers at ws://127.0.0.1:9/gateway: correct SELFROOM_DISCORD_GATEWAY."
    del server.app[OFFERS]["/gateway/bot"], server.app[OFFERS]["/applications/5/commands"]
    where, commands, _ = await found(server)
    assert "does not tell where its gateway is" in where
    assert "knows no slash commands" in commands
