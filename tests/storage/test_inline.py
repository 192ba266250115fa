"""Only what is known to be short holds the loop, and the connection's own thread ends quietly."""

import asyncio
import gc
import itertools
import random
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import NoneType

import aiosqlite
import pytest
from sqlalchemy import text

from bot.core.records import AgentId, CommunityId
from storage import inline
from storage.database import open_database
from storage.inline import FEW, IN_A_ROW, InlineConnection, connect, is_short
from storage.store import SqlStore
from tests.founding import founded
from tests.storage.lines import hear, said


def test_a_loop_that_closes_before_the_work_is_done_leaves_no_thread_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    hold, begun = threading.Event(), threading.Event()
    connections: list[aiosqlite.Connection] = []

    def slow() -> None:
        begun.set()
        hold.wait(5)

    async def leave_amid_work() -> None:
        connection = await connect(str(tmp_path / "left.db"))
        connections.append(connection)
        working = asyncio.create_task(connection._execute(slow))  # type: ignore[no-untyped-call]
        await asyncio.to_thread(begun.wait, 5)
        working.cancel()
        connection.stop()  # as SQLAlchemy ends the connection of a cancelled task: without waiting

    asyncio.run(leave_amid_work())
    hold.set()
    connections[0]._thread.join(5)
    assert not connections[0]._thread.is_alive()
    assert connections[0]._connection is None, "the file is still open"
    assert faults == []


KEYED = [
    "INSERT INTO people (community_id, id, username) VALUES (?, ?, ?) ON CONFLICT (community_id, id) DO NOTHING",
    "UPDATE letters SET state=? WHERE letters.community_id = ? AND letters.id = ?",
    "UPDATE agents SET beat_id=? WHERE agents.community_id = ? AND agents.id = ? AND agents.beat_id = ?",
    "UPDATE messages SET shown=? WHERE messages.community_id = ? AND messages.id IN (?, ?) AND messages.shown IS 0",
    "DELETE FROM parts WHERE parts.community_id = ? AND (parts.message_id = ? OR ? = 1) AND parts.discord_id = ?",
    'UPDATE counters SET "key"=? WHERE counters.community_id = ?',
    "INSERT INTO message_words (rowid, words, room) VALUES (?, ?, ?)",  # kept in memory until the commit
    "INSERT INTO message_words (rowid, words, room) SELECT ?, ?, ?"
    " WHERE ? <= coalesce((SELECT CAST(value AS INTEGER) FROM kept WHERE scope = 0 AND name = ?), ?)",
]
UNBOUNDED = [
    "UPDATE beats SET hud=? WHERE beats.community_id = ? AND beats.at >= ?",
    "UPDATE beats SET hud=? WHERE beats.community_id = ? AND beats.id IN (SELECT 1)",
    "UPDATE beats SET hud=? WHERE beats.community_id = ? AND beats.id IN (?, 1)".replace("1", ", ".join("?" * FEW)),
    "UPDATE beats SET hud=? WHERE beats.community_id = ? AND beats.id = ? OR beats.at >= ?",
    "UPDATE beats SET hud=?",
    "DELETE FROM parts WHERE parts.community_id = ? AND parts.message_id = ?",
    "DELETE FROM rooms WHERE rooms.community_id = ? AND rooms.id = ?",  # and all that was said there
    "INSERT INTO parts (community_id, discord_id) SELECT community_id, id FROM messages",
    "INSERT INTO message_words (message_words, rank) VALUES ('merge', ?)",
    "INSERT INTO message_words (message_words, rowid, words, room) VALUES ('delete', ?, ?, ?)",
    "VACUUM",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "REINDEX",
]


@pytest.mark.parametrize("statement", KEYED)
def test_what_writes_few_rows_by_their_whole_keys_is_done_on_the_loop(statement: str) -> None:
    assert is_short((statement, ("value",)))
    assert not is_short((statement, [("value",)] * (FEW + 1)))


@pytest.mark.parametrize("statement", KEYED)
async def test_of_what_is_taken_for_few_rows_sqlite_itself_says_so(statement: str) -> None:
    async with await SqlStore.open("sqlite://") as store, store.database.reading() as connection:
        values = (None,) * statement.count("?")
        plan = (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)).all()
    of_one_row = ("SCAN CONSTANT ROW", "SCALAR SUBQUERY 1", "SEARCH kept USING PRIMARY KEY (scope=? AND name=?)")
    assert all("USING PRIMARY KEY (community_id=?" in step.detail or step.detail in of_one_row for step in plan), plan


