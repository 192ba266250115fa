"""The seam: a world is where people and the bot find Discord, what the model answers, and what it was asked."""

import asyncio
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from bot.playground.rest.exchange import Exchange
from bot.playground.server import Playground, PlaygroundOptions
from bot.standin import add_to
from tests.e2e.conftest import QUICK
from tests.e2e.visitor import Json, Visitor, visiting
from tests.forked import Program, selfroom
from tests.migrated import migrated

READY_SECONDS = 180  # for a busy machine
KEPT_LINES = 400


@dataclass(frozen=True, slots=True)
class World:
    """A Discord, whoever wrote it, and the scripted model beside it."""

    name: str
    url: str
    settings: Mapping[str, str]
    model_url: str
    transcript: Callable[[], list[str]]
    lives: list["Life"] = field(default_factory=list)  # of the bot, oldest first

    def people(self, name: str | None = None, *, manages: bool = False) -> AbstractAsyncContextManager[Visitor]:
        """Come as somebody; without a name as the server's owner."""
        return visiting(self.url, name, manager=manages)

    async def script(self, *steps: Json) -> None:
        """Prepare what the model answers."""
        async with self._at_the_model() as session, session.post("model/script", json=list(steps)) as response:
            assert response.status == 200, await response.text()

    async def calls(self) -> list[Json]:
        """Give what the model was asked."""
        async with self._at_the_model() as session, session.get("model/calls") as response:
            found: list[Json] = await response.json()
            return found

    @asynccontextmanager
    async def _at_the_model(self) -> AsyncIterator[aiohttp.ClientSession]:
        """Come to the model's own place as the person of the playground that lends it."""
        async with aiohttp.ClientSession(f"{self.model_url}/playground/") as session:
            async with session.get(f"{self.model_url}/playground") as about:
                token = str((await about.json())["person"]["token"])
            session.headers["Authorization"] = token
            yield session


def found_at(url: str, gateway_url: str, token: str, model_url: str) -> Mapping[str, str]:
    """Give the settings with which the bot lives there."""
    return {
        "DISCORD_TOKEN": token,
        "SELFROOM_DISCORD_API": f"{url}/api/v10",
        "SELFROOM_DISCORD_GATEWAY": gateway_url,
        "SELFROOM_DISCORD_CDN": f"{url}/cdn",
        "SELFROOM_OPENAI_BASE_URL": f"{model_url}/v1",
        "SELFROOM_SPONSORED_SERVERS": "*",
    }


@asynccontextmanager
async def playground_world() -> AsyncIterator[World]:
    """Open the playground."""
    lines: deque[str] = deque(maxlen=KEPT_LINES)

    def note(exchange: Exchange) -> None:
        lines.append(f"HTTP {exchange.method} {exchange.path} {exchange.status} {str(exchange.request)[:300]}")

    async with Playground(PlaygroundOptions(port=0, pace="fast"), observers=[note], neighbours=[add_to]) as place:
        settings = found_at(place.url, place.gateway_url, place.bot_token, place.url)
        yield World("playground", place.url, settings, place.url, lambda: list(lines))


@asynccontextmanager
async def simcord_world() -> AsyncIterator[World]:
    """Open SimCord; the playground lends it nothing but its model."""
    from tests.second.server import BOT_TOKEN, SimcordServer

    async with SimcordServer() as there, Playground(PlaygroundOptions(port=0), neighbours=[add_to]) as lender:
        settings = found_at(there.url, there.gateway_url, BOT_TOKEN, lender.url)
        yield World("simcord", there.url, settings, lender.url, there.transcript)
        assert there.gaps == [], "SimCord does not do what the bot asked of it"


WORLDS = {"simcord": simcord_world, "playground": playground_world}


@dataclass(slots=True)
class Life:
    """One process of `selfroom run`, and what it printed."""

    process: Program
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Read what it prints until it ends."""
        while line := (await self.process.stdout.readline()).decode():
            self.lines.append(line.rstrip())
            if "ready: on Discord" in line:
                self.ready.set()

    async def end(self, how: signal.Signals) -> None:
        """End it and wait until it is gone."""
        if self.process.returncode is None:
            self.process.send_signal(how)
            async with asyncio.timeout(READY_SECONDS):
                await self.process.wait()


@asynccontextmanager
async def bot(world: World, folder: Path, **more: str) -> AsyncIterator[Life]:
    """Run `selfroom run` in a world, in a process of its own, until the block ends; it is killed then."""
    kept: dict[str, str] = {
        name: value for name, value in os.environ.items() if not name.startswith(("SELFROOM_", "DISCORD_", "OPENAI_"))
    }
    env = kept | QUICK | dict(world.settings) | {"SELFROOM_DATA_DIR": str(folder)} | more
    migrated(folder / "selfroom.db")
    async with selfroom(["run"], env) as process:
        life = Life(process)
        world.lives.append(life)
        listening = asyncio.create_task(life.listen())
        try:
            ready = asyncio.create_task(life.ready.wait())
            await asyncio.wait([ready, listening], timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            assert life.ready.is_set(), "\n".join(life.lines)
            yield life
        finally:
            await life.end(signal.SIGKILL)
            await listening
