"""What actions look at and write is the same on every database."""

from datetime import timedelta
from typing import Any

import pytest

from bot.core.actions import CreateKey, GiveKey, GrantAccess, RequestAccess
from bot.core.answers import parse_answer
from bot.core.changes import AddRequest
from bot.core.circumstances import Inquiry
from bot.core.kinds import Emotion, OutputFormat, RequestState
from bot.core.records import AccessRequest, AgentId, RequestId, Snowflake
from storage.prepared import Answers
from storage.session import Rows, Session
from storage.store import SqlStore
from storage.tables import HOLDERS
from tests.bench.actions import busy_day, many_kinds
from tests.engine.performer.house import ADA, BO, CY, move_in
from tests.factories import by_agent


async def test_twenty_actions_of_many_kinds_are_written(store: SqlStore) -> None:
    house = await move_in(store)
    ids = [int(await house.said_by_agent(ADA, f"line {n}")) for n in range(2)]
    for text in (many_kinds(ids), busy_day(ids)):
        actions = parse_answer(text, asked=[BO], output_format=OutputFormat.JSON).replies[BO].actions
        outcomes = await house.act(BO, *actions)
        assert [one.why for one in outcomes if not one.accepted] == []
    mind = await house.mind(BO)
    assert mind.focus.current_task == "tea"
    assert dict(mind.knowledge)["seen"] == ["thing 0", "thing 1", "thing 0", "thing 1", "thing 2"]
    assert (await house.view()).all_rooms[ADA].agent_run == 6  # two lines, and two answers of two messages each


async def test_names_come_in_the_order_of_ids(store: SqlStore) -> None:
    house = await move_in(store)
    view = await house.view()
    async with store.reading() as read:
        assert list((await read.agents.names(house.community_id)).items()) == [
            (id, view.agents[id].name) for id in sorted(view.agents)
        ]


async def test_circumstances_are_what_was_done_before(store: SqlStore) -> None:
    house = await move_in(store)
    ids = [await house.said_by_agent(ADA, f"line {n}") for n in range(2)]
    text = many_kinds([int(id) for id in ids])
    await house.act(BO, *parse_answer(text, asked=[BO], output_format=OutputFormat.JSON).replies[BO].actions)
    asked = Inquiry(
        actor=by_agent(BO),
        reacted_to=frozenset(ids),
        moves_since=house.now - timedelta(hours=1),
        doors=frozenset({ADA}),
        failures_since=house.now - timedelta(hours=1),
        newest_of=frozenset({ADA, CY}),
        schedules_of=BO,
    )
    async with store.reading() as read:
        found = await read.inquiries.answer(house.community_id, asked)
        nothing = await read.inquiries.answer(house.community_id, Inquiry(actor=by_agent(CY)))
    assert found.reactions == {(id, Emotion.THUMBS_UP.value) for id in ids}
    assert (found.moves, found.newest, found.scheduled) == ({ADA: 2}, {ADA: ids[-1], CY: 0}, 0)
    assert found.failures == {}
    assert nothing.reactions == frozenset()


async def test_keys_come_with_their_holders_and_knocks(store: SqlStore) -> None:
    house = await move_in(store)
    key = CreateKey(key="open sesame", label="blue")
    await house.act(ADA, key, GiveKey(label="blue", agent_id=BO), GiveKey(label="blue", agent_id=AgentId(4)))
    assert await house.one(CY, RequestAccess(room_id=ADA, key="wrong"))
    assert await house.one(CY, RequestAccess(room_id=ADA, key="open sesame")) == ""
    async with store.reading() as read:
        desk = await read.views.action_view(house.community_id, agent_ids=[BO], room_ids=[ADA], doors=True, minds=None)
        asked = Inquiry(actor=by_agent(CY), doors=frozenset({ADA}), failures_since=house.now)
        found = await read.inquiries.answer(house.community_id, asked)
    assert [(key.label, key.held_by) for key in desk.opened.keys[ADA]] == [("blue", (BO, 4))]
    assert [key.label for key in desk.opened.held_keys[BO]] == ["blue"]
    assert [request.requester_name for request in desk.opened.requests[ADA]] == ["Cy"]
    assert found.failures == {ADA: 1}
    assert await house.one(ADA, GrantAccess(request_id=int(desk.opened.requests[ADA][0].id))) == ""


async def test_a_key_that_many_hold_and_many_knock_with_is_not_read_for_each_of_both(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = await move_in(store)
    await house.act(ADA, CreateKey(key="open sesame", label="blue"))
    (key,) = [key for key in (await house.view()).keys[ADA]]
    async with store.database.writing() as connection:
        held = [{"community_id": house.community_id, "key_id": key.id, "agent_id": one} for one in (ADA, BO, CY)]
        await Session(connection).put(HOLDERS, held)
    async with store.writing(house.community_id) as write:
        for number in range(5):
            knock = AccessRequest(
                id=RequestId(number + 1),
                room_id=ADA,
                requester_person_id=Snowflake(600 + number),
                requester_name=f"guest {number}",
                key_id=key.id,
                key_label="blue",
                state=RequestState.PENDING,
                created_at=house.now,
            )
            await write.apply(house.community_id, [AddRequest(request=knock)])
    read: list[int] = []
    rows, together = Session.rows, Session.together

    async def counted_rows(session: Session, *given: Any) -> Rows:  # noqa: ANN401
        read.append(len(found := await rows(session, *given)))
        return found

    async def counted_together(session: Session, *given: Any) -> Answers:  # noqa: ANN401
        found = await together(session, *given)
        read.extend(len(one.rows) for one in found.found.values())
        return found

    monkeypatch.setattr(Session, "rows", counted_rows)
    monkeypatch.setattr(Session, "together", counted_together)
    async with store.reading() as reading:
        desk = await reading.views.action_view(
            house.community_id, agent_ids=[BO], room_ids=[ADA], doors=True, minds=None
        )
    (key,) = desk.opened.keys[ADA]
    assert (key.held_by, len(desk.opened.requests[ADA])) == ((ADA, BO, CY), 5)
    assert max(read) < 3 * 5
