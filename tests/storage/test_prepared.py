"""What is asked with each message and beat goes straight to SQLite, and gives what SQLAlchemy's way gives."""

from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError

from bot.core.records import AgentId, CommunityId
from storage import inline
from storage.ids import READ
from storage.inline import IN_A_ROW, InlineConnection
from storage.prepared import Lane, Prepared
from storage.questions import questions
from storage.session import Session, putting
from storage.store import SqlStore
from storage.tables import COMMUNITIES, COUNTERS, ROOMS
from tests.fakes import START
from tests.founding import founded, statements
from tests.storage.lines import hear
from tests.storage.lines import said as line

MANY = "[1, 2, 3]"
ASKED = {
    "agents": MANY,
    "rooms": MANY,
    "members": MANY,
    "whole": MANY,
    "minds": "[[1, 0], [2, 0], [3, 0]]",
    "people": MANY,
    "ids": MANY,
    "posts": MANY,
    "messages": 20,
    "now": START,
    "characters": 100_000,
}


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    async with await SqlStore.open("sqlite://") as opened:
        await founded(opened, guild_id=9)
        async with opened.writing(CommunityId(1)) as write:
            for number in range(30):
                await hear(write.talk, CommunityId(1), line("well", number, room_id=1 + number % 3))
        yield opened


@pytest.mark.parametrize("name", questions(is_sqlite=True).__dataclass_fields__)
async def test_a_question_is_answered_the_same_either_way(store: SqlStore, name: str) -> None:
    asked = getattr(questions(is_sqlite=True), name)
    given = {"community_id": 1} | ASKED
    async with store.database.reading() as connection:
        session = Session(connection)
        assert connection.sync_connection is not None
        straight = Lane(connection.sync_connection).rows(asked, given)
        assert straight is not None
        with statements(store) as said:
            around = await session.rows(asked, given)
            named = await session.mappings(asked, given)
    assert len(said) == 2
    assert straight[0] == [tuple(row) for row in around]
    assert [dict(zip(straight[1].names, row, strict=False)) for row in straight[0]] in (named, [{} for _ in named])


async def test_what_is_refused_is_refused_as_ever(store: SqlStore) -> None:
    row = {"community_id": 1, "id": 1, "access": "open", "visibility": "public", "wpm": 60, "rpm": 6}
    with pytest.raises(IntegrityError) as fault:
        async with store.database.writing() as connection:
            await Session(connection).put(ROOMS, [row])
    assert "public" not in str(fault.value)


async def test_what_was_straightly_written_goes_with_its_transaction(store: SqlStore) -> None:
    class Fault(Exception):
        """Something else."""

    with pytest.raises(Fault):
        async with store.writing(CommunityId(1)) as write:
            write.ids.take("message")
            await hear(write.talk, CommunityId(1), line("well", 50))
            raise Fault
    async with store.reading() as read:
        assert len(await read.talk.history(CommunityId(1), AgentId(1), limit=100)) == 10


async def test_others_have_their_turn_after_so_many(store: SqlStore) -> None:
    async with store.database.reading() as connection:
        assert connection.sync_connection is not None
        lane = Lane(connection.sync_connection)
        taken = [lane.rows(READ, {"of_community": 1}) is not None for _ in range(2 * IN_A_ROW)]
        assert not taken[-1]
        await Session(connection).rows(READ, {"of_community": 1})
        assert lane.rows(READ, {"of_community": 1}) is not None


async def test_a_read_that_is_too_long_for_the_loop_is_tried_there_once(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[object] = []
    bounded = InlineConnection._within_bounds

    def counted(own: InlineConnection, read: Callable[[], object]) -> object:
        tries.append(read)
        return bounded(own, read)

    monkeypatch.setattr(inline, "STEPS", 1)
    monkeypatch.setattr(inline, "STEPS_A_TICK", 1)
    monkeypatch.setattr(InlineConnection, "_within_bounds", counted)
    async with store.database.reading() as connection:
        rows = await Session(connection).rows(questions(is_sqlite=True).reasons, {"community_id": 1} | ASKED)
    assert (rows, len(tries)) == ([], 1)


async def test_whoever_listens_hears_of_every_statement(store: SqlStore) -> None:
    async with store.writing(CommunityId(1)) as write:
        with statements(store) as said:
            await hear(write.talk, CommunityId(1), line("well", 70))
    assert any(one.startswith("INSERT INTO messages") for one in said)


async def test_values_of_the_statement_itself_and_defaults_stay(store: SqlStore) -> None:
    asked = Prepared(
        select(COMMUNITIES.c.name).where(COMMUNITIES.c.id == bindparam("its"), COMMUNITIES.c.guild_id == 9)
    )
    async with store.database.reading() as connection:
        assert await Session(connection).rows(asked, {"its": 1}) == [("Testers",)]
        assert await Session(connection).rows(asked, {"its": 2}) == []
    await_default = putting(COUNTERS, is_sqlite=True)
    async with store.database.writing() as connection:
        await Session(connection).run(COMMUNITIES.insert(), {"id": 5, "guild_id": 55, "name": "x", "paused": False})
        assert await Session(connection).run(await_default, [{"community_id": 5}]) == 1
        assert (await Session(connection).rows(READ, {"of_community": 5}))[0][0] == 0
