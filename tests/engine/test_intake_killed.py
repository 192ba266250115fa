"""Killed at any moment of intake, the database opens and is whole: what was acknowledged is there, once."""

import asyncio
import random
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.core.events import MessagesDeleted
from bot.core.records import AgentId, CommunityId, Snowflake
from storage.store import SqlStore
from tests.engine.town import ADA, ADAS, town
from tests.factories import GUILD_ID
from tests.forked import forked

FIRST = 1_000


async def _take_in(url: str) -> None:
    async with town(url=url) as here:
        print("ready", flush=True)  # noqa: T201  # to the test that started this
        for number in range(FIRST, 1_000_000):
            await here.intake.take(here.seen(f"word {number}", id=number))
            if number % 5 == 0:
                gone = (Snowflake(number - 2),)
                await here.intake.take(MessagesDeleted(guild_id=GUILD_ID, channel_id=ADAS, message_ids=gone))
            print(number, flush=True)  # noqa: T201


def take_in(url: str) -> None:
    """Take in messages and deletions for ever, saying after each that it is stored."""
    asyncio.run(_take_in(url))


def expected(last: int) -> set[int]:
    """What is there when this was the last that was taken in whole."""
    deleted = {number - 2 for number in range(FIRST, last + 1) if number % 5 == 0}
    return {number for number in range(FIRST, last + 1) if number not in deleted}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
async def test_killed_in_the_middle_of_intake_the_database_is_whole(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's chance
    url = f"sqlite:///{tmp_path}/killed.db"
    with forked(take_in, url) as process:
        lines = [process.said.readline() for _ in range(chance.randrange(20, 60))]
        process.process.kill()
        code, rest = process.ends()
    assert code == -9
    lines += rest.splitlines()
    whole = [line for line in lines if line.strip().isdecimal()]
    await is_whole(url, int(whole[-1]))


async def is_whole(url: str, last: int) -> None:
    async with await SqlStore.open(url) as store, store.reading() as read:
        community = CommunityId(1)
        messages = await read.talk.history(community, ADA, limit=100_000)
        found = await read.talk.search(community, "word", room_ids=[AgentId(1)], limit=100_000)
        view = (await read.views.whole(community, room_ids=[ADA], messages=1)).rooms[ADA]
        async with store.database.reading() as connection:
            assert (await connection.execute(text("PRAGMA integrity_check"))).scalar() == "ok"
            assert (await connection.execute(text("PRAGMA foreign_key_check"))).all() == []
    ids = [message.discord_id for message in messages]
    assert len(ids) == len(set(ids))
    assert {message.id for message, _ in found} == {message.id for message in messages}
    assert view.older + len(view.messages) == len(messages)
    there = {id for id in ids if id is not None}
    assert there in (expected(last), expected(last) | {last + 1}, expected(last + 1)), (last, sorted(there)[-3:])
