"""What all tests share."""

import gc
import re
from collections.abc import Iterator

import pytest
from sqlalchemy.engine import URL, Dialect
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.playground.rest.exchange import Observer
from storage import database
from tests.playground.openapi import held_to_the_description

SLOW_PLACES = re.compile(r"^tests/(adapters/discord|chaos|playground)/?|\[postgres")


@pytest.fixture(autouse=True, scope="session")
def compiled_once() -> Iterator[None]:
    """Let all SQLite databases of a run share what one has compiled, which is near half of a short test's time.

    SQLAlchemy keeps compiled statements by engine and dialect; a program has one database, and tests open thousands.
    """
    made: list[tuple[Dialect, object]] = []
    make_engine = database.make_engine

    def sharing(url: URL) -> AsyncEngine:
        engine = make_engine(url)
        if engine.dialect.name == "sqlite":
            one = engine.sync_engine
            made[:] = made or [(one.dialect, one._compiled_cache)]
            one.dialect, one._compiled_cache = made[0]  # type: ignore[assignment]
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "make_engine", sharing)
        yield


@pytest.fixture
def observers() -> Iterator[list[Observer]]:
    """Hold everything bots say and hear against Discord's own description, where that is there."""
    with held_to_the_description() as watching:
        yield watching


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs a playground or a database server as end to end, so that `make fast` stays fast."""
    for item in items:
        if SLOW_PLACES.search(item.nodeid):
            item.add_marker(pytest.mark.e2e)


def pytest_collection_finish() -> None:
    """Leave what was imported out of every later collection of garbage: it is much, and stays."""
    gc.collect()
    gc.freeze()