@pytest.mark.parametrize("statement", UNBOUNDED)
def test_what_may_write_any_number_of_rows_is_done_in_the_thread(statement: str) -> None:
    assert not is_short((statement, ("value",)))


@pytest.fixture
async def counting(tmp_path: Path) -> AsyncIterator[aiosqlite.Connection]:
    """Give a connection amid a transaction, over a table of many rows; `thread()` in SQL tells where it is asked."""
    connection = await connect(str(tmp_path / "counted.db"), isolation_level=None)
    await connection.create_function("thread", 0, threading.get_ident)
    await connection.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")
    cursor = await connection.cursor()
    await cursor.execute("BEGIN IMMEDIATE")
    await cursor.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(MANY)])
    yield connection
    await connection.close()


MANY = 20_000
LOOP = threading.get_ident


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("SELECT number, thread() FROM numbers", MANY),  # as it is fetched
        ("SELECT number, thread() FROM numbers ORDER BY -number", MANY),  # as it is executed
        ("SELECT count(*), thread() FROM numbers WHERE number % 2 = 0", 1),
    ],
)
async def test_a_read_that_goes_through_many_rows_is_given_to_the_thread(
    counting: aiosqlite.Connection, asked: str, count: int
) -> None:
    cursor = await counting.cursor()
    await cursor.execute("INSERT INTO numbers VALUES (-1)")
    for _ in range(3):
        await cursor.execute(asked)
        rows = list(await cursor.fetchall())
        assert len(rows) == count + (count == MANY)
        assert {row[1] for row in rows} == {counting._thread.ident}
    await counting.commit()
    await cursor.execute("SELECT count(*), thread() FROM numbers WHERE number < 2")
    assert await cursor.fetchone() == (3, LOOP()), "what was written before is still there, and little is read at once"


