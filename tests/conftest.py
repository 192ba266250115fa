"""What all tests share."""

import gc
import re
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy.engine import URL, Dialect
from sqlalchemy.ext.asyncio import AsyncEngine
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from bot.core.errors import SelfroomError
from bot.playground.rest.exchange import Observer
from storage import database
from storage.inline import Beginning
from tests.migrated import migrated
from tests.playground.openapi import held_to_the_description

# How long an example takes says how busy the machine is; what must not take long is held to that by tests of its own.
settings.register_profile("house", deadline=None)
settings.load_profile("house")
SLOW_PLACES = re.compile(r"^tests/(adapters/discord|chaos|playground)/?|\[postgres\w*[\]-]")
# Modules whose tests play scenes, worlds and archives as a whole: one takes little, and together they take half of all.
SLOW_MODULES = re.compile(
    r"^tests/(engine/(front_desk/test_(merges|timelines)|runs|timelines|test_(calls_at_once|closed_scenes|company|deadlines"
    r"|estimating|looking_back|overtaken|presence|private_threads|scene_privacy|scenes_in_rooms|stage|statements|upkeep))"
    r"|storage/(timelines|test_(alone|emptying|erasing|forgetting|forgetting_much|handed|hostile_archives|migrations|moving"
    r"|owed|rehoming|resealing|restoring|shapes|whole))|test_main)(/|\.py)"
)


@pytest.fixture(autouse=True, scope="session")
def compiled_once() -> Iterator[None]:
    """Let all SQLite databases of a run share what one has compiled, which is near half of a short test's time.

    SQLAlchemy keeps compiled statements by engine and dialect; a program has one database, and tests open thousands.
    """
    made: list[tuple[Dialect, object]] = []
    make_engine = database.make_engine

    def sharing(url: URL, beginning: Beginning | None = None) -> AsyncEngine:
        engine = make_engine(url, beginning)
        if engine.dialect.name == "sqlite":
            one = engine.sync_engine
            made[:] = made or [(one.dialect, one._compiled_cache)]
            one.dialect, one._compiled_cache = made[0]  # type: ignore[assignment]
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "make_engine", sharing)
        yield


@pytest.fixture(autouse=True, scope="session")
def begun_as_a_copy() -> Iterator[None]:
    """Let a store over a file that holds nothing yet begin with a copy of what migrations make, which take far longer.

    What they make of such a file, and of older ones, is tried by those who call them themselves.
    """

    async def begun(url: str) -> database.Database:
        with suppress(SelfroomError, OSError, sqlite3.Error):  # a place that cannot be used: it says itself why
            if (asked := database.database_url(url)).get_backend_name() == "sqlite" and not database.in_memory(asked):
                migrated(Path(asked.database or ""))
        return await database.open_database(url)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.store.open_database", begun)
        yield


@pytest.fixture
def observers() -> Iterator[list[Observer]]:
    """Hold everything bots say and hear against Discord's own description, where that is there."""
    with held_to_the_description() as watching:
        yield watching


class Sharing(LoadScopeScheduling):  # type: ignore[misc]  # which gives no types
    """Deals tests out one by one, but those of a module that share something dear all to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        return file if stays_together(self.config.rootpath / file) else nodeid


@cache
def stays_together(file: Path) -> bool:
    text = file.read_text()
    return 'loop_scope="module"' in text or "mark.together" in text


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Sharing:
    """Deal out as above: the groups of xdist itself, by a mark, come to nothing with this pytest."""
    return Sharing(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage meanwhile: all that is imported stays, and to look through it again and again takes long."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what runs a playground or a database server as end to end, and what is slow, so that `make fast` is fast."""
    if SLOW_PLACES.search(item.nodeid):
        item.add_marker(pytest.mark.e2e)
    if SLOW_MODULES.search(item.nodeid):
        item.add_marker(pytest.mark.slow)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slowest, so that at the end only short ones are left to share."""
    items.sort(key=slowness)


def slowness(item: pytest.Item) -> int:
    """Give the place of a test among all: those that wait for other programs first."""
    kinds = (
        "tests/chaos/",
        "tests/e2e/test_lives",
        "tests/e2e/",
        "tests/playground/test_page",
        "tests/adapters/discord/",
    )
    place = next((number for number, kind in enumerate(kinds) if item.nodeid.startswith(kind)), len(kinds))
    return place if item.get_closest_marker("e2e") or item.get_closest_marker("long") else len(kinds) + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import, for `make fast`, where every test is end to end or slow."""
    place, without = collection_path.relative_to(config.rootpath).as_posix(), config.option.markexpr
    left_out = ("not e2e" in without and SLOW_PLACES.search(place)) or (
        "not slow" in without and SLOW_MODULES.search(place)
    )
    return True if left_out else None


def pytest_collection_finish() -> None:
    """Leave what was imported out of every later collection of garbage: it is much, and stays. Tests leave little."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
