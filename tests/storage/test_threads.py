"""Private threads as they are stored: places beside their rooms, on both databases."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import select

from bot.core.changes import AddLookup, AddMembership, RemoveMembership, SetFocus, UpdateRoom
from bot.core.kinds import Visibility
from bot.core.records import (
    PUBLIC_SIDE,
    AgentId,
    CommunityId,
    Focus,
    Lookup,
    Membership,
    MessageId,
    Room,
    Side,
    Snowflake,
)
from bot.core.view import Glance, Outline, View
from storage.prepared import Answers
from storage.session import Session
from storage.store import SqlStore
from storage.tables import MINDS, ROOMS
from tests.factories import membership
from tests.fakes import START
from tests.storage.lines import hear, said

HOST, GUEST, THIRD = (AgentId(id) for id in (1, 2, 3))
THREAD = Snowflake(77)


async def seen(store: SqlStore, community_id: CommunityId, *agents: AgentId) -> View:
    async with store.reading() as read:
        return await read.views.whole(community_id, agent_ids=agents)


async def opened(store: SqlStore, community_id: CommunityId, name: str = "Plans") -> AgentId:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [AddMembership(membership=membership(GUEST, HOST))])
        id = await write.rooms.add_thread(community_id, HOST, THREAD, name=name, at=START)
        await hear(write.talk, community_id, said("the lamp is under the oak", room_id=id))
    return id


async def test_a_thread_is_a_private_place_of_its_rooms_members(store: SqlStore, community_id: CommunityId) -> None:
    id = await opened(store, community_id)
    assert id not in (HOST, GUEST, THIRD)
    for view in (await seen(store, community_id, HOST), await glanced(store, community_id, HOST)):
        room = view.all_rooms[id]
        assert (room.thread_of, room.thread_name, room.channel_id) == (HOST, "Plans", THREAD)
        assert (room.visibility, int(room.side)) == (Visibility.PRIVATE, int(id))
        assert view.rooms[id].members == (HOST, GUEST)
        assert [one.content for one in view.rooms[id].messages] == ["the lamp is under the oak"]
        assert not view.rooms[HOST].messages
        assert id not in view.agents
    assert await opened(store, community_id, "New plans") == id
    assert (await seen(store, community_id, HOST)).all_rooms[id].thread_name == "New plans"


async def glanced(store: SqlStore, community_id: CommunityId, agent_id: AgentId) -> Glance:
    async with store.reading() as read:
        return await read.views.glance(community_id, agent_ids=[agent_id], messages=20)


async def test_members_of_the_room_come_into_its_threads_and_go(store: SqlStore, community_id: CommunityId) -> None:
    id = await opened(store, community_id)
    async with store.writing(community_id) as write:
        late = Membership(agent_id=THIRD, room_id=HOST, joined_at=START)
        await write.apply(community_id, [AddMembership(membership=late)])
    joined = (await seen(store, community_id, THIRD)).memberships[THIRD, id]
    assert joined.joined_after == MessageId(1)
    async with store.writing(community_id) as write:
        await write.apply(community_id, [RemoveMembership(agent_id=THIRD, room_id=HOST)])
    view = await seen(store, community_id, THIRD)
    assert (THIRD, id) not in view.memberships
    assert view.rooms.keys() == {THIRD}


async def test_a_thread_that_was_left_is_a_members_place_again_from_then_on(
    store: SqlStore, community_id: CommunityId
) -> None:
    id = await opened(store, community_id)
    async with store.writing(community_id) as write:
        await write.rooms.leave_thread(community_id, id)
    assert (HOST, id) not in (await seen(store, community_id, HOST)).memberships
    assert await opened(store, community_id) == id
    assert (await seen(store, community_id, HOST)).memberships[HOST, id].joined_after == MessageId(1)


async def test_a_thread_keeps_its_rooms_pace_and_silence(store: SqlStore, community_id: CommunityId) -> None:
    id = await opened(store, community_id)
    async with store.writing(community_id) as write:
        await write.apply(community_id, [UpdateRoom(room_id=HOST, fields={"wpm": 33, "hushed_until": START})])
    room = (await seen(store, community_id, HOST)).all_rooms[id]
    assert (room.wpm, room.hushed_until) == (33, START)


async def test_what_was_kept_on_the_side_of_a_thread_ends_with_it(store: SqlStore, community_id: CommunityId) -> None:
    id = await opened(store, community_id)
    async with store.writing(community_id) as write:
        note = SetFocus(agent_id=GUEST, side=Side(id), focus=Focus(notes=("oak",)))
        found = AddLookup(agent_id=GUEST, side=Side(id), lookup=Lookup(question="recall lamp", answer="oak"))
        await write.apply(community_id, [note, found])
        await write.talk.delete_room(community_id, id, START)
        await write.rooms.close_thread(community_id, id)
    view = await seen(store, community_id, GUEST)
    assert "oak" not in repr(view)
    async with store.reading() as read:
        assert await read.rooms.of_channel(community_id, THREAD) is None
        assert await read.talk.search(community_id, "oak", room_ids=[HOST, id]) == []


async def test_a_deleted_agent_takes_the_threads_in_its_room_along(store: SqlStore, community_id: CommunityId) -> None:
    id = await opened(store, community_id)
    async with store.writing(community_id) as write:
        note = SetFocus(agent_id=GUEST, side=Side(id), focus=Focus(notes=("oak",)))
        await write.apply(community_id, [note])
        await write.agents.delete(community_id, HOST, START)
    async with store.database.reading() as connection:
        assert (await connection.execute(select(MINDS.c.side).where(MINDS.c.side == id))).all() == []
    view = await seen(store, community_id, GUEST)
    assert {HOST, id} & (view.all_rooms.keys() | view.agents.keys()) == set()
    async with store.reading() as read:
        assert await read.talk.search(community_id, "oak", room_ids=[HOST, id]) == []


async def test_a_talk_in_a_thread_is_summed_up_for_itself(store: SqlStore, community_id: CommunityId) -> None:
    id = await opened(store, community_id)
    async with store.writing(community_id) as write:
        await write.apply(community_id, [UpdateRoom(room_id=id, fields={"compact_asked_at": START})])
    async with store.reading() as read:
        assert [one.room_id for one in await read.summaries.wanted(None)] == [id]


async def test_threads_of_unknown_kind_are_told_until_they_are_named(
    store: SqlStore, community_id: CommunityId, room_id: AgentId
) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("in a thread", thread_id=THREAD))
        await hear(write.talk, community_id, said("in another", 2, thread_id=Snowflake(78), thread_name="Roses"))
    async with store.reading() as read:
        assert await read.rooms.unnamed_threads(community_id, room_id) == [THREAD]
    async with store.writing(community_id) as write:
        await write.rooms.name_thread(community_id, room_id, THREAD, "Aside")
    async with store.reading() as read:
        assert await read.rooms.unnamed_threads(community_id, room_id) == []
        assert [one.thread_name for one in await read.talk.history(community_id, room_id)] == ["Aside", "Roses"]


def rooms_of(view: View) -> dict[AgentId, Room]:
    return dict(view.all_rooms)


async def test_an_archive_brings_threads_along(store: SqlStore, community_id: CommunityId) -> None:
    id = await opened(store, community_id)
    async with await store.clone(community_id) as copy:
        there = await seen(copy, community_id, HOST)
        assert rooms_of(there)[id] == rooms_of(await seen(store, community_id, HOST))[id]


async def shut(store: SqlStore, community_id: CommunityId, count: int) -> list[AgentId]:
    """Open private threads that nobody is in any more: one half is closed, and the bot has left the other."""
    ids = []
    async with store.writing(community_id) as write:
        for number in range(count):
            channel_id = Snowflake(1_000 + number)
            id = await write.rooms.add_thread(community_id, HOST, channel_id, name="Old", at=START)
            await (write.rooms.close_thread if number % 2 else write.rooms.leave_thread)(community_id, id)
            ids.append(id)
    return ids


async def rows_of(look: Callable[[], Awaitable[object]], monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the rows that are read for a look."""
    found: list[int] = []

    def counted(asked: Callable[..., Awaitable[Sequence[Any]]]) -> Callable[..., Awaitable[Sequence[Any]]]:
        async def counting(*args: Any) -> Sequence[Any]:  # noqa: ANN401
            rows = await asked(*args)
            found.append(len(rows))
            return rows

        return counting

    together = Session.together

    async def counted_together(*args: Any) -> Answers:  # noqa: ANN401
        answers = await together(*args)
        found.extend(len(one.rows) for one in answers.found.values())
        return answers

    with monkeypatch.context() as patch:
        for name in ("rows", "mappings"):
            patch.setattr(Session, name, counted(getattr(Session, name)))
        patch.setattr(Session, "together", counted_together)
        await look()
    return sum(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["glance", "action view", "HUD view"])
