"""Killed at any moment of intake, an import or a migration, a database opens again, whole and consistent."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from bot.core.records import AgentId, CommunityId, Snowflake
from storage.database import Database, database_url
from storage.migrations.path import FIRST, upgrade
from storage.store import SqlStore
from storage.tables import ATTACHMENTS, COUNTERS, MESSAGES, ROOMS
from tests.fakes import START
from tests.forked import forked
from tests.storage.databases import postgresql_database
from tests.storage.killed import FILE, ROUNDS, worked
from tests.storage.lines import said
from tests.storage.town import settle_in

ROOM = AgentId(1)
KILLS = {"sqlite": 5, "postgresql": 2}  # a PostgreSQL server lives on, and only has to take one transaction back
Make = Callable[[str], Awaitable[None]]
Check = Callable[[SqlStore, str], Awaitable[None]]


async def ran(url: str, work: str, at: int, archive: Path) -> tuple[int, str]:
    """Run the work in a process that is killed at a step; gives its exit code and what it said."""
    with forked(worked, url, work, at, archive) as process:
        code, told = await asyncio.to_thread(process.ends)
    assert code in (0, -9), told
    return code, told


@asynccontextmanager
async def database(kind: str, folder: Path) -> AsyncIterator[str]:
    """An empty database of its own."""
    if kind == "sqlite":
        shutil.rmtree(folder, ignore_errors=True)
        await asyncio.to_thread(folder.mkdir)
        yield f"sqlite:///{folder}/selfroom.db"
        return
    async with postgresql_database() as made:
        if made is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        yield made.url


async def killed_everywhere(kind: str, work: str, folder: Path, make: Make, check: Check) -> None:
    """Kill the work at moments all along its way, each time in a database made anew, and look at what is left."""
    archive = folder / "community.zip"
    async with database(kind, folder / "whole") as url:
        await make(url)
        code, said_last = await ran(url, work, 0, archive)
        assert code == 0
        steps = int(re.findall(r"steps (\d+)", said_last)[0])
    kills = KILLS[kind]
    assert steps > 2 * kills
    for number in range(kills):
        async with database(kind, folder / "killed") as url:
            await make(url)
            code, told = await ran(url, work, 1 + (2 * number + 1) * steps // (2 * kills), archive)
            assert code == -9
            async with await SqlStore.open(url, post="run") as store:
                if work == "import":  # what came in half goes at the next start, and nobody saw it
                    await store.gone_for_good()
                await consistent(store, searched=work != "open")
                await check(store, told)


async def consistent(store: SqlStore, *, searched: bool = True) -> None:
    """Look whether all that the database counts is what it holds, and whether it can be written."""
    async with store.database.reading() as connection:
        if store.database.is_sqlite:
            assert (await connection.execute(text("PRAGMA integrity_check"))).all() == [("ok",)]
            assert (await connection.execute(text("PRAGMA foreign_key_check"))).all() == []
        here = (MESSAGES.c.community_id == ROOMS.c.community_id, MESSAGES.c.room_id == ROOMS.c.id)
        shown = select(func.count()).where(*here, MESSAGES.c.shown).scalar_subquery()
        assert all(row[0] == row[1] for row in (await connection.execute(select(ROOMS.c.message_count, shown))).all())
        ids = select(func.coalesce(func.max(MESSAGES.c.id), 0)).where(
            MESSAGES.c.community_id == COUNTERS.c.community_id
        )
        asked = select(COUNTERS.c.message, ids.scalar_subquery())
        assert all(last >= greatest for last, greatest in (await connection.execute(asked)).all())
        files = await connection.scalar(select(func.count()).select_from(ATTACHMENTS))
        assert files == await connection.scalar(select(func.coalesce(func.sum(MESSAGES.c.attachment_count), 0)))
    async with store.reading() as read:
        for community in await read.communities.all() if searched else ():  # the older database has no index
            for message in await read.talk.history(community.id, ROOM, limit=40):
                word = message.content.split()[0]
                found = [one.id for one, _ in await read.talk.search(community.id, word, room_ids=[ROOM], limit=50)]
                assert message.id in found


async def all_acknowledged(store: SqlStore, told: str) -> None:
    """What was said to be stored is there; what was not may be, whole or not at all; going on stores the rest."""
    stored = [int(number) for number in re.findall(r"stored (\d+)", told)]
    mended = [int(number) for number in re.findall(r"mended (\d+)", told)]
    async with store.reading() as read:
        lines = {one.discord_id: one for one in await read.talk.history(CommunityId(1), ROOM, limit=500)}
    for number in stored:
        assert {1000 + number, 1002 + number, 1003 + number} <= lines.keys()
        assert lines[Snowflake(1003 + number)].attachments == (FILE,)
    for number in mended:
        assert lines[Snowflake(1000 + number)].content == f"word{number} is mended"
        assert 1001 + number not in lines
    assert all((1000 + number in lines) == (1003 + number in lines) for number in range(0, ROUNDS * 4, 4))
    async with store.writing(CommunityId(1)) as write:
        await write.talk.add(CommunityId(1), [said(f"word{at} is said", at) for at in range(ROUNDS * 4)])
    await consistent(store)


async def settle(url: str) -> None:
    async with await SqlStore.open(url) as store:
        await settle_in(store)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_killed_while_messages_come_in(kind: str, tmp_path: Path) -> None:
    await killed_everywhere(kind, "intake", tmp_path, settle, all_acknowledged)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_killed_while_a_community_is_imported(kind: str, tmp_path: Path) -> None:
    archive = tmp_path / "community.zip"
    async with await SqlStore.open("sqlite:///:memory:") as source:
        community_id = await settle_in(source)
        async with source.writing(community_id) as write:
            await write.talk.add(community_id, [said(f"word{n} said", n, attachments=(FILE,)) for n in range(1_500)])
            await write.talk.delete(community_id, [Snowflake(1001)], START)
        whole = (await source.export(community_id, archive)).counts

    async def opened(url: str) -> None:
        async with await SqlStore.open(url):
            pass

    async def all_or_nothing(store: SqlStore, told: str) -> None:
        async with store.reading() as read:
            there = await read.communities.all()
        if not there:
            await store.import_archive(archive)
        async with store.reading() as read:
            assert await read.session.value(select(func.count()).select_from(MESSAGES)) == whole["messages"]

    await killed_everywhere(kind, "import", tmp_path, opened, all_or_nothing)


MESSAGE = """
INSERT INTO messages (community_id, id, room_id, sender_kind, sender_person_id, sender_name, content, type, sent_at,
                      discord_id, tokens, answers_from_agents, shown)