async def test_few_steps_that_take_long_are_left_to_the_thread(
    counting: aiosqlite.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over rows of many kilobytes each step takes as long as a hundred others."""
    asked = "SELECT count(*), thread() FROM numbers WHERE number < 1000"
    spent = itertools.count(step=0.006)
    monkeypatch.setattr(inline, "thread_time", lambda: next(spent))
    cursor = await counting.cursor()
    await cursor.execute(asked)
    assert await cursor.fetchone() == (1000, counting._thread.ident)
    monkeypatch.setattr(inline, "thread_time", lambda: 0.0)
    await cursor.execute(asked)
    assert await cursor.fetchone() == (1000, LOOP())


async def test_however_many_short_statements_follow_one_another_others_have_their_turn(
    counting: aiosqlite.Connection,
) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    cursor = await counting.cursor()
    places = []
    for _ in range(3 * IN_A_ROW):
        await cursor.execute("SELECT thread()")
        places += [row[0] for row in await cursor.fetchall()]
    task.cancel()
    assert turns >= 2
    assert places.count(LOOP()) > 2 * IN_A_ROW


@pytest.mark.parametrize("asked", ["rollback", "read", "write", "cursor"])
async def test_nothing_is_done_on_the_loop_while_the_thread_still_works(
    counting: aiosqlite.Connection, asked: str
) -> None:
    await counting.commit()  # what wrote nothing would be rolled back at once
    cursor = await counting.cursor()
    hold, begun = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        hold.wait(5)

    async def work() -> None:
        match asked:
            case "rollback":
                await counting.rollback()
            case "cursor":
                await (await counting.cursor()).close()
            case "read":
                await cursor.execute("SELECT thread()")
                assert list(await cursor.fetchall()) == [(counting._thread.ident,)]
            case "write":
                await cursor.execute("UPDATE counters SET letter = ? WHERE counters.community_id = ?", (1, 1))

    await counting.execute("CREATE TABLE counters (community_id INTEGER PRIMARY KEY, letter INTEGER)")
    working = asyncio.create_task(counting._execute(slow))  # type: ignore[no-untyped-call]
    await asyncio.to_thread(begun.wait, 5)
    working.cancel()  # who waited for it is gone, and it goes on
    task = asyncio.create_task(work())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not task.done()
    hold.set()
    await task
    await cursor.execute("SELECT thread()")
    assert list(await cursor.fetchall()) == [(LOOP(),)], "the thread is idle again"


async def test_what_breaks_in_the_thread_leaves_it_idle(counting: aiosqlite.Connection) -> None:
    cursor = await counting.cursor()
    for _ in range(3):
        with pytest.raises(aiosqlite.OperationalError):
            await cursor.execute("PRAGMA wal_checkpoint(NONSENSE")
        await cursor.execute("SELECT thread()")
        assert list(await cursor.fetchall()) == [(LOOP(),)]


@pytest.mark.long
async def test_who_is_cancelled_or_breaks_anywhere_leaves_whole_transactions_and_sound_connections(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)  # noqa: S311
    async with await SqlStore.open(f"sqlite:///{tmp_path}/shaken.db") as store:
        community_id = await founded(store, guild_id=9)

        async def write(number: int) -> None:
            async with store.writing(community_id) as write:
                await write.talk.add(community_id, [said("a word", number * 10 + place) for place in range(3)])
                if chance.random() < 0.2:
                    raise ZeroDivisionError

        async def read() -> None:
            async with store.database.reading() as connection:
                count = (await connection.execute(COUNT)).scalar()
                await connection.execute(MUCH)  # in the thread
                assert (await connection.execute(COUNT)).scalar() == count
                assert int(count or 0) % 3 == 0

        ended: list[object] = []
        for number in range(60):
            tasks = [asyncio.create_task(write(number * 10 + place) if place % 2 else read()) for place in range(6)]
            for task in tasks:
                for _ in range(chance.randrange(10)):
                    await asyncio.sleep(0)
                if chance.random() < 0.5:
                    task.cancel()
            ended += await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(one) for one in ended} == {NoneType, asyncio.CancelledError, ZeroDivisionError}
        async with store.database.reading() as connection:
            found = (await connection.execute(COUNT)).scalar()
            assert found == (await connection.execute(text("SELECT sum(message_count) FROM rooms"))).scalar()
            assert int(found or 0) > 0
            assert (await connection.execute(text("PRAGMA integrity_check"))).scalar() == "ok"


async def test_a_write_that_is_cancelled_anywhere_leaves_the_file_free_for_others_at_once(tmp_path: Path) -> None:
    chance = random.Random(11)  # noqa: S311
    database = await open_database(f"sqlite:///{tmp_path}/held.db")
    async with database.writing() as connection:
        await connection.execute(text("CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT)"))
    other = sqlite3.connect(tmp_path / "held.db", timeout=2, isolation_level=None, check_same_thread=False)

    async def write() -> None:
        async with database.writing() as connection:
            for _ in range(5):
                await connection.execute(text("INSERT INTO words (word) VALUES ('a')"))
                await connection.execute(text("UPDATE words SET word = 'b' WHERE word = 'a' RETURNING id"))

    gc.disable()  # what a cancelled task still refers to may not be what closes the file
    try:
        ended = []
        for _ in range(150):
            task = asyncio.create_task(write())
            asyncio.get_running_loop().call_later(chance.random() * 0.006, task.cancel)
            ended.append(task)
            await asyncio.wait([task])
            await asyncio.to_thread(other.execute, "INSERT INTO words (word) VALUES ('c')")
        assert any(task.cancelled() for task in ended)
    finally:
        gc.enable()
        other.close()
        await database.close()


COUNT = text("SELECT count(*) FROM messages")
MUCH = text("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT count(*) FROM n")


async def test_a_transaction_begins_on_the_loop_where_nobody_else_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, handed = await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db"), list[str]()
    in_thread = InlineConnection._in_thread

    async def noted(own: InlineConnection, fn: Callable[..., object], *args: object, **kwargs: object) -> object:
        handed.append(getattr(fn, "__name__", ""))
        return await in_thread(own, fn, *args, **kwargs)

    async with store:
        community_id = await founded(store, guild_id=9)
        monkeypatch.setattr(InlineConnection, "_in_thread", noted)
        async with store.writing(community_id) as write:
            await hear(write.talk, community_id, said("well"))
        assert handed[:1] == ["commit"]


async def test_who_writes_elsewhere_is_waited_for_beside_the_loop(tmp_path: Path) -> None:
    path = tmp_path / "selfroom.db"
    async with await SqlStore.open(f"sqlite:///{path}") as store:
        community_id = await founded(store, guild_id=9)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(write_a_line(store, community_id))
        for _ in range(100):  # the loop goes on
            await asyncio.sleep(0)
        assert not writing.done()
        other.execute("COMMIT")
        other.close()
        await writing
        async with store.reading() as read:
            assert await read.talk.history(community_id, AgentId(1))


async def write_a_line(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("well"))