async def test_threads_that_nobody_is_in_cost_no_view_anything(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    mine = await opened(store, community_id)

    async def look() -> None:
        async with store.reading() as read:
            if kind == "glance":
                view: Outline = await read.views.glance(community_id, agent_ids=[HOST], messages=20)
            elif kind == "action view":
                view = await read.views.action_view(community_id, agent_ids=[HOST], room_ids=[GUEST], doors=True)
            else:
                view = await read.views.whole(community_id, agent_ids=[HOST])
        assert mine in view.all_rooms

    before = await rows_of(look, monkeypatch)
    await shut(store, community_id, 200)
    assert before
    assert await rows_of(look, monkeypatch) == before


async def test_a_thread_that_is_asked_for_by_its_id_is_in_view_though_nobody_is_in_it(
    store: SqlStore, community_id: CommunityId
) -> None:
    left, closed = await shut(store, community_id, 2)
    async with store.reading() as read:
        view = await read.views.action_view(community_id, agent_ids=(), room_ids=[closed], doors=False)
        assert [room.id for room in await read.rooms.threads(community_id)] == [left]
    async with store.database.reading() as connection:
        inside = await connection.execute(select(ROOMS.c.id).where(ROOMS.c.thread_of == HOST).order_by(ROOMS.c.id))
        assert inside.scalars().all() == [left, closed]
    assert view.all_rooms.keys() == {HOST, GUEST, THIRD, closed}


async def test_a_side_that_is_not_in_view_is_taken_for_that_of_a_thread(
    store: SqlStore, community_id: CommunityId
) -> None:
    left, _ = await shut(store, community_id, 2)
    view = await seen(store, community_id, HOST)
    assert left not in view.all_rooms
    assert view.is_thread(Side(left))
    assert not view.is_thread(PUBLIC_SIDE)
    assert not view.is_thread(Side(GUEST))
