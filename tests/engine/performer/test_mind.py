"""Knowledge, focus and looking back, as agents and managers do it."""

import math
from dataclasses import replace

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
    SendMessage,
    Set,
)
from bot.core.hud.knowledge import Leaf
from bot.core.kinds import ReasonKind
from bot.core.records import Json, Lookup, Reason, Side
from tests.engine.performer.house import ADA, BO, BOSS, CY, EL, House


async def test_knowledge_is_set_appended_to_and_deleted(house: House) -> None:
    await house.act(BO, Set(path="people.Ada.trust", value=0.8, w=0.5), Append(path="seen", value="tea"))
    assert await house.knowledge(BO) == {"people": {"Ada": {"trust": {"v": 0.8, "w": 0.5}}}, "seen": ["tea"]}
    await house.act(BO, Delete(path="people.Ada"), Delete(path="nothing.there"))
    assert await house.knowledge(BO) == {"people": {}, "seen": ["tea"]}


async def test_of_a_large_value_the_last_actions_tell_only_how_large_it_was(house: House) -> None:
    await house.act(BO, Set(path="a", value={"words": ["word"] * 40_000}), Set(path="b", value=["a", "few", "words"]))
    large, small = (await house.mind(BO)).recent_actions
    assert large.parameters == {"path": "a", "value": "(320,011 characters)"}
    assert small.parameters == {"path": "b", "value": ["a", "few", "words"]}


async def test_a_number_of_any_length_beside_a_value_ends_no_beat(house: House) -> None:
    odd: list[Json] = [10**400, -(10**400), math.inf]
    for number in odd:
        await house.act(BO, Set(path="a", value={"v": 1, "w": number}), Set(path="mood", value=str(number)[:5]))
        assert (await house.knowledge(BO))["mood"] == str(number)[:5]


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


async def test_links_that_somebody_brings_stand_among_the_active_files(house: House) -> None:
    brought = await house.said(ADA, "look at https://tea.example/pot, (https://cup.example) please")
    reason = Reason(kind=ReasonKind.ADDRESSED, message_id=brought, since=house.now, due_at=house.now)
    await house.act(BO, SendMessage(room_id=ADA, message="thanks"), reasons=[reason], view=await house.view(BO))
    assert (await house.mind(BO)).focus.active_files == ("https://tea.example/pot", "https://cup.example")
    await house.act(CY, reasons=[reason])
    assert (await house.mind(CY)).focus.active_files == ()


async def test_links_of_a_call_that_newer_lines_pushed_out_of_view_are_noticed_all_the_same(house: House) -> None:
    brought = await house.said(ADA, "look at https://tea.example/pot please")
    reason = Reason(kind=ReasonKind.ADDRESSED, message_id=brought, since=house.now, due_at=house.now)
    view = await house.view(BO)
    emptied = {id_: replace(room, messages=()) for id_, room in view.rooms.items()}
    answer = SendMessage(room_id=ADA, message="thanks")
    await house.act(BO, answer, reasons=[reason], view=replace(view, rooms=emptied))
    assert (await house.mind(BO)).focus.active_files == ("https://tea.example/pot",)
