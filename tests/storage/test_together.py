"""Questions that are asked in one statement find what each finds alone, on both databases."""

from dataclasses import fields
from datetime import timedelta

import pytest
from sqlalchemy import bindparam, literal, select, text

from bot.core.records import CommunityId
from storage.prepared import Prepared, Together
from storage.questions import Questions, questions
from storage.session import Session
from storage.store import SqlStore
from storage.tables import COMMUNITIES, ROOMS
from tests.fakes import START
from tests.founding import statements
from tests.storage.lines import hear, said

NAMES = tuple(field.name for field in fields(Questions))
MANY = ("agents", "rooms", "members", "whole", "people", "ids", "posts")


async def _given(session: Session, community_id: CommunityId) -> dict[str, object]:
    many: dict[str, object] = {name: session.many((1, 2, 3)) for name in MANY}
    these = {"community_id": community_id, "minds": "[[1, 0], [2, 0], [3, 0]]"}
    return {**many, **these, "messages": 20, "characters": 100_000, "now": START + timedelta(1)}


@pytest.fixture
async def talked_in(store: SqlStore, community_id: CommunityId) -> CommunityId:
    async with store.writing(community_id) as write:
        for number in range(30):
            await hear(write.talk, community_id, said(f"well, {number}", number, room_id=1 + number % 3))
    return community_id


async def test_together_they_find_what_each_finds_alone(store: SqlStore, talked_in: CommunityId) -> None:
    is_sqlite = store.database.is_sqlite
    names = [name for name in NAMES if name != "newest" or not is_sqlite]
    asked = {name: getattr(questions(is_sqlite=is_sqlite), name) for name in names}
    async with store.database.reading() as connection:
        session = Session(connection)
        given = await _given(session, talked_in)
        alone = {name: await session.rows(one, given) for name, one in asked.items()}
        with statements(store) as all_of_it:
            found = await session.together(Together(**{name: one.statement for name, one in asked.items()}), given)
    assert len(all_of_it) == 1
    assert {name: sorted(map(repr, map(tuple, rows))) for name, rows in alone.items()} == {
        name: sorted(map(repr, map(tuple, found.rows(name)))) for name in names
    }
    assert sum(map(bool, alone.values())) >= 6  # what finds nothing shows nothing


async def test_what_tells_no_columns_is_asked_alone(store: SqlStore, community_id: CommunityId) -> None:
    asked = Together(one=text("SELECT 1"), other=select(ROOMS.c.id).where(ROOMS.c.community_id == bindparam("its")))
    async with store.database.reading() as connection:
        with pytest.raises(ValueError, match="by itself"):
            await Session(connection).together(asked, {"its": community_id})


async def test_what_gives_the_first_of_some_keeps_its_order(store: SqlStore, community_id: CommunityId) -> None:
    its = select(ROOMS.c.id).where(ROOMS.c.community_id == bindparam("its")).order_by(ROOMS.c.id.desc()).limit(1)
    async with store.database.reading() as connection:
        session = Session(connection)
        with pytest.raises(ValueError, match="subquery"):
            await session.together(Together(last=its), {"its": community_id})
        found = await session.together(Together(last=select(*its.subquery().c)), {"its": community_id})
    assert found.rows("last") == [(3,)]


async def test_it_is_the_same_whether_somebody_listens_or_not(store: SqlStore, talked_in: CommunityId) -> None:
    asked = Together(residents=questions(is_sqlite=store.database.is_sqlite).residents.statement)
    async with store.database.reading() as connection:
        session = Session(connection)
        given = await _given(session, talked_in)
        unheard = await session.together(asked, given)
        with statements(store):
            heard = await session.together(asked, given)
    assert unheard.rows("residents") == heard.rows("residents") != []


async def test_values_of_one_do_not_reach_another(store: SqlStore, community_id: CommunityId) -> None:
    """Values that stand in a statement itself have names of its own, which others may have too."""
    its = COMMUNITIES.c.id == bindparam("its")
    asked = Together(one=select(literal(7)).where(its), other=select(literal("seven"), COMMUNITIES.c.name).where(its))
    async with store.database.reading() as connection:
        found = await Session(connection).together(asked, {"its": community_id})
    assert (found.rows("one"), found.rows("other")) == ([(7,)], [("seven", "Testers")])


async def test_they_are_read_by_name_too(store: SqlStore, community_id: CommunityId) -> None:
    asked = Together(rooms=select(ROOMS.c.id, ROOMS.c.access).where(ROOMS.c.community_id == bindparam("its")))
    async with store.database.reading() as connection:
        session = Session(connection)
        found = await session.together(asked, {"its": community_id})
        alone = await session.mappings(Prepared(select(ROOMS.c.id, ROOMS.c.access).order_by(ROOMS.c.id)))
    assert sorted(found.mappings("rooms"), key=lambda row: int(row["id"])) == alone
