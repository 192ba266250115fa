"""Selfroom whole: discord.py, the openai client, the database and the playground, in one process or in a child."""

import asyncio
import json
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest

from bot.app import selfroom
from bot.core.kinds import Visibility
from bot.core.records import Room, Snowflake
from bot.house import House
from bot.playground.server import Observer
from bot.settings import Settings, load_settings
from tests.e2e.plain import ANSWERS, blemishes
from tests.e2e.proving import USED, proven
from tests.e2e.transcript import HEARD, transcript
from tests.e2e.visitor import PATIENCE_SECONDS, Visitor, until, visiting
from tests.hurried import hurried
from tests.migrated import migrated

QUICK = {
    "SELFROOM_PLAYGROUND_PORT": "0",
    "SELFROOM_PLAYGROUND_PACE": "fast",
    "SELFROOM_COMMUNITY__TYPING_AT_MOST_SECONDS": "0.3",
    "SELFROOM_COMMUNITY__SETTLE_SECONDS": "0.1",
    "SELFROOM_COMMUNITY__GREETS": "false",  # what an agent says unasked would mix with what it is asked here
}


@dataclass(slots=True)
class Living:
    """A running house, and what tests do to it from outside."""

    house: House
    session: aiohttp.ClientSession
    settings: Settings
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Where the playground is."""
        return self.house.site.url

    async def agents(self) -> dict[str, dict[str, Any]]:
        """Give what the bot's own face tells of every agent, by name."""
        return {agent["name"]: agent for agent in json.loads(await self.face("/agents"))}

    async def face(self, path: str, *, token: str | None = None) -> str:
        """Read the bot's own face as the seeded person, or with another token."""
        assert self.house.face is not None
        if token is None:
            token = await self.token()
        headers = {"Authorization": token}
        async with self.session.get(f"{self.house.face.url}{path}", headers=headers) as response:
            return await response.text()

    async def token(self) -> str:
        """Give the seeded person's token."""
        async with self.session.get(f"{self.url}/playground") as response:
            return str((await response.json())["person"]["token"])

    async def has_rooms(self) -> bool:
        """Tell whether everyone has a channel, and it is known who sees it: until then a room counts as private."""
        if not all(agent["channel_id"] for agent in (await self.agents()).values()):
            return False
        for guild in self.house.client.guilds:
            rooms = (await self.house.desk.community.view(Snowflake(guild.id), messages=0)).all_rooms.values()
            if any(room.visibility is not self.shown_as(guild, room) for room in rooms):
                return False
        return True

    @staticmethod
    def shown_as(guild: discord.Guild, room: Room) -> Visibility | None:
        """Give who sees a room's channel as Discord shows it."""
        channel = guild.get_channel(room.channel_id or 0)
        if channel is None:
            return None
        is_public = channel.permissions_for(guild.default_role).view_channel
        return Visibility.PUBLIC if is_public else Visibility.PRIVATE

    async def script(self, *steps: dict[str, Any]) -> None:
        """Prepare what the model answers."""
        headers, address = {"Authorization": await self.token()}, f"{self.url}/playground/model/script"
        async with self.session.post(address, json=list(steps), headers=headers) as response:
            assert response.status == 200, await response.text()

    async def calls(self) -> list[dict[str, Any]]:
        """Give what the model was asked."""
        headers = {"Authorization": await self.token()}
        async with self.session.get(f"{self.url}/playground/model/calls", headers=headers) as response:
            found: list[dict[str, Any]] = await response.json()
            return found

    async def stats(self) -> dict[str, Any]:
        """Give the playground's counters."""
        async with self.session.get(f"{self.url}/playground/stats") as response:
            found: dict[str, Any] = await response.json()
            return found


def quick_settings(folder: Path, monkeypatch: pytest.MonkeyPatch, **more: str) -> Settings:
    """Give settings for a quick life in a folder of its own."""
    for name in ("DISCORD_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (QUICK | {"SELFROOM_DATA_DIR": str(folder)} | more).items():
        monkeypatch.setenv(name, value)
    migrated(folder / "selfroom.db")
    return load_settings({}, folder / "no.env")


@asynccontextmanager
async def living(settings: Settings, *observers: Observer) -> AsyncIterator[Living]:
    """Run a house until the block ends."""
    stop, ready = asyncio.Event(), asyncio.Event()
    async with selfroom(settings, observers=observers) as house, aiohttp.ClientSession() as session:
        serving = asyncio.create_task(house.serve(stop, ready=ready.set))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait([serving, waiting], timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
        assert ready.is_set(), f"the house was not ready within {PATIENCE_SECONDS} s"
        try:
            home = Living(house, session, settings)
            await until(home.has_rooms, "channels of the first residents")
            yield home
        finally:
            stop.set()
            await serving


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show with a failure what was said."""
    report = yield
    if report.when == "setup":
        HEARD.clear()
    if report.failed and HEARD:
        report.sections.append(("what was said", transcript()))
    return report


@pytest.fixture(autouse=True, scope="module")
def in_a_hurry() -> Iterator[None]:
    """Have a life take no more of anybody's time than it must."""
    with hurried():
        yield


@pytest.fixture(autouse=True)
def held_to_what_it_proves(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that is said to prove a command which it did not use."""
    USED.clear()
    yield
    assert proven(list(request.node.iter_markers())) - USED == set(), "these were never used"


@pytest.fixture(autouse=True)
def answered_in_plain_words() -> Iterator[None]:
    """Fail a test in which a command answered with something that people do not say."""
    ANSWERS.clear()
    yield
    assert [fault for answer in ANSWERS for fault in blemishes(answer)] == []


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    return quick_settings(tmp_path, monkeypatch)


@pytest.fixture
async def home(settings: Settings, observers: list[Observer]) -> AsyncIterator[Living]:
    """A running Selfroom in a playground of its own."""
    async with living(settings, *observers) as one:
        yield one
        assert (await one.stats())["unknown_routes"] == {}


@pytest.fixture
async def you(home: Living) -> AsyncIterator[Visitor]:
    """A person who manages the server, and is neither its owner nor an administrator."""
    async with visiting(home.url, "you", manager=True) as visitor:
        yield visitor


@pytest.fixture
async def owner(home: Living) -> AsyncIterator[Visitor]:
    """The person who owns the playground."""
    async with visiting(home.url) as visitor:
        yield visitor
