"""Who asks for much at once, says much or reads slowly keeps nobody else waiting, and fills no memory."""

import asyncio
import socket
from contextlib import AsyncExitStack

import pytest
from aiohttp import web

from bot.console import turns
from bot.console.routes import MOST_VALUES, TOO_MANY_VALUES
from bot.console.turns import AT_ONCE, MOST_THERE, Turns, given
from bot.core.records import Snowflake
from tests.console.house import opened
from tests.console.test_doing import KNOWLEDGE
from tests.e2e.visitor import until

ONE, OTHER = Snowflake(1), Snowflake(2)
LARGE = 30_000_000  # bytes: more than any socket holds


async def test_what_is_said_holds_no_more_values_than_a_mind() -> None:
    """Each took a few microseconds on the loop: a hundred thousand kept everybody waiting for a second."""
    async with opened() as there:
        many: list[object] = [[]] * MOST_VALUES
        for said in ({"type": "set", "path": "a", "value": many}, many):
            for path in (KNOWLEDGE, "/api/v1/runs"):
                status, told = await there.ask(path, "POST", json=said)
                assert (status, told["detail"]) == (400, TOO_MANY_VALUES)


async def test_a_server_has_so_many_turns_at_once_and_others_have_theirs() -> None:
    lanes, inside = Turns(), list[Snowflake]()
    leave = asyncio.Event()

    async def ask(server: Snowflake) -> None:
        async with lanes.of(server):
            inside.append(server)
            await leave.wait()

    async with asyncio.TaskGroup() as group:
        for _ in range(MOST_THERE):
            group.create_task(ask(ONE))
        group.create_task(ask(OTHER))

        async def is_inside() -> bool:
            return OTHER in inside

        await until(is_inside, "the other server's turn")
        assert inside.count(ONE) == AT_ONCE
        with pytest.raises(web.HTTPTooManyRequests):
            async with lanes.of(ONE):
                pass
        leave.set()
    assert inside.count(ONE) == MOST_THERE
    async with lanes.of(ONE):
        pass


async def test_what_is_large_comes_one_by_one_of_a_server() -> None:
    lanes = Turns()
    async with AsyncExitStack() as first:
        await first.enter_async_context(lanes.of(ONE, alone=True))
        second = asyncio.create_task(lanes.of(ONE, alone=True).__aenter__())
        async with lanes.of(ONE), lanes.of(OTHER, alone=True):
            assert not second.done()
    await second


async def test_who_does_not_take_an_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "READ_SECONDS", 0.2)
    left = asyncio.Event()

    async def large(request: web.Request) -> web.StreamResponse:
        response = await given(request, web.Response(body=b"x" * LARGE))
        left.set()
        return response

    app = web.Application()
    app.router.add_get("/", large)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        with socket.create_connection(runner.addresses[0][:2]) as idle:
            idle.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            async with asyncio.timeout(20):
                await left.wait()
    finally:
        await runner.cleanup()
