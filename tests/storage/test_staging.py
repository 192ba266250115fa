"""A community that moves in keeps nobody waiting, and nobody sees it before all of it is there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.changes import AddRequest, AddSchedule, PutReason
from bot.core.errors import BadSetting
from bot.core.kinds import ReasonKind, RequestState
from bot.core.records import (
    AccessRequest,
    AgentId,
    CommunityId,
    KeyId,
    Reason,
    RequestId,
    Schedule,
    ScheduleId,
    Snowflake,
)
from bot.core.scenes.records import SceneStatus
from storage.database import Database
from storage.moving import staging
from storage.moving.contents import TABLES
from storage.moving.pages import AT_A_TIME
from storage.store import SqlStore
from storage.tables import COMMUNITIES, KEPT
from tests.fakes import START
from tests.storage.lines import said
from tests.storage.scenes import a_council
from tests.storage.test_moving import FIRST, OTHER_GUILD, SECOND, everything, lively

__all__ = ["lively"]
LINES = 1_200
MOST_ROWS = AT_A_TIME + 60  # what a page and the last transaction's own rows come to
LATER = START + timedelta(days=900)


@pytest.fixture
async def busy(store: SqlStore, lively: CommunityId) -> CommunityId:
    """A community with much in it, and in which something of all kinds is due."""
    async with store.writing(lively) as write:
        await write.talk.add(lively, [said(f"line {number}", 100 + number) for number in range(LINES)])
        await a_council(write, lively, status=SceneStatus.LOBBY, deadline_at=START)
        knock = AccessRequest(
            id=RequestId(write.ids.take("request")),
            room_id=FIRST,
            requester_agent_id=SECOND,
            requester_name="Grace",
            key_id=KeyId(1),
            key_label="spare",
            state=RequestState.PENDING,
            created_at=START,
        )
        later = Schedule(
            id=ScheduleId(write.ids.take("schedule")), agent_id=FIRST, room_id=FIRST, content="at noon", at=START
        )
        due = Reason(kind=ReasonKind.TIMER, room_id=FIRST, since=START, due_at=START)
        await write.apply(
            lively, [AddRequest(request=knock), AddSchedule(schedule=later), PutReason(agent_id=FIRST, reason=due)]
        )
    return lively


async def seen(store: SqlStore) -> set[CommunityId]:
    """Give the communities of which anybody who asks about all of them sees anything."""
    async with store.reading() as read:
        found = {one.id for one in await read.communities.all()}
        found |= {id_ for id_, _ in await read.claims.due(LATER, limit=99)}
        found |= {one.community_id for one in await read.letters.due(LATER, limit=99)}
        found |= {id_ for id_, _ in await read.agents.schedules_due(LATER, limit=99)}
        found |= {id_ for id_, _ in await read.scenes.due(LATER, limit=99)}
        found |= {one.community_id for one in await read.summaries.wanted(None)}
    return found


async def rows_of(connection: AsyncConnection) -> int:
    counts = [await connection.execute(select(func.count()).select_from(table)) for table in (*TABLES, KEPT)]
    return sum(int(count.scalar_one()) for count in counts)


@pytest.mark.slow
async def test_it_comes_in_by_short_transactions_between_which_nothing_of_it_is_seen(
    store: SqlStore, busy: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, written = tmp_path / "community.zip", list[int]()
    await store.export(busy, path)
    assert await seen(store) == {busy}
    real = Database.writing

    @asynccontextmanager
    async def noted(database: Database) -> AsyncIterator[AsyncConnection]:
        assert await seen(store) == {busy}
        async with real(database) as connection:
            before = await rows_of(connection)
            yield connection
            written.append(await rows_of(connection) - before)

    with monkeypatch.context() as while_importing:
        while_importing.setattr(Database, "writing", noted)
        # the index is written after it, when it is seen already
        while_importing.setattr("storage.store.index_rest", lambda _: asyncio.sleep(0))
        moved = await store.import_archive(path, guild_id=OTHER_GUILD)
    assert await seen(store) == {busy, moved.community_id}
    assert sum(written) > LINES
    assert max(written) <= MOST_ROWS


@pytest.mark.slow
async def test_one_that_is_refused_at_its_end_goes_again_in_short_transactions(
    store: SqlStore, busy: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, gone = tmp_path / "community.zip", list[int]()
    await store.export(busy, path)
    before = await everything(store, busy)
    async with store.database.reading() as connection:
        rows = await rows_of(connection)
    real = Database.writing

    @asynccontextmanager
    async def noted(database: Database) -> AsyncIterator[AsyncConnection]:
        async with real(database) as connection:
            there = await rows_of(connection)
            yield connection
            gone.append(there - await rows_of(connection))

    async def refused(*_: object) -> None:
        raise ValueError("a row that nobody can read")

    with monkeypatch.context() as while_importing:
        while_importing.setattr(Database, "writing", noted)
        while_importing.setattr("storage.moving.incoming._check_readable", refused)
        with pytest.raises(BadSetting, match="damaged"):
            await store.import_archive(path, guild_id=OTHER_GUILD)
    assert 0 < max(gone) <= MOST_ROWS
    async with store.database.reading() as connection:
        assert await rows_of(connection) == rows
        assert (await connection.execute(select(func.count()).select_from(COMMUNITIES))).scalar_one() == 1
    assert await everything(store, busy) == before


async def broken_off(store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin to import and stop amid it, as a kill does: nothing is done after it."""
    pages, real = 0, staging.short_turn

    @asynccontextmanager
    async def stopped(database: Database, community_id: CommunityId | None = None) -> AsyncIterator[object]:
        nonlocal pages
        pages += 1
        if pages == 5:
            raise asyncio.CancelledError
        async with real(database, community_id) as session:
            yield session

    with monkeypatch.context() as while_importing:
        while_importing.setattr("storage.moving.incoming.short_turn", stopped)
        with pytest.raises(asyncio.CancelledError):
            await store.import_archive(path, guild_id=OTHER_GUILD)


