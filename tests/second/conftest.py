"""Every journey is made twice: in SimCord's world and in the playground. Without SimCord there are none."""

from collections.abc import AsyncIterator, Generator
from importlib.util import find_spec
from typing import Any

import pytest
import pytest_asyncio

from tests.second.town import Town, people_of
from tests.second.world import WORLDS, World, bot

collect_ignore_glob = [] if find_spec("simcord") else ["test_*.py"]

SHOWN_LINES = 80
TALKATIVE = {
    "SELFROOM_COMMUNITY__ADDRESSED_PER_PERSON": "1000",
    "SELFROOM_COMMUNITY__ANSWER_TOKENS_ALONE": "5000",
}


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=WORLDS)
async def town(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    """One town for all journeys that leave the bot alive."""
    async with (
        WORLDS[request.param]() as world,
        bot(world, tmp_path_factory.mktemp(request.param), **TALKATIVE),
        people_of(world) as here,
    ):
        yield here


@pytest_asyncio.fixture(loop_scope="session", params=WORLDS)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """A world of one's own, in which the bot may be killed."""
    async with WORLDS[request.param]() as one:
        yield one


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what went over the wires when a journey failed."""
    report = yield
    given: dict[str, Any] = getattr(item, "funcargs", {})
    world = given["town"].world if "town" in given else given.get("world")
    if report.failed and isinstance(world, World):
        lines = [line for line in world.transcript() if not line.startswith("HTTP GET /channels/")]
        report.sections.append((f"Transcript of {world.name}", "\n".join(lines[-SHOWN_LINES:])))
        report.sections += [("What the bot printed", "\n".join(life.lines)) for life in world.lives[-1:]]
    return report
