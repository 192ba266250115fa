"""One Selfroom at a time runs on a database, whatever else is done with it meanwhile, and none that is dead."""

import asyncio
import os
import signal
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.core.errors import BadSetting
from storage.alone import Post, lock_beside
from storage.store import SqlStore
from tests.forked import Forked, forked
from tests.founding import founded
from tests.storage.killed import looked, ran
from tests.storage.test_kills import database

KINDS = ("sqlite", "postgresql")
BESIDE: tuple[Post, ...] = ("gateway", "mind")


@pytest.fixture(params=KINDS)
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    async with database(request.param, tmp_path / "data") as made:
        yield made


async def first_line(process: Forked) -> str:
    return (await asyncio.to_thread(process.said.readline)).strip()


async def test_two_processes_never_run_on_one_database(url: str) -> None:
    with forked(ran, url) as one:
        assert await first_line(one) == "runs"
        with forked(ran, url) as other:
            told = await first_line(other)
        assert "Another Selfroom runs on this database already" in told
        assert f"process {one.process.pid} on " in told
        assert "stop that one first" in told


async def test_who_is_killed_holds_nobody_up(url: str) -> None:
    with forked(ran, url) as one:
        assert await first_line(one) == "runs"
        one.process.kill()
        await asyncio.to_thread(one.process.join)
        told = ""
        for _ in range(100):  # a server notices a moment later that its client is gone
            with forked(ran, url) as other:
                if (told := await first_line(other)) == "runs":
                    return
    pytest.fail(told)


async def test_beside_one_that_runs_the_database_is_read_copied_and_moved(url: str, tmp_path: Path) -> None:
    with forked(ran, url) as one:
        assert await first_line(one) == "runs"
        async with await SqlStore.open(url) as store:
            community_id = await founded(store, guild_id=9)
            await store.export(community_id, tmp_path / "one.zip")
            if store.database.is_sqlite:
                await store.back_up(tmp_path / "copy.db")
        async with await SqlStore.open(f"sqlite:///{tmp_path}/other.db", post="run") as elsewhere:
            await elsewhere.import_archive(tmp_path / "one.zip")


async def test_what_is_written_after_another_program_looked_in_outlives_a_kill(url: str) -> None:
    """SQLite's log is removed by whoever thinks to be the last: then what is written there is nowhere."""
    async with await SqlStore.open(url, post="run") as store:
        async with store.reading(), store.reading():
            pass  # as many connections as a run has
        for there in range(2):
            with forked(looked, url) as other:
                assert other.ends() == (0, f"{there}\n")
            await founded(store, guild_id=9 + there)
        with forked(looked, url) as other:
            assert other.ends() == (0, "2\n")


async def test_a_second_one_in_the_same_process_is_refused_until_the_first_is_closed(url: str) -> None:
    async with await SqlStore.open(url, post="run"):
        with pytest.raises(BadSetting, match=f"process {os.getpid()} on "):
            await SqlStore.open(url, post="run")
    async with await SqlStore.open(url, post="run"):
        pass


async def test_a_link_to_a_database_is_that_database(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "selfroom.db")
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db", post="run"):
        with pytest.raises(BadSetting, match="runs on this database already"):
            await SqlStore.open(f"sqlite:///{tmp_path}/link.db", post="run")
    assert stat.S_IMODE(lock_beside(tmp_path / "selfroom.db").stat().st_mode) == 0o600


async def test_a_lock_that_cannot_be_taken_is_one_sentence(tmp_path: Path) -> None:
    lock_beside(tmp_path / "selfroom.db").symlink_to(tmp_path / "secret")  # what is written into it is nobody's file
    with pytest.raises(BadSetting, match=r"selfroom.db.lock cannot be opened"):
        await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db", post="run")
    assert not (tmp_path / "secret").exists()


async def test_two_databases_in_memory_are_two() -> None:
    async with await SqlStore.open("sqlite://", post="run"), await SqlStore.open("sqlite://", post="run"):
        pass


CUT_OFF = text(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


async def cut_off(store: SqlStore) -> None:
    """End the session that holds the lock, as a server does that is started again."""
    async with store.database.writing() as connection:
        assert (await connection.execute(CUT_OFF)).scalars().all() == [True]


async def test_a_server_that_went_away_keeps_nobody_from_ending(tmp_path: Path) -> None:
    async with database("postgresql", tmp_path) as url, await SqlStore.open(url, post="run") as store:
        await cut_off(store)


async def test_after_a_server_went_away_the_database_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.alone.LOOK_SECONDS", 0.01)
    async with database("postgresql", tmp_path) as url, await SqlStore.open(url, post="run") as store:

        async def is_held() -> bool:
            async with store.database.reading() as connection:
                return bool((await connection.execute(HELD)).scalar())

        await cut_off(store)
        async with asyncio.timeout(20):
            while not await is_held():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        with pytest.raises(BadSetting, match=f"process {os.getpid()} on "):
            await SqlStore.open(url, post="run")


HELD = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


@pytest.mark.long
async def test_who_lost_the_database_to_another_while_the_server_was_away_ends(tmp_path: Path) -> None:
    async with database("postgresql", tmp_path) as url:
        with forked(ran, url) as first:
            assert await first_line(first) == "runs"
            async with await SqlStore.open(url) as store:
                await cut_off(store)
                async with await SqlStore.open(url, post="run"):
                    code, _ = await asyncio.to_thread(first.ends)
    assert code == -signal.SIGTERM


async def test_beside_a_gateway_minds_stand_and_neither_another_nor_one_that_runs_all(tmp_path: Path) -> None:
    async with database("postgresql", tmp_path) as url:
        async with await SqlStore.open(url, post="gateway"), await SqlStore.open(url, post="mind"):
            async with await SqlStore.open(url, post="mind"):
                pass
            with pytest.raises(BadSetting, match=f"Another gateway runs .*process {os.getpid()} on .*minds .* many"):
                await SqlStore.open(url, post="gateway")
            with pytest.raises(BadSetting, match=r"Another Selfroom runs on this database already \(process"):
                await SqlStore.open(url, post="run")
        async with await SqlStore.open(url, post="run"):
            for post in BESIDE:
                with pytest.raises(BadSetting, match=r"alone .*process .*: stop it, and start it as"):
                    await SqlStore.open(url, post=post)
        async with await SqlStore.open(url, post="run"):
            pass


@pytest.mark.parametrize("post", BESIDE)
async def test_several_processes_need_a_database_that_they_can_share(tmp_path: Path, post: Post) -> None:
    with pytest.raises(BadSetting, match="Several processes need PostgreSQL: set SELFROOM_DATABASE_URL"):
        await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db", post=post)
