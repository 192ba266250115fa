"""How fast the store is, and how it grows, on SQLite and (where it runs) on PostgreSQL.

SELFROOM_BENCH_MESSAGES sets how many messages lie there already (100,000 when it is not set; the figures that were
promised are for 1,000,000).
"""

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path

from sqlalchemy import text

from bot.core.changes import AddAgent, AddMembership
from bot.core.ports import NewMessage
from bot.core.records import AgentId, CommunityId, Snowflake
from storage.store import SqlStore
from tests.bench import Figure
from tests.bench.bare import bare, heard
from tests.factories import agent, by_person, membership, room
from tests.fakes import START
from tests.storage.databases import postgresql_database
from tests.storage.lines import hear

ROOMS = 50
ROOMS_PER_AGENT = 5
TIMES = 30
HEADS = ["ba", "de", "ki", "lo", "mu", "ra", "se", "ti", "vo", "za"]
WORDS = [f"{head}{tail}" for head in HEADS for tail in ("n", "r", "st", "lk", "mp", "ton", "vel")]
FIRST_ID = 1_000_000_000_000


def line(chance: random.Random, number: int, room_id: int) -> NewMessage:
    """Give a message of about 25 tokens."""
    person = chance.randrange(40)
    words = [chance.choice(WORDS) for _ in range(chance.randrange(4, 28))]
    if number % 997 == 0:
        words.append("zebra")
    return NewMessage(
        room_id=AgentId(room_id),
        discord_id=Snowflake(FIRST_ID + number),
        thread_id=None,
        sender=by_person(f"person{person}", 500 + person),
        content=" ".join(words),
        sent_at=START + timedelta(seconds=number),
        edited=False,
        reply_to=Snowflake(FIRST_ID + number - 50) if number % 5 == 4 and number > 50 else None,
        attachments=(),
        tokens=len(words) + 10,
    )


async def settle(store: SqlStore) -> CommunityId:
    """Make a community of 50 agents that are in 5 rooms each."""
    async with store.writing() as write:
        community = await write.communities.add(Snowflake(1), "Bench")
    async with store.writing(community.id) as write:
        ids = [write.ids.take("agent") for _ in range(ROOMS)]
        await write.apply(community.id, [AddAgent(agent=agent(id), room=room(id)) for id in ids])
        others = [(id, (id + step - 1) % ROOMS + 1) for id in ids for step in range(1, ROOMS_PER_AGENT)]
        await write.apply(community.id, [AddMembership(membership=membership(id, other)) for id, other in others])
    return community.id


async def fill(store: SqlStore, community_id: CommunityId, count: int) -> float:
    """Store messages in bulk; gives messages per second."""
    chance = random.Random(7)  # noqa: S311  # the same text each time
    start = time.perf_counter()
    for first in range(0, count, 5_000):
        numbers = range(first, min(count, first + 5_000))
        lines = [line(chance, number, number % ROOMS + 1) for number in numbers]
        async with store.writing(community_id) as write:
            await write.talk.add(community_id, lines)
    return count / (time.perf_counter() - start)


async def median(work: Callable[[int], Awaitable[object]], times: int = TIMES) -> float:
    """Give the median time of some work in milliseconds."""
    spans: list[float] = []
    for number in range(times):
        start = time.perf_counter()
        await work(number)
        spans.append((time.perf_counter() - start) * 1000)
    return statistics.median(spans)


async def settle_down(store: SqlStore) -> None:
    """Give PostgreSQL the statistics that it would gather by itself within a minute."""
    if not store.database.is_sqlite:
        async with store.database.writing() as connection:
            await connection.execute(text("ANALYZE"))


class Timed:
    """The work that is measured."""

    def __init__(self, store: SqlStore, community_id: CommunityId, count: int) -> None:
        self.store, self.community_id, self.count = store, community_id, count
        self.chance = random.Random(11)  # noqa: S311
        self.everyone = [AgentId(id) for id in range(1, ROOMS + 1)]

    async def store_one(self, number: int) -> None:
        new = line(self.chance, self.count + number, number % ROOMS + 1)
        async with self.store.writing(self.community_id) as write:
            await hear(write.talk, self.community_id, new)

    async def view_all(self, number: int) -> None:
        async with self.store.reading() as read:
            await read.views.whole(self.community_id, agent_ids=self.everyone, messages=50)

    async def view_all_long(self, number: int) -> None:
        async with self.store.reading() as read:
            await read.views.whole(self.community_id, agent_ids=self.everyone)

    async def newest(self, number: int) -> None:
        async with self.store.reading() as read:
            await read.talk.history(self.community_id, AgentId(number % ROOMS + 1), limit=200)

    async def clone(self, number: int) -> None:
        await (await self.store.clone(self.community_id)).close()

    def search(self, words: str, rooms: Sequence[AgentId]) -> Callable[[int], Awaitable[object]]:
        async def ask(number: int) -> None:
            async with self.store.reading() as read:
                await read.talk.search(self.community_id, words, room_ids=rooms)

        return ask


