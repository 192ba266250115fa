"""When the database cannot do what is asked, a person reads one sentence, and nothing that was acknowledged is lost."""

import asyncio
import os
import shutil
import sqlite3
import sys
import traceback
from asyncio.subprocess import PIPE
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.core.errors import BadSetting, StoreError
from bot.core.records import AgentId, CommunityId
from storage.database import database_url
from storage.faults import in_sentences
from storage.store import SqlStore
from storage.tables import BEATS
from tests.fakes import START
from tests.storage.databases import postgresql_database
from tests.storage.lines import hear, said
from tests.storage.town import settle_in
from tests.storage.unprivileged import UNPRIVILEGED

ROOM = AgentId(1)


async def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db") as store:
        community_id = await settle_in(store)
        async with store.writing(community_id) as write:
            await hear(write.talk, community_id, said("kept"))
        with pytest.raises(StoreError, match="disk that holds the database is full"):
            async with store.writing(community_id) as write:
                await write.session.run(text("PRAGMA max_page_count = 1"))
                await write.talk.add(
                    community_id, [said(f"lost {'x' * 2000} {number}", number) for number in range(2, 900)]
                )
        async with store.reading() as read:
            assert [message.content for message in await read.talk.history(community_id, ROOM)] == ["kept"]


async def test_a_locked_database_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.database.BUSY_MILLISECONDS", 20)
    path = tmp_path / "selfroom.db"
    async with await SqlStore.open(f"sqlite:///{path}") as store:
        other = sqlite3.connect(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            await settle_in(store)
        other.rollback()
        other.close()
        assert await settle_in(store) == 1


@pytest.mark.parametrize("damage", [b"this is no database at all " * 50, b"SQLite format 3\0" + b"\xff" * 8000])
async def test_a_file_that_is_no_database_says_so(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "selfroom.db"
    path.write_bytes(damage)
    with pytest.raises(StoreError, match=r"not a database|damaged"):
        await SqlStore.open(f"sqlite:///{path}")


async def test_a_page_that_was_overwritten_says_so(tmp_path: Path) -> None:
    path = tmp_path / "selfroom.db"
    async with await SqlStore.open(f"sqlite:///{path}") as store:
        community_id = await settle_in(store)
        async with store.writing(community_id) as write:
            await write.talk.add(community_id, [said(f"line {number}", number) for number in range(500)])
    data = bytearray(path.read_bytes())
    data[4096 * 2 :] = b"\x55" * (len(data) - 4096 * 2)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        async with await SqlStore.open(f"sqlite:///{path}") as store, store.reading() as read:
            await read.views.whole(community_id, agent_ids=[ROOM])


@pytest.mark.slow
async def test_a_file_that_may_be_written_again_is(tmp_path: Path) -> None:
    if os.getuid() == 0 and shutil.which(UNPRIVILEGED[0]) is None:
        pytest.skip("file modes do not bind root here")
    path = tmp_path / "whole" / "selfroom.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode = wal")
        file.execute("CREATE TABLE lines (number)")
        shutil.copytree(path.parent, tmp_path / "killed")  # its log is left, as when a process is killed
    path = tmp_path / "killed" / "selfroom.db"
    for one in path.parent.iterdir():
        one.chmod(0o400)
    program = await asyncio.create_subprocess_exec(
        *(UNPRIVILEGED if os.getuid() == 0 else ()),
        *(sys.executable, "-m", "tests.storage.unprivileged", str(path)),
        stdin=PIPE,
        stdout=PIPE,
    )
    assert program.stdin is not None and program.stdout is not None
    assert b"may not be written" in await program.stdout.readline()
    for one in path.parent.iterdir():
        one.chmod(0o600)
    program.stdin.write(b"\n")
    assert await program.stdout.readline() == b"written\n"
    program.stdin.write(b"\n")
    assert await program.wait() == 0


async def test_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="check that its folder exists"):
        await SqlStore.open(f"sqlite:///{tmp_path}/nowhere/selfroom.db")


@pytest.mark.parametrize("url", ["nonsense", "mysql://root@127.0.0.1/x"])
def test_an_address_that_cannot_be_used_says_what_can(url: str) -> None:
    with pytest.raises(BadSetting, match="sqlite"):
        database_url(url)