async def hidden(database: Database) -> int:
    async with database.reading() as connection:
        asked = select(func.count()).select_from(COMMUNITIES).where(COMMUNITIES.c.guild_id < 0)
        return int((await connection.execute(asked)).scalar_one())


@pytest.mark.slow
async def test_what_a_kill_leaves_is_never_seen_and_makes_way_for_the_next_try(
    store: SqlStore, busy: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "community.zip"
    await store.export(busy, path)
    await broken_off(store, path, monkeypatch)
    assert await hidden(store.database) == 1
    assert await seen(store) == {busy}
    moved = await store.import_archive(path, guild_id=OTHER_GUILD)
    assert await hidden(store.database) == 0
    assert await everything(store, moved.community_id)
    async with store.reading() as read:
        assert len(await read.talk.search(moved.community_id, "line", room_ids=[AgentId(1)], limit=50)) == 50


@pytest.mark.slow
@pytest.mark.parametrize("store", ["file"], indirect=True)
async def test_what_a_kill_leaves_goes_at_the_next_start(
    store: SqlStore, busy: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "community.zip"
    await store.export(busy, path)
    async with store.database.reading() as connection:
        rows = await rows_of(connection)
    await broken_off(store, path, monkeypatch)
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db"):
        assert await hidden(store.database) == 1, "who only looks leaves alone what may be under way"
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db", post="run") as again:
        assert await again.gone_for_good()
        assert await hidden(again.database) == 0
        async with again.database.reading() as connection:
            assert await rows_of(connection) == rows


async def test_no_second_community_moves_in_at_the_same_time(
    store: SqlStore, busy: CommunityId, tmp_path: Path
) -> None:
    path = tmp_path / "community.zip"
    await store.export(busy, path)
    both = [store.import_archive(path, guild_id=Snowflake(78)) for _ in range(2)]
    first, second = await asyncio.gather(*both, return_exceptions=True)
    assert {type(first), type(second)} == {BadSetting, type(first if isinstance(second, BadSetting) else second)}
    assert await hidden(store.database) == 0
    async with store.reading() as read:
        assert len(await read.communities.all()) == 2
