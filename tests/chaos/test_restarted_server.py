"""PostgreSQL crashes in the midst of life and comes back: the bot waits, and nothing is lost or said twice."""

import asyncio
import random
import signal
from collections import Counter
from pathlib import Path

import aiohttp
import asyncpg
import pytest

from tests.chaos.cluster import cluster
from tests.chaos.crowd import Crowd, Person
from tests.chaos.processes import Discord, bot
from tests.chaos.trial import settle
from tests.chaos.trouble import ask

OPEN = "SELECT count(*) FROM letters WHERE state IN ('waiting', 'sending')"
HEARD = "SELECT discord_id FROM messages WHERE sender_kind IN ('person', 'architect')"
ADDRESSED = "SELECT count(*) FROM reasons WHERE kind = 'addressed'"
WAITING = (
    "SELECT r.agent_id, r.due_at, a.next_beat_at, a.beat_id, a.lease_until, a.paused_reason FROM reasons r"
    " JOIN agents a ON a.community_id = r.community_id AND a.id = r.agent_id WHERE r.kind = 'addressed'"
)
SENT = "SELECT count(*) FROM letters WHERE state = 'sent' AND kind = 'post'"


async def at_rest(database: asyncpg.Connection, said: int) -> None:
    """Wait until all is stored, answered and sent, those answers too whose beats the crash cut off."""
    heard, busy, quiet = 0, True, 0
    for _ in range(300):
        heard = len(await database.fetch(HEARD))
        busy = bool(heard < said or await database.fetchval(OPEN) or await database.fetchval(ADDRESSED))
        quiet = 0 if busy else quiet + 1
        if quiet > 15:
            return
        await asyncio.sleep(0.2)
    waiting = [dict(row) for row in await database.fetch(WAITING)]
    raise AssertionError(f"it never came to rest: {heard} of {said} heard, {busy=}, {waiting}")


@pytest.mark.e2e
async def test_a_server_that_crashes_and_comes_back_costs_nothing(tmp_path: Path) -> None:
    async with cluster() as server, aiohttp.ClientSession() as session, Discord(tmp_path / "discord") as discord:
        if server is None:
            pytest.skip("PostgreSQL is not installed here")
        about = await ask(session, "GET", f"{discord.url}/playground")
        owner = Person(session, about["api_url"], about["person"]["token"], int(about["person"]["user"]["id"]), "robin")
        child = bot(about, discord.url, tmp_path / "bot")
        child.env["SELFROOM_DATABASE_URL"] = server.url
        crowd = await settle(session, discord, owner, about, child, random.Random(9))  # noqa: S311 - a test's chance
        await crowd.talk(1.5)
        await server.end()
        await crowd.talk(1.0)
        assert child.said("database")
        await server.start()
        await crowd.talk(1.5)
        database = await asyncpg.connect(server.url)
        await at_rest(database, len(crowd.said))
        assert child.process is not None
        assert child.process.returncode is None
        await child.end(signal.SIGTERM)
        await compare(database, crowd)
        await database.close()


async def compare(database: asyncpg.Connection, crowd: Crowd) -> None:
    """Hold what is stored against what stands on Discord."""
    heard = Counter(row["discord_id"] for row in await database.fetch(HEARD))
    assert heard == Counter(one.message_id for one in crowd.said)
    shown = [one for id in crowd.rooms for one in await crowd.people[0].read(id) if one.get("webhook_id")]
    assert len(shown) == await database.fetchval(SENT) > 0
