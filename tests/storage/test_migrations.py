"""A database is brought up to date when it is opened, and nothing that goes wrong on the way damages it."""

import asyncio
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from bot.core.changes import AddAgent, EndBeat
from bot.core.errors import StoreError
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Beat, BeatId, Snowflake
from storage.database import Database, database_url
from storage.migrations import path as migrations
from storage.sqlite_statistics import tell_planner
from storage.store import SqlStore, migrate
from storage.tables import METADATA
from tests.factories import agent, room
from tests.fakes import START
from tests.storage.lines import hear, said
from tests.storage.town import settle_in

INDEX = (
    "CREATE VIRTUAL TABLE message_words USING fts5(words, room, content='', columnsize=0,"
    " tokenize='porter unicode61 remove_diacritics 2', detail=full)"
)


def schema(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'alembic_version'")
        found = {" ".join(row[0].split()) for row in rows}
    connection.close()
    return found


def make_tables(connection: Connection) -> None:
    """Make the newest schema at once, from the tables' own definitions."""
    METADATA.create_all(connection)
    connection.execute(text(INDEX))
    tell_planner(connection)


async def test_the_migrations_lead_to_the_tables_that_the_program_defines(tmp_path: Path) -> None:
    async with await SqlStore.open(f"sqlite:///{tmp_path}/migrated.db"):
        pass
    made = Database(database_url(f"sqlite:///{tmp_path}/made.db"))
    async with made.writing() as connection:
        await connection.run_sync(make_tables)
    await made.close()
    assert {line for line in schema(tmp_path / "made.db") if "alembic_version" not in line} == {
        line for line in schema(tmp_path / "migrated.db") if "alembic_version" not in line
    }


def test_the_revisions_are_those_that_alembic_finds_and_in_its_order() -> None:
    found = [one.revision for one in migrations.scripts().walk_revisions()]
    assert migrations.revisions() == tuple(reversed(found))


async def test_a_database_that_is_newer_than_the_program_is_refused(store: SqlStore) -> None:
    async with store.database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="newer than this program"):
        await migrate(store.database)
    async with store.database.writing() as connection:
        head = migrations.revisions()[-1]
        await connection.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": head})


@pytest.mark.parametrize("early", ["0001", "0015"])
async def test_a_database_from_before_the_first_release_is_refused(tmp_path: Path, early: str) -> None:
    database = await older_database(tmp_path / "selfroom.db")
    async with database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = :early"), {"early": early})
    with pytest.raises(StoreError, match="before the first release"):
        await migrate(database)
    await database.close()


async def older_database(path: Path, since: str = migrations.FIRST) -> Database:
    """Give a database of somebody who ran the program when this was the newest revision."""
    database = Database(database_url(f"sqlite:///{path}"))
    async with database.writing() as connection:
        await connection.run_sync(lambda sync: migrations.upgrade(sync, since))
        await connection.execute(text("INSERT INTO communities (guild_id, name, paused) VALUES (5, 'kept', 0)"))
    return database


@pytest.mark.parametrize("since", migrations.revisions())
async def test_a_database_of_any_revision_opens_with_what_is_in_it(tmp_path: Path, since: str) -> None:
    path = tmp_path / "selfroom.db"
    await (await older_database(path, since)).close()
    async with await SqlStore.open(f"sqlite:///{path}") as store, store.reading() as read:
        assert [one.name for one in await read.communities.all()] == ["kept"]
    async with await SqlStore.open(f"sqlite:///{tmp_path}/new.db"):
        pass
    statistics = {"CREATE TABLE sqlite_stat1(tbl,idx,stat)"}  # told with what is migrated
    assert schema(path) | statistics == schema(tmp_path / "new.db")


async def test_a_backup_is_made_before_a_database_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "selfroom.db"
    database = await older_database(path)
    assert await migrate(database)
    assert not await migrate(database)
    await database.close()
    backup = tmp_path / "selfroom.db.before-migration-from-0016"
    with sqlite3.connect(backup) as copy:
        assert copy.execute("SELECT name FROM communities").fetchall() == [("kept",)]
        assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("0016",)]
    copy.close()
    async with await SqlStore.open(f"sqlite:///{path}") as store, store.reading() as read:
        assert [community.name for community in await read.communities.all()] == ["kept"]


