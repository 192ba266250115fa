"""The scripted model running alone on a free port, and clients for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.test_utils import TestServer
from openai import AsyncOpenAI

from bot.standin import add_to


@asynccontextmanager
async def serving() -> AsyncIterator[TestServer]:
    app = web.Application()
    add_to(app)
    server = TestServer(app)
    await server.start_server()
    try:
        yield server
    finally:
        await server.close()


def client_for(server: TestServer, *, key: str = "any", timeout: float = 10.0) -> AsyncOpenAI:
    """A client that shows every failure at once instead of trying again."""
    return AsyncOpenAI(api_key=key, base_url=str(server.make_url("/v1")), max_retries=0, timeout=timeout)