async def against_bare(timed: Timed, name: str, at: str) -> list[Figure]:
    """Set reads beside the same statements by the bare driver, in one run, the least time of each."""
    figures: list[Figure] = []
    works = {
        "newest_200": timed.newest,
        "view_50x5": timed.view_all,
        "search_common": timed.search("ban", [AgentId(1)]),
    }
    async with bare(timed.store) as replay:
        for what, work in works.items():
            with heard(timed.store) as said:
                await work(0)
            ours, theirs = await least(work), await replay(said)
            target = 2.0 if what == "newest_200" else None
            figures.append(Figure(name=f"{name}{what}_to_bare{at}", value=ours / theirs, unit="x bare", target=target))
            figures.append(Figure(name=f"{name}{what}_bare{at}", value=theirs, unit="ms"))
    return figures


async def least(work: Callable[[int], Awaitable[object]]) -> float:
    """Give the least time of some work, which is always the same, in milliseconds."""
    spans: list[float] = []
    for _ in range(TIMES):
        start = time.perf_counter()
        await work(0)
        spans.append((time.perf_counter() - start) * 1000)
    return min(spans)


async def measure(url: str, kind: str, count: int, size: Callable[[], Awaitable[int]]) -> list[Figure]:
    """Fill a database and measure it."""
    async with await SqlStore.open(url) as store:
        community_id = await settle(store)
        bulk = await fill(store, community_id, count)
        await settle_down(store)
        timed = Timed(store, community_id, count)
        few = timed.everyone[:5]
        name = f"storage.{kind}."
        at = f"_at_{count}"
        bytes_per_thousand = await size() / count * 1000
        cloned = await median(timed.clone, 3) / count * 10_000 if count <= 100_000 else None
        figures = [
            Figure(name=f"{name}bulk{at}", value=bulk, unit="messages/s", target=5_000, better="higher"),
            Figure(name=f"{name}store_one{at}", value=await median(timed.store_one, 200), unit="ms", target=2),
            Figure(name=f"{name}view_50x5{at}", value=await median(timed.view_all), unit="ms", target=30),
            Figure(name=f"{name}view_50x5_of_200{at}", value=await median(timed.view_all_long), unit="ms"),
            Figure(name=f"{name}newest_200{at}", value=await median(timed.newest), unit="ms", target=2),
            Figure(name=f"{name}search_common{at}", value=await median(timed.search("ban", few)), unit="ms", target=20),
            Figure(name=f"{name}search_rare{at}", value=await median(timed.search("zebra", few)), unit="ms", target=20),
            Figure(
                name=f"{name}search_two{at}", value=await median(timed.search("ban kist", few)), unit="ms", target=20
            ),
            Figure(
                name=f"{name}search_none{at}",
                value=await median(timed.search("ban nothing", few)),
                unit="ms",
                target=20,
            ),
            Figure(name=f"{name}kilobytes_per_1000{at}", value=bytes_per_thousand / 1024, unit="KiB"),
        ]
        figures += await against_bare(timed, name, at)
        if cloned is not None:
            figures.append(Figure(name=f"{name}clone_per_10000{at}", value=cloned, unit="ms", target=200))
        return figures


async def measure_sqlite(count: int) -> list[Figure]:
    """Measure a SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"

        async def size() -> int:
            with_log = (path, path.with_name("bench.db-wal"))  # much may not be written back yet
            return sum(file.stat().st_size for file in with_log if file.exists())

        return await measure(f"sqlite:///{path}", "sqlite", count, size)


async def measure_postgresql(count: int) -> list[Figure]:
    """Measure PostgreSQL, where it runs."""
    async with postgresql_database() as database:
        if database is None:
            return []
        return await measure(database.url, "postgresql", count, database.size)


def run() -> list[Figure]:
    """Measure both databases, at a tenth of the messages too: so one sees what grows."""
    count = int(os.environ.get("SELFROOM_BENCH_MESSAGES", "100000"))
    figures: list[Figure] = []
    for messages in (count // 10, count):
        figures += asyncio.run(measure_sqlite(messages))
        figures += asyncio.run(measure_postgresql(messages))
    return figures