VALUES (1, :id, 1, 'person', 501, 'mira', 'look', 'text', :at, :discord_id, 5, 0, :shown)
"""


async def older(database: Database) -> None:
    """Make a database as the first revision leaves it, with 1,300 messages."""
    at = int(START.timestamp() * 1_000_000) if database.is_sqlite else START
    agent = (
        "INSERT INTO agents (community_id, id, name, type, prompt, model, temperature, interval_seconds,"
        " resting_interval_seconds, token_budget, knowledge_percent, recent_actions_percent, rooms_percent,"
        " input_format, output_format, can_create_agents, aliases, listens_to_bare_name, created_at, last_beat_silent,"
        " failures_in_a_row) VALUES (1, 1, 'Wren', 'persona', '', 'm', 0.7, 5, 10, 10000, 30, 10, 60, 'text', 'json',"
        " :no, '[]', :no, :at, :no, 0)"
    )
    room = (
        "INSERT INTO rooms (community_id, id, access, visibility, topic, billboard, wpm, rpm, agent_run, message_count)"
        " VALUES (1, 1, 'knock', 'public', '', '', 80, 200, 0, 1300)"
    )
    async with database.writing() as connection:
        await connection.run_sync(lambda sync: upgrade(sync, FIRST))
        await connection.execute(
            text("INSERT INTO communities (id, guild_id, name, paused) VALUES (1, 9, 'Testers', :no)"), {"no": False}
        )
        await connection.execute(text("INSERT INTO counters SELECT 1, 1, 1300, 0, 0, 0, 0, 0, 0"))
        await connection.execute(text(agent), {"no": False, "at": at})
        await connection.execute(text(room))
        lines = [{"id": id, "discord_id": id, "at": at, "shown": True} for id in range(1, 1_301)]
        await connection.execute(text(MESSAGE), lines)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_killed_while_a_database_is_migrated(kind: str, tmp_path: Path) -> None:
    async def make(url: str) -> None:
        made = Database(database_url(url))
        await older(made)
        await made.close()

    async def all_there(store: SqlStore, told: str) -> None:
        async with store.reading() as read:
            assert await read.session.value(select(func.count()).select_from(MESSAGES)) == 1_300
            assert await read.session.value(select(ROOMS.c.message_count)) == 1_300

    await killed_everywhere(kind, "open", tmp_path, make, all_there)
