"""A whole database copied into another one, of either kind, and back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from bot.core.errors import BadSetting
from bot.core.records import AgentId, CommunityId
from storage.store import SqlStore
from storage.tables import COMMUNITIES, METADATA, ROOMS
from tests.founding import founded
from tests.storage.databases import postgresql_database
from tests.storage.test_moving import lively

__all__ = ["lively"]
Everything = dict[str, list[tuple[object, ...]]]


async def everything(store: SqlStore) -> Everything:
    """Give all rows of all tables, as far as they hold what happened: which words are not indexed yet is no matter."""
    async with store.database.reading() as connection:
        found: Everything = {}
        for table in METADATA.sorted_tables:
            rows = await connection.execute(select(table).order_by(*table.primary_key))
            found[table.name] = [tuple(row) for row in rows]
    return found


@asynccontextmanager
async def another(kind: str, folder: Path) -> AsyncIterator[SqlStore]:
    if kind == "sqlite":
        async with await SqlStore.open(f"sqlite:///{folder}/another.db") as opened:
            yield opened
        return
    async with postgresql_database() as made:
        if made is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        async with await SqlStore.open(made.url) as opened:
            yield opened


def unwatched(done: int, total: int) -> None:
    """Nobody looks on."""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_every_row_comes_over_as_it_is_and_life_goes_on_there(
    store: SqlStore, lively: CommunityId, kind: str, tmp_path: Path
) -> None:
    second = await founded(store, guild_id=77)
    seen: list[tuple[int, int]] = []
    async with another(kind, tmp_path) as other:
        rows = await store.copy_to(other, lambda done, total: seen.append((done, total)))
        there = await everything(store)
        assert await everything(other) == there
        assert rows == sum(map(len, there.values())) == seen[-1][0] == seen[-1][1]
        async with other.writing(lively) as write:
            found = await write.talk.search(lively, "line 3", room_ids=[AgentId(1)])
            assert write.ids.take("message") == 11
        assert [message.content[:6] for message, _ in found] == ["line 3"]
        assert await founded(other, guild_id=78) > second


async def test_a_thread_comes_over_also_where_its_id_is_lower_than_that_of_its_room(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    async with store.database.writing() as connection:
        asked = select(ROOMS).where(ROOMS.c.community_id == lively).order_by(*ROOMS.primary_key).limit(1)
        row = dict((await connection.execute(asked)).mappings().one())
        key = {column.name for column in ROOMS.primary_key} - {"community_id"}
        assert len(key) == 1
        (name,) = key
        thread = {**row, name: -5, "thread_of": row[name], "channel_id": 12345}
        await connection.execute(insert(ROOMS).values(thread))
    async with another("postgresql", tmp_path) as other:
        await store.copy_to(other, unwatched)
        assert await everything(other) == await everything(store)


async def test_into_a_database_in_which_something_is_nothing_comes(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    async with another("sqlite", tmp_path) as other:
        await founded(other, guild_id=5)
        before = await everything(other)
        with pytest.raises(BadSetting, match="something in that database already: name an empty one"):
            await store.copy_to(other, unwatched)
        assert await everything(other) == before


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_what_is_broken_off_leaves_nothing_and_can_be_begun_again(
    store: SqlStore, lively: CommunityId, kind: str, tmp_path: Path
) -> None:
    def breaking(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    async with another(kind, tmp_path) as other:
        with pytest.raises(KeyboardInterrupt):
            await store.copy_to(other, breaking)
        async with other.reading() as read:
            assert not await read.communities.all()
        await store.copy_to(other, unwatched)
        assert (await everything(other))[COMMUNITIES.name] == (await everything(store))[COMMUNITIES.name]
