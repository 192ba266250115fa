"""Places for calls that processes on one PostgreSQL share: never more than there are, and none lost with a process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import asyncpg
import pytest

from storage.places import Places
from storage.store import SqlStore
from tests.storage.databases import postgresql_database

OURS = "pg_locks JOIN pg_database ON oid = database WHERE locktype = 'advisory' AND datname = current_database()"
HELD = f"SELECT count(*) FROM {OURS}"  # noqa: S608 - our own words
ENDED = f"SELECT pg_terminate_backend(pid) FROM {OURS}"  # noqa: S608 - our own words
MOST = 3


@asynccontextmanager
async def processes(number: int) -> AsyncIterator[tuple[list[Places], asyncpg.Connection]]:
    """Open so many stores on one database, as processes of their own would, and one more line to it."""
    async with postgresql_database() as made, AsyncExitStack() as stack:
        if made is None:
            pytest.skip("no PostgreSQL server answers on this machine")
        stores = [await stack.enter_async_context(await SqlStore.open(made.url)) for _ in range(number)]
        line = await asyncpg.connect(made.url)
        stack.push_async_callback(line.close)
        those = [Places(store.database) for store in stores]
        for one in those:
            stack.push_async_callback(one.close)
        yield those, line


async def test_all_processes_together_hold_no_more_places_than_there_are() -> None:
    async with processes(3) as (those, line):
        running = most = 0

        async def call(places: Places) -> None:
            nonlocal running, most
            async with places.place("a server", MOST):
                running += 1
                most = max(most, running)
                for _ in range(20):
                    await asyncio.sleep(0)
                await line_is_asked(line)
                running -= 1

        turn = asyncio.Lock()

        async def line_is_asked(one: asyncpg.Connection) -> None:
            async with turn:
                assert await one.fetchval(HELD) <= MOST

        async with asyncio.timeout(60):
            await asyncio.gather(*(call(places) for places in those * 8))
        assert most == MOST
        assert await line.fetchval(HELD) == 0


async def test_servers_do_not_share_their_places() -> None:
    async with (
        processes(2) as ((first, second), _),
        asyncio.timeout(60),
        first.place("a server", 1),
        second.place("another server", 1),
    ):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3), second.place("a server", 1):
                raise AssertionError("the place was given twice")


async def test_the_places_of_a_process_whose_session_ends_are_free_and_its_own_calls_go_on() -> None:
    async with processes(2) as ((first, second), line), asyncio.timeout(60):
        async with first.place("a server", 1):
            await line.execute(ENDED)
            async with second.place("a server", 1):
                pass
        async with first.place("a server", 1):
            assert await line.fetchval(HELD) == 1
        assert await line.fetchval(HELD) == 0


async def test_who_gives_up_waiting_leaves_nothing_behind() -> None:
    async with processes(2) as ((first, second), line), asyncio.timeout(60):
        async with first.place("a server", 1):
            waiting = [asyncio.create_task(hold(second)) for _ in range(5)]
            await asyncio.wait(waiting, timeout=0.1)
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)
        assert await line.fetchval(HELD) == 0
        await hold(second)


async def hold(places: Places) -> None:
    async with places.place("a server", 1):
        await asyncio.sleep(0)


async def test_who_is_alone_on_a_database_waits_for_nobody() -> None:
    async with await SqlStore.open("sqlite://") as store, AsyncExitStack() as stack:
        for _ in range(3):
            await stack.enter_async_context(store.call_place("a server", 1))
