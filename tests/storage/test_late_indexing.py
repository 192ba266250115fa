"""The index of what people bring in is written bit by bit, and knows what becomes of the words meanwhile."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.core.records import AgentId, CommunityId, Snowflake
from storage import late_indexing
from storage.late_indexing import index_later, index_rest
from storage.session import Session
from storage.store import SqlStore
from storage.talking import unindex
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import hear, said

ROOM = AgentId(1)
COUNT = 8


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_indexing, "AT_A_TIME", 3)


async def come_in(store: SqlStore) -> CommunityId:
    """Have lines in a community of which none is in the index yet, as after a great import."""
    community_id = await founded(store, guild_id=9)
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"oak {number}", number) for number in range(COUNT)])
        shown = await write.talk.history(community_id, ROOM)
        await unindex(write.session, community_id, [(one.id, ROOM, one.content) for one in shown])
        await index_later(write.session, community_id)
    return community_id


async def found(store: SqlStore, community_id: CommunityId, query: str = "oak") -> list[str]:
    async with store.reading() as read:
        return sorted(one.content for one, _ in await read.talk.search(community_id, query, room_ids=[ROOM]))


async def changed(store: SqlStore, community_id: CommunityId) -> None:
    """Change, delete and add a line."""
    async with store.writing(community_id) as write:
        await write.talk.edit(community_id, Snowflake(1001), content="elm 1", edited_at=START, tokens=2)
        await write.talk.delete(community_id, [Snowflake(1002)], START)
        await hear(write.talk, community_id, said("oak 99", 99))


LEFT = sorted([f"oak {number}" for number in range(COUNT) if number not in (1, 2)] + ["oak 99"])


@pytest.mark.parametrize("pieces", [0, 1, 2])
async def test_what_changes_meanwhile_is_found_as_it_is(pieces: int) -> None:
    async with await SqlStore.open("sqlite://") as store:
        community_id = await come_in(store)
        assert await found(store, community_id) == []
        for _ in range(pieces):
            await late_indexing._some(store.database, community_id)
        await changed(store, community_id)
        await index_rest(store.database)
        assert await found(store, community_id) == LEFT
        assert await found(store, community_id, "elm") == ["elm 1"]
        async with store.database.writing() as connection:
            for_good = text("INSERT INTO message_words (message_words) VALUES ('integrity-check')")
            await Session(connection).run(for_good)
        await store.gone_for_good()
        async with store.writing(community_id) as write:
            await write.talk.delete_room(community_id, ROOM, START)
            left = await write.session.rows(
                text("SELECT rowid FROM message_words WHERE message_words MATCH 'oak OR elm'")
            )
        assert left == [], "each word left the index as often as it came into it"


async def test_who_finds_that_others_have_ended_it_writes_nothing_again() -> None:
    async with await SqlStore.open("sqlite://") as store:
        community_id = await come_in(store)
        await index_rest(store.database)
        assert await late_indexing._some(store.database, community_id)
        async with store.database.writing() as connection:
            await Session(connection).run(text("INSERT INTO message_words (message_words) VALUES ('integrity-check')"))
        assert len(await found(store, community_id)) == COUNT


async def test_the_index_is_written_to_the_end_after_a_stop(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/selfroom.db"
    async with await SqlStore.open(url) as store:
        await store.gone_for_good()
        community_id = await come_in(store)
        await late_indexing._some(store.database, community_id)
    async with await SqlStore.open(url) as store:
        await store.gone_for_good()
        assert len(await found(store, community_id)) == COUNT


async def test_what_is_changed_while_its_words_are_worked_out_comes_in_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with await SqlStore.open("sqlite://") as store:
        community_id = await come_in(store)
        real = asyncio.to_thread

        async def slow(work: Callable[[], object]) -> object:
            monkeypatch.setattr(asyncio, "to_thread", real)
            await changed(store, community_id)
            return await real(work)

        monkeypatch.setattr(asyncio, "to_thread", slow)
        await index_rest(store.database)
        assert await found(store, community_id) == LEFT
        assert await found(store, community_id, "elm") == ["elm 1"]