async def test_a_migration_that_fails_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "selfroom.db"
    database = await older_database(path)
    before = schema(path)
    real = migrations.scripts().get_revision("head").module

    def broken() -> None:
        real.op.execute("CREATE TABLE half (id INTEGER)")
        raise RuntimeError("the power went")

    monkeypatch.setattr(real, "upgrade", broken)
    with pytest.raises(RuntimeError, match="the power went"):
        await migrate(database)
    await database.close()
    assert schema(path) == before


KILLED = """
    import asyncio, os, signal, sys
    from pathlib import Path
    from storage.store import SqlStore
    {preparation}

    async def main() -> None:
        store = await SqlStore.open(sys.argv[1])
        {work}

    asyncio.run(main())
"""

KILL_IN_MIGRATION = """
    from storage.migrations import path as migrations
    migrations.scripts().get_revision("head").module.upgrade = lambda: os.kill(os.getpid(), signal.SIGKILL)
"""

KILL_IN_IMPORT = """
    from storage.moving import incoming
    async def dies(*_):
        os.kill(os.getpid(), signal.SIGKILL)
    incoming._Arrival._appear = dies  # all of it is written then, and not shown
"""


async def run_killed(url: str, preparation: str, work: str, *arguments: str) -> int:
    """Run a program that is killed on the way; gives its exit code."""
    program = textwrap.dedent(KILLED).format(preparation=textwrap.dedent(preparation), work=work)
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program, url, *arguments], check=False, capture_output=True, timeout=60
    )
    return ran.returncode


@pytest.mark.slow
async def test_a_kill_in_mid_migration_leaves_a_database_that_opens(tmp_path: Path) -> None:
    path = tmp_path / "selfroom.db"
    await (await older_database(path)).close()
    assert await run_killed(f"sqlite:///{path}", KILL_IN_MIGRATION, "pass") == -9
    async with await SqlStore.open(f"sqlite:///{path}") as store, store.reading() as read:
        assert [community.name for community in await read.communities.all()] == ["kept"]


@pytest.mark.slow
async def test_a_kill_in_mid_import_leaves_nothing_of_it(tmp_path: Path) -> None:
    path, archive = tmp_path / "selfroom.db", tmp_path / "community.zip"
    async with await SqlStore.open("sqlite:///:memory:") as source:
        community_id = await settle_in(source)
        async with source.writing(community_id) as write:
            await hear(write.talk, community_id, said("hello"))
        await source.export(community_id, archive)
    work = "await store.import_archive(Path(sys.argv[2]))"
    assert await run_killed(f"sqlite:///{path}", KILL_IN_IMPORT, work, str(archive)) == -9
    async with await SqlStore.open(f"sqlite:///{path}") as store:
        async with store.reading() as read:
            assert await read.communities.all() == []
        await store.import_archive(archive)


async def test_the_tables_are_those_of_the_migrations_on_postgresql_too(store: SqlStore) -> None:
    async with store.database.reading() as connection:
        there = await connection.run_sync(
            lambda sync: {
                name: {column["name"] for column in inspect(sync).get_columns(name)}
                for name in inspect(sync).get_table_names()
                if name in METADATA.tables
            }
        )
    assert there == {table.name: set(table.columns.keys()) for table in METADATA.sorted_tables}


async def test_sqlite_finds_nothing_wrong_with_what_was_used(tmp_path: Path) -> None:
    """Its check knows a table's key only where the key's columns come first."""
    async with await SqlStore.open(f"sqlite:///{tmp_path}/used.db") as store:
        async with store.writing() as write:
            community = await write.communities.add(Snowflake(9), "Testers")
        async with store.writing(community.id) as write:
            beat = Beat(id=BeatId(1), agent_id=AgentId(1), at=START, reason=ReasonKind.TIMER)
            await write.apply(community.id, [AddAgent(agent=agent(1), room=room(1)), EndBeat(beat=beat)])
    database = sqlite3.connect(tmp_path / "used.db")
    assert database.execute("SELECT beats FROM usage").fetchall() == [(1,)]
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
