"""Figures of the playground: its server, its page, and the whole of Selfroom starting and ending on it."""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from tests.bench import Figure, playground_page, playground_start

LISTENERS = 20
MESSAGES = 3_000
SENDERS = 16
HISTORY = 100_000

SERVER = """
import asyncio, sys
from pathlib import Path
from bot.playground.server import Playground, PlaygroundOptions

async def main():
    options = PlaygroundOptions(port=0, pace="off", state_path=Path(sys.argv[1]))
    async with Playground(options) as playground:
        print(playground.url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""

# Written straight into the file: a hundred thousand requests would measure the client.
FILL = """
import sys
from pathlib import Path
from bot.playground.journal import Journal
from bot.playground.world import World

world = World(Journal(Path(sys.argv[1])), cdn_url="", gateway_url="")
seed = world.meta.rows["seed"]
text = "A message as long as people write them, with a thought or two in it, and then some more words. "
for number in range(int(sys.argv[2])):
    row = {"id": world.ids.next(), "channel_id": seed["channel_id"], "author_id": seed["user_id"]}
    world.messages.put(row | {"content": f"{number} {text}", "flags": 0})
world.journal.close()
"""


@asynccontextmanager
async def _server(path: Path) -> AsyncIterator[tuple[str, psutil.Process]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, str(path), stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.getcwd()}
    )
    assert process.stdout is not None
    try:
        url = (await asyncio.wait_for(process.stdout.readline(), 30)).decode().strip()
        yield url, psutil.Process(process.pid)
    finally:
        process.terminate()
        await process.wait()


async def _listen(session: aiohttp.ClientSession, about: dict[str, Any], ready: asyncio.Event, count: int) -> None:
    """Hear so many messages."""
    async with session.ws_connect(about["gateway_url"], max_msg_size=0) as socket:
        await socket.receive()
        await socket.send_json({"op": 2, "d": {"token": about["person"]["token"], "properties": {}}})
        heard = 0
        while heard < count:
            frame = await socket.receive_str()
            ready.set()
            heard += frame.startswith('{"t":"MESSAGE_CREATE"')


async def _send(session: aiohttp.ClientSession, about: dict[str, Any], count: int) -> None:
    url = f"{about['api_url']}/channels/{about['channel_id']}/messages"
    headers = {"Authorization": about["person"]["token"]}
    for number in range(count):
        async with session.post(url, json={"content": f"message {number}"}, headers=headers) as answer:
            assert answer.status == 200


async def _throughput(path: Path) -> float:
    async with _server(path) as (url, _), aiohttp.ClientSession() as session:
        about = await (await session.get(f"{url}/playground")).json()
        readies = [asyncio.Event() for _ in range(LISTENERS)]
        listeners = [asyncio.create_task(_listen(session, about, ready, MESSAGES)) for ready in readies]
        await asyncio.gather(*(ready.wait() for ready in readies))
        began = time.perf_counter()
        each = MESSAGES // SENDERS
        shares = [each] * (SENDERS - 1) + [MESSAGES - each * (SENDERS - 1)]
        await asyncio.gather(*(_send(session, about, share) for share in shares), *listeners)
        return MESSAGES / (time.perf_counter() - began)


async def _memory(path: Path) -> float:
    """Give the server's megabytes after its whole history was read once, page by page."""
    async with _server(path):
        pass
    command = [sys.executable, "-c", FILL, str(path), str(HISTORY)]
    filler = await asyncio.create_subprocess_exec(*command, env=os.environ | {"PYTHONPATH": os.getcwd()})
    assert await filler.wait() == 0
    async with _server(path) as (url, process), aiohttp.ClientSession() as session:
        about = await (await session.get(f"{url}/playground")).json()
        await _read_all(session, about)
        return process.memory_info().rss / 1_000_000


async def _read_all(session: aiohttp.ClientSession, about: dict[str, Any]) -> None:
    url = f"{about['api_url']}/channels/{about['channel_id']}/messages"
    headers = {"Authorization": about["person"]["token"]}
    params = {"limit": "100"}
    while True:
        async with session.get(url, params=params, headers=headers) as answer:
            page = await answer.json()
        if not page:
            return
        params["before"] = page[-1]["id"]


def run() -> list[Figure]:
    """Measure everything; the server in a process of its own, its state in a file."""
    with tempfile.TemporaryDirectory() as folder:
        speed = asyncio.run(_throughput(Path(folder) / "speed.db"))
        memory = asyncio.run(_memory(Path(folder) / "memory.db"))
    return [
        Figure(name="playground.messages_to_20_listeners", value=speed, unit="messages/s", target=500, better="higher"),
        Figure(name="playground.memory_100k_messages", value=memory, unit="MB", target=300),
        *playground_page.figures(),
        *playground_start.figures(),
    ]
