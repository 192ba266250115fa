"""Tests of the store run on SQLite in memory and on PostgreSQL, where a server runs; a few on a SQLite file too."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.core.records import AgentId, CommunityId
from storage.store import SqlStore
from tests.founding import founded
from tests.storage.databases import postgresql_database


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str | None]:
    """An empty PostgreSQL database for this process, brought up to date; None where no server answers."""
    loop = asyncio.new_event_loop()
    made = postgresql_database()
    database = loop.run_until_complete(made.__aenter__())
    yield None if database is None else database.url
    loop.run_until_complete(made.__aexit__(None, None, None))
    loop.close()


@pytest.fixture(params=["memory", "postgresql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path, postgresql_url: str | None) -> AsyncIterator[SqlStore]:
    url = f"sqlite:///{tmp_path}/selfroom.db" if request.param == "file" else "sqlite:///:memory:"
    if request.param == "postgresql":
        if postgresql_url is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        url = postgresql_url
    async with await SqlStore.open(url) as opened:
        if request.param == "postgresql":
            async with opened.database.writing() as connection:
                for table in ("communities", "kept"):
                    await connection.execute(text(f"DELETE FROM {table}"))  # noqa: S608
        yield opened


@pytest.fixture
async def community_id(store: SqlStore) -> CommunityId:
    """A community with three agents in their own rooms."""
    return await founded(store, guild_id=9)


@pytest.fixture
def room_id() -> AgentId:
    return AgentId(1)
