"""What looks back, as far as one may."""

import json

from bot.core.actions import (
    Get,
    Invite,
    ReadHistory,
    ReadMessage,
    Recall,
)
from bot.core.records import Side
from tests.engine.performer.house import ADA, BO, BOSS, CY, EL, House


async def test_recall_finds_in_rooms_one_is_in_and_nowhere_else(house: House) -> None:
    await house.said(ADA, "the teapot is green")
    await house.said(CY, "another teapot is blue")
    await house.act(BO, Recall(query="teapot"))
    (lookup,) = (await house.mind(BO)).lookups
    assert "green" in repr(lookup.answer)
    assert "blue" not in repr(lookup.answer)
    assert (await house.one(BO, Recall(query="teapot", room_id=CY))).startswith("You are not in room 3")


async def test_history_and_single_messages_are_read_with_who_wrote_them(house: House) -> None:
    first = await house.said(ADA, "first")
    second = await house.said_by_agent(ADA, "second")
    await house.act(BO, ReadHistory(room_id=ADA, before=second), ReadMessage(id=first))
    page, single = (await house.mind(BO)).lookups
    assert [entry["content"] for entry in page.answer] == ["first"]  # type: ignore[index,union-attr,call-overload]
    assert single.answer["sender"] == "@mira"  # type: ignore[index,call-overload]


async def test_one_answer_has_a_few_look_ups_and_no_more_of_them_is_kept_than_can_be_shown(house: House) -> None:
    last = [await house.said(ADA, "tea " * 5_000) for _ in range(30)][-1]
    done = await house.act(BO, *(ReadHistory(room_id=ADA, before=last - number, limit=50) for number in range(25)))
    assert [one.accepted for one in done] == [True] * 10 + [False] * 15
    assert "when you have read those" in done[-1].why
    kept = (await house.mind(BO)).lookups
    assert len(kept) == 10
    most = 10_000 * 15 // 100 * 4
    assert len(json.dumps([one.answer for one in kept])) < most * 1.3
    assert await house.one(BO, ReadHistory(room_id=ADA)) == ""


async def test_what_is_refused_is_no_look_up(house: House) -> None:
    done = await house.act(BO, *(Get(path="x"),) * 10, *(ReadHistory(room_id=ADA, before=9 - n) for n in range(3)))
    assert [one.accepted for one in done[-3:]] == [True] * 3


async def test_who_comes_into_a_private_room_later_looks_back_no_further_than_that(house: House) -> None:
    await house.said(EL, "the lamp is under the oak")
    await house.ask(BOSS, Invite(agent_id=CY), subject=EL)
    await house.said(EL, "the lamp has gone out")
    private = {"side": Side(EL), "rooms_shown": frozenset({EL})}
    await house.act(CY, Recall(query="lamp"), ReadHistory(room_id=EL), **private)
    found, page = (await house.mind(CY, Side(EL))).lookups
    assert "gone out" in repr(found.answer)
    assert "gone out" in repr(page.answer)
    assert "oak" not in repr([found, page])