async def test_a_server_that_is_not_there_says_so() -> None:
    with pytest.raises(StoreError, match="connection to the database was lost"):
        await SqlStore.open("postgresql://nobody@127.0.0.1:1/selfroom")


async def test_a_database_that_does_not_exist_says_so() -> None:
    async with postgresql_database() as database:
        if database is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        with pytest.raises(StoreError, match="does not exist"):
            await SqlStore.open(f"{database.url}_nowhere")


async def test_a_connection_lost_in_mid_transaction_writes_nothing_and_the_next_one_works() -> None:
    async with postgresql_database() as database:
        if database is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        async with await SqlStore.open(database.url) as store:
            community_id = await settle_in(store)
            with pytest.raises(StoreError, match="connection to the database was lost"):
                async with store.writing(community_id) as write:
                    await hear(write.talk, community_id, said("lost"))
                    await database.server.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", database.name
                    )
                    await hear(write.talk, community_id, said("lost too", 2))
            async with store.reading() as read:
                assert await read.talk.history(community_id, ROOM) == []


async def test_connections_that_were_lost_while_idle_are_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.database.IDLE_SECONDS", 0.0)
    async with postgresql_database() as database:
        if database is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        async with await SqlStore.open(database.url) as store:
            community_id = await settle_in(store)
            await database.server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", database.name
            )
            async with store.writing(community_id) as write:
                assert await hear(write.talk, community_id, said("here again")) is not None


async def test_a_failure_inside_a_transaction_takes_everything_back(store: SqlStore, community_id: CommunityId) -> None:
    with pytest.raises(ZeroDivisionError):
        async with store.writing(community_id) as write:
            await hear(write.talk, community_id, said("never"))
            _ = 1 // 0
    async with store.reading() as read:
        assert await read.talk.history(community_id, ROOM) == []


@pytest.mark.parametrize("store", ["memory", "file", "postgresql"], indirect=True)
async def test_many_tasks_read_and_write_side_by_side(store: SqlStore, community_id: CommunityId) -> None:
    async def write_one(number: int) -> None:
        async with store.writing(community_id) as write:
            await hear(write.talk, community_id, said(f"line {number}", number))

    async def read_all() -> int:
        async with store.reading() as read:
            return len(await read.talk.history(community_id, ROOM))

    work = [write_one(number) if number % 2 else read_all() for number in range(40)]
    await asyncio.gather(*work)
    assert await read_all() == 20


async def test_a_transaction_inside_another_of_the_same_task_is_refused(tmp_path: Path) -> None:
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db") as store:
        with pytest.raises(RuntimeError, match="writing already"):
            async with store.writing(), store.writing():
                pass


@pytest.mark.parametrize(
    "told",
    [
        "the database system is starting up",
        "the database system is shutting down",
        "the database system is in recovery mode",
        "terminating connection due to administrator command",
        "connection was closed in the middle of operation",
    ],
)
def test_a_server_that_ends_or_begins_is_waited_for(told: str) -> None:
    with pytest.raises(StoreError, match="connection to the database was lost"), in_sentences():
        raise DBAPIError("SELECT 1", {}, Exception(told))


@pytest.mark.parametrize("url", ["sqlite:///:memory:", "postgresql"])
async def test_an_error_of_a_statement_tells_none_of_its_values(url: str, postgresql_url: str | None) -> None:
    if url == "postgresql" and postgresql_url is None:
        pytest.skip("no PostgreSQL server answers on this machine")
    async with await SqlStore.open(postgresql_url if url == "postgresql" and postgresql_url else url) as store:
        with pytest.raises(IntegrityError) as raised:
            async with store.database.writing() as connection:
                wrong = {"community_id": 987_654, "id": 1, "at": START, "reason": "open-sesame", "thoughts": "sesame"}
                rest = {"model": "sesame", "input_format": "sesame", "agents_in_call": 1, "agent_id": None}
                await connection.execute(insert(BEATS), wrong | rest)
    assert "sesame" not in "".join(traceback.format_exception(raised.value))
