"""What a transaction is likely to ask is read as it opens, and nothing that has changed since is decided on."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import bindparam, select

from bot.core.ports import Expected
from bot.core.records import CommunityId, Person, Snowflake
from storage.prepared import EVERYTHING, Prepared, read_by, written_by
from storage.rooms import of_channel
from storage.store import SqlStore
from storage.tables import COMMUNITIES, PEOPLE, REASONS, ROOMS
from storage.talking import known_as
from tests.fakes import START
from tests.founding import statements
from tests.storage.lines import hear, said

MIRA = Person(id=Snowflake(501), username="mira")
ALL = Expected(
    people=[MIRA.id],
    channels=[Snowflake(1001)],
    posts=[Snowflake(1077)],
    spent_on=START.date(),
    addressed_by=(MIRA.id, START),
)


async def test_what_was_expected_is_not_asked_again(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id, ALL) as write:
        with statements(store) as asked:
            people = await write.people.known(community_id, [MIRA.id])
            room_id = await write.rooms.of_channel(community_id, Snowflake(1001))
            spent = await write.money.spent(community_id, START.date())
            calls = await write.beats.addressed_by(community_id, MIRA.id, START)
            known = await write.talk.taken_back(community_id, Snowflake(1077))
    async with store.writing(community_id) as write:
        assert people == await write.people.known(community_id, [MIRA.id])
        assert room_id == await write.rooms.of_channel(community_id, Snowflake(1001))
        assert spent == await write.money.spent(community_id, START.date())
        assert calls == await write.beats.addressed_by(community_id, MIRA.id, START)
        assert known == await write.talk.taken_back(community_id, Snowflake(1077))
    assert asked == []


async def test_what_it_wrote_itself_is_seen(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id, ALL) as write:
        await write.people.put(community_id, MIRA)
        assert await write.people.known(community_id, [MIRA.id]) == {MIRA.id: MIRA}
        await hear(write.talk, community_id, said("well", 77))
        assert await write.talk.known_as(community_id, [Snowflake(1077)])
        await write.money.reserve(community_id, START.date(), usd=Decimal(1), tokens=7)
        assert await write.money.spent(community_id, START.date()) == (Decimal(1), 7)


async def test_what_others_wrote_before_is_seen(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id, ALL) as write:
        await write.people.put(community_id, MIRA)
    async with store.writing(community_id, ALL) as write:
        assert await write.people.known(community_id, [MIRA.id]) == {MIRA.id: MIRA}


async def test_something_else_is_asked_as_ever(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, MIRA)
        await write.money.reserve(community_id, START.date(), usd=Decimal(1), tokens=7)
    tomorrow = START.date() + timedelta(1)
    async with store.writing(community_id, Expected(people=[Snowflake(9)], spent_on=tomorrow)) as write:
        assert await write.people.known(community_id, [MIRA.id]) == {MIRA.id: MIRA}
        assert await write.money.spent(community_id, START.date()) == (Decimal(1), 7)
        assert await write.money.spent(community_id, tomorrow) == (Decimal(0), 0)


async def test_what_was_seen_within_a_part_that_is_undone_is_forgotten(
    store: SqlStore, community_id: CommunityId
) -> None:
    class Fault(Exception):
        """Something else."""

    async with store.writing(community_id) as write:
        question = known_as(write.session, community_id, [1077])
        with pytest.raises(Fault):
            async with write.savepoint():
                await hear(write.talk, community_id, said("well", 77))
                await write.session.ask_ahead([question])
                assert (await write.session.rows(*question))[0][1] is not None
                raise Fault
        assert (await write.session.rows(*question))[0][1] is None


async def test_a_deletion_leaves_nothing_that_was_known(store: SqlStore, community_id: CommunityId) -> None:
    """It takes rows of other tables with it."""
    async with store.writing(community_id, ALL) as write:
        await write.session.run(COMMUNITIES.delete().where(COMMUNITIES.c.id == community_id + 1))
        with statements(store) as asked:
            await write.people.known(community_id, [MIRA.id])
    assert len(asked) == 1


async def test_questions_in_an_order_or_with_two_meanings_are_refused(
    store: SqlStore, community_id: CommunityId
) -> None:
    ordered = Prepared(select(ROOMS.c.id).where(ROOMS.c.community_id == bindparam("its")).order_by(ROOMS.c.id))
    async with store.writing(community_id) as write:
        with pytest.raises(ValueError, match="any order"):
            await write.session.ask_ahead([(ordered, {"its": community_id})])
        with pytest.raises(ValueError, match="alike"):
            await write.session.ask_ahead([of_channel(community_id, Snowflake(1)), of_channel(community_id, MIRA.id)])


def test_it_is_told_which_tables_a_statement_changes() -> None:
    assert written_by(select(PEOPLE)) == frozenset()
    assert written_by(PEOPLE.insert()) == written_by(PEOPLE.update()) == {"people"}
    assert written_by(REASONS.delete()) == {"reasons"}
    assert written_by(ROOMS.delete()) == EVERYTHING  # with a room goes what hangs on it
    assert read_by("SELECT people.id FROM people, rooms") == {"people", "rooms"}
