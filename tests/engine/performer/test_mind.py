"""Knowledge, focus and looking back, as agents and managers do it."""

import asyncio
import json

import pytest

from bot.core.actions import (
    Append,
    Delete,
    Get,
    Hud,
    HudBlocker,
    HudClear,
    HudDecision,
    HudFile,
    HudNote,
    HudStep,
    HudUpdate,
    Invite,
    ReadHistory,
    ReadMessage,
    Recall,
    SendMessage,
    Set,
)
from bot.core.hud.knowledge import Leaf
from bot.core.kinds import ReasonKind
from bot.core.records import Lookup, Reason, Side
from tests.engine.performer.house import ADA, BO, BOSS, CY, EL, House


async def test_knowledge_is_set_appended_to_and_deleted(house: House) -> None:
    await house.act(BO, Set(path="people.Ada.trust", value=0.8, w=0.5), Append(path="seen", value="tea"))
    assert await house.knowledge(BO) == {"people": {"Ada": {"trust": {"v": 0.8, "w": 0.5}}}, "seen": ["tea"]}
    await house.act(BO, Delete(path="people.Ada"), Delete(path="nothing.there"))
    assert await house.knowledge(BO) == {"people": {}, "seen": ["tea"]}


async def test_a_rejected_item_changes_nothing_and_the_others_stand(house: House) -> None:
    outcomes = await house.act(BO, Set(path="a", value=1), Set(path="a.b", value=2), Set(path="c", value=3))
    assert [one.accepted for one in outcomes] == [True, False, True]
    assert await house.knowledge(BO) == {"a": 1, "c": 3}
    record = (await house.mind(BO)).recent_actions[1]
    assert (record.type, record.accepted) == ("set", False)
    assert record.why == 'a.b leads through a plain value at "b": delete that first, or choose another path.'


async def test_of_a_large_value_the_last_actions_tell_only_how_large_it_was(house: House) -> None:
    await house.act(BO, Set(path="a", value={"words": ["word"] * 40_000}), Set(path="b", value=["a", "few", "words"]))
    large, small = (await house.mind(BO)).recent_actions
    assert large.parameters == {"path": "a", "value": "(320,011 characters)"}
    assert small.parameters == {"path": "b", "value": ["a", "few", "words"]}


async def test_full_knowledge_takes_only_what_makes_it_smaller(house: House) -> None:
    much = "word " * 1_900
    assert await house.one(BO, Set(path="a", value=much)) == ""
    assert (await house.one(BO, Set(path="b", value=much))).startswith("Knowledge is full: free ")
    assert await house.one(BO, Set(path="a", value="less")) == ""
    assert await house.knowledge(BO) == {"a": "less"}


async def test_a_manager_edits_an_agents_knowledge_through_the_same_door(house: House) -> None:
    (done,) = await house.ask(BOSS, Set(path="motto", value="be kind"), subject=BO)
    assert done.accepted
    assert await house.knowledge(BO) == {"motto": "be kind"}
    assert (await house.mind(BO)).recent_actions == ()


async def test_what_one_answer_changes_is_counted_and_not_all_anew_each_time(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.act(BO, *(Set(path=f"day.k{number}", value="tea " * 9) for number in range(40)))
    written = 0
    line = Leaf.line.fget  # type: ignore[attr-defined]

    def counting(leaf: Leaf) -> str:
        nonlocal written
        written += 1
        return str(line(leaf))

    monkeypatch.setattr(Leaf, "line", property(counting))
    done = await house.act(BO, *(Set(path=f"new.k{number}", value="cake") for number in range(40)), Delete(path="day"))
    assert all(one.accepted for one in done)
    assert written == 80


async def test_get_answers_in_the_next_lookups_and_is_a_reason_to_look(house: House) -> None:
    await house.act(BO, Set(path="a.b", value=[1, 2]), Get(path="a.b"))
    assert (await house.mind(BO)).lookups == (Lookup(question="get a.b", answer=[1, 2]),)
    assert ReasonKind.ANSWER in {reason.kind for reason in (await house.view(BO)).reasons[BO]}
    assert await house.one(BO, Get(path="x")) == "There is nothing at x."


async def test_focus_is_kept_and_shown(house: House) -> None:
    await house.act(
        BO,
        HudUpdate(section="currentTask", value="tea"),
        HudNote(text="a note"),
        HudDecision(text="green tea"),
        HudFile(action="add", text="https://tea.example"),
        HudBlocker(action="add", text="no water"),
        HudBlocker(action="remove", text="no water"),
        HudStep(action="add", text="boil water"),
        HudStep(action="done", text="boil"),
        Hud(section="notes"),
    )
    mind = await house.mind(BO)
    assert mind.focus.current_task == "tea"
    assert (mind.focus.notes, mind.focus.key_decisions) == (("a note",), ("green tea",))
    assert (mind.focus.active_files, mind.focus.blockers) == (("https://tea.example",), ())
    assert mind.focus.next_steps == ()
    assert mind.lookups[-1].answer == ["a note"]
    await house.act(BO, HudUpdate(section="compactedContext", value="The boats left at six."))
    await house.act(BO, HudClear())
    assert (await house.mind(BO)).focus.notes == ()
    assert (await house.mind(BO)).focus.compacted_context == "The boats left at six."
    await house.act(BO, HudClear(section="compactedContext"))
    assert (await house.mind(BO)).focus.compacted_context == ""


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


async def test_each_side_of_the_barrier_has_its_own_mind(house: House) -> None:
    private = {"side": Side(EL), "rooms_shown": frozenset({EL})}
    await house.act(BO, Set(path="open", value=1), rooms_shown=frozenset({BO, ADA}))
    await house.act(BO, Set(path="secret", value=2), HudNote(text="secret"), **private)
    assert await house.knowledge(BO) == {"open": 1}
    assert await house.knowledge(BO, Side(EL)) == {"secret": 2}
    assert (await house.mind(BO)).focus.notes == ()
    await house.act(BO, Get(path="open"), **private)
    assert (await house.mind(BO, Side(EL))).lookups[-1].answer == 1
    assert await house.one(BO, Get(path="secret")) == "There is nothing at secret."


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


async def test_links_that_somebody_brings_stand_among_the_active_files(house: House) -> None:
    brought = await house.said(ADA, "look at https://tea.example/pot, (https://cup.example) please")
    reason = Reason(kind=ReasonKind.ADDRESSED, message_id=brought, since=house.now, due_at=house.now)
    await house.act(BO, SendMessage(room_id=ADA, message="thanks"), reasons=[reason], view=await house.view(BO))
    assert (await house.mind(BO)).focus.active_files == ("https://tea.example/pot", "https://cup.example")
    await house.act(CY, reasons=[reason])
    assert (await house.mind(CY)).focus.active_files == ()


async def test_others_have_their_turn_between_the_actions_of_an_answer(house: House) -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(other())
    await house.act(BO, *(HudNote(text=f"note {number}") for number in range(200)))
    others.cancel()
    assert turns > 200
