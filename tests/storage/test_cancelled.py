"""Who is cancelled amid a transaction loses that transaction alone, wherever it was, also of a database in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

import pytest

from bot.core.changes import Audit
from bot.core.records import AgentId, CommunityId
from storage.store import SqlStore
from tests.fakes import START
from tests.founding import founded

MOST_STEPS = 200
KEPT = Audit(by="mira", what="kept", at=START)


async def glances(store: SqlStore, community_id: CommunityId) -> None:
    async with store.reading() as read:
        await read.views.glance(community_id, agent_ids=[AgentId(1)], messages=20)


async def lists(store: SqlStore, community_id: CommunityId) -> None:
    async with store.reading() as read:
        await read.beats.newest(community_id, AgentId(1))


async def writes(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.views.action_view(community_id, agent_ids=(), room_ids=(), doors=False)
        await write.apply(community_id, [Audit(by="mira", what="perhaps", at=START)])


@asynccontextmanager
async def lived_in() -> AsyncIterator[tuple[SqlStore, CommunityId]]:
    async with await SqlStore.open("sqlite://") as store:
        yield store, await founded(store)


@pytest.mark.parametrize("work", [glances, lists, writes])
async def test_a_database_in_memory_outlives_whoever_is_cancelled_at_any_moment(
    work: Callable[[SqlStore, CommunityId], Coroutine[None, None, None]],
) -> None:
    for steps in range(MOST_STEPS):
        async with lived_in() as (store, community_id):
            task = asyncio.create_task(work(store, community_id))
            for _ in range(steps):
                await asyncio.sleep(0)
            if task.done():
                assert steps > 1
                return
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with store.writing(community_id) as write:
                await write.apply(community_id, [KEPT])
            async with store.reading() as read:
                kept = [one.what for one in await read.logs.audit(community_id, limit=5)]
                assert kept in (["kept"], ["kept", "perhaps"])  # it may have been cancelled just after it was written
    raise AssertionError("it never came to an end")
