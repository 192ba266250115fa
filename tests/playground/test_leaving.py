"""A playground that is told to go is gone at once, whoever still listens and whatever is still asked."""

import asyncio
import os
import signal
import socket
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp

from tests.playground.person import PATIENCE_SECONDS

AT_MOST_SECONDS = 3.0 * 3  # three seconds, on a machine three times busier


def free_port() -> int:
    """Give a port that nobody has."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def about(session: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    """Wait for the playground and give what it says of itself."""
    for _ in range(300):
        try:
            async with session.get(f"{url}/playground") as answer:
                return await answer.json()  # type: ignore[no-any-return]
        except aiohttp.ClientError:
            await asyncio.sleep(0.1)
    raise AssertionError("the playground did not open in 30 s")


async def test_it_is_gone_within_three_seconds_with_listeners_who_do_not_listen(tmp_path: Path) -> None:
    env = {**os.environ, "SELFROOM_DATA_DIR": str(tmp_path)}
    port = free_port()
    command = (sys.executable, "-m", "bot", "playground", "--port", str(port))
    process = await asyncio.create_subprocess_exec(*command, env=env, stdout=asyncio.subprocess.DEVNULL)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        there = await about(session, f"http://127.0.0.1:{port}")
        token = there["person"]["token"]
        for _ in range(20):
            ear = await session.ws_connect(there["gateway_url"], autoclose=False, autoping=False)
            await ear.send_json({"op": 2, "d": {"token": token, "properties": {}}})
        held = {"kind": "latency", "seconds": 60, "after": True, "route": "GET /users/@me"}
        await session.post(f"http://127.0.0.1:{port}/playground/faults", json=held)
        asking = asyncio.create_task(session.get(f"{there['api_url']}/users/@me", headers={"Authorization": token}))
        await asyncio.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), PATIENCE_SECONDS) == 0
        assert time.monotonic() - began < AT_MOST_SECONDS
        asking.cancel()
