"""Plans and feelings, as agents and managers keep them."""

import pytest

from bot.core.actions import (
    Action,
    ClearPlan,
    Feel,
    Hud,
    HudClear,
    HudNote,
    PlanGoal,
    PlanMilestone,
    PlanStrategy,
    Set,
    SetPlan,
    UndoKnowledge,
    UndoPlan,
)
from bot.core.kinds import MindPart
from bot.core.plan import as_value
from bot.core.records import PUBLIC_SIDE, Json, Side
from tests.engine.performer.house import ADA, BO, BOSS, CY, EL, House


async def plan(house: House, side: Side = PUBLIC_SIDE) -> dict[str, Json]:
    return as_value((await house.mind(BO, side)).focus.plan)


async def undo(house: House, action: Action) -> str:
    (outcome,) = await house.ask(BOSS, action, subject=BO)
    return outcome.result or outcome.why


async def test_goals_milestones_and_strategy_are_kept_and_each_change_is_journalled(house: House) -> None:
    await house.act(
        BO,
        PlanGoal(text="row out"),
        PlanGoal(text="sell fish"),
        PlanGoal(action="current", text="2"),
        PlanGoal(action="done", text="row"),
        PlanMilestone(text="a boat"),
        PlanMilestone(action="done", text="3"),
        PlanStrategy(text="slowly"),
    )
    assert await plan(house) == {
        "goals": ["2 current: sell fish", "1 done: row out"],
        "milestones": ["3 done: a boat"],
        "strategy": "slowly",
    }
    async with house.store.reading() as read:
        journal = await read.logs.journal(house.community_id, BO, MindPart.PLAN)
        assert await read.logs.journal(house.community_id, BO) == []
    assert [one.path for one in journal][::-1] == [
        "goal 1, current goal",
        "goal 2",
        "current goal",
        "goal 1",
        "milestone 3",
        "milestone 3",
        "strategy",
    ]
    assert (await house.last_action(BO)).result == "Your plan is updated."


async def test_what_does_not_fit_is_refused_and_changes_nothing(house: House) -> None:
    await house.act(BO, *(PlanGoal(text=f"goal {number}") for number in range(5)))
    before = await plan(house)
    assert await house.one(BO, PlanGoal(text="another")) == "There are 5 goals already: drop one first."
    assert (await house.one(BO, PlanGoal(action="drop", text="9"))).startswith('There is no goal "9" in the plan')
    assert (await house.one(BO, PlanStrategy(text="x" * 301))).startswith("That is 301 characters long")
    (same,) = await house.act(BO, PlanGoal(action="current", text="1"))
    assert same.result == "Goal 1 was the current one already."
    assert await plan(house) == before


async def test_an_undone_change_is_taken_back_and_nothing_else(house: House) -> None:
    await house.act(BO, PlanGoal(text="row out"), PlanStrategy(text="slowly"), PlanGoal(text="rest"))
    assert (await undo(house, UndoPlan())).startswith("goal 2 is as it was before 2026-11-20")
    assert await plan(house) == {"goals": ["1 current: row out"], "milestones": [], "strategy": "slowly"}
    async with house.store.reading() as read:
        first = (await read.logs.journal(house.community_id, BO, MindPart.PLAN))[-1]
    await house.act(BO, PlanGoal(text="sing"))
    await undo(house, UndoPlan(entry_id=first.id))
    assert await plan(house) == {"goals": ["3: sing"], "milestones": [], "strategy": "slowly"}
    (nothing,) = await house.ask(BOSS, UndoPlan(), subject=CY)
    assert nothing.why == "There is no such change of its plan: /plan show lists the newest."


async def test_knowledge_and_plan_are_undone_apart(house: House) -> None:
    await house.act(BO, Set(path="tea", value="green"), PlanGoal(text="row out"))
    assert (await undo(house, UndoKnowledge())).startswith("tea is as it was")
    assert await plan(house) == {"goals": ["1 current: row out"], "milestones": [], "strategy": ""}
    await house.act(BO, Set(path="tea", value="black"))
    await undo(house, UndoPlan())
    assert await house.knowledge(BO) == {"tea": "black"}
    assert (await plan(house))["goals"] == []


async def test_a_manager_writes_and_clears_it_through_the_same_door(house: House) -> None:
    await house.act(BO, PlanGoal(text="row out"))
    await house.ask(BOSS, SetPlan(part="goals", lines=("sell fish", "[>] row out")), subject=BO)
    assert (await plan(house))["goals"] == ["1 current: row out", "2: sell fish"]
    assert (await house.ask(BOSS, ClearPlan(), subject=BO))[0].result == "Bo's plan is updated."
    assert (await plan(house))["goals"] == []
    assert (await house.ask(BOSS, ClearPlan(), subject=BO))[0].result == "Bo's plan is as it was."
    await house.act(BO, PlanGoal(text="rest"))
    assert (await plan(house))["goals"] == ["3 current: rest"]
    assert (await house.one(BO, ClearPlan())) == "Only people can do that."


async def test_each_side_of_the_barrier_has_its_own_plan(house: House) -> None:
    private = {"side": Side(EL), "rooms_shown": frozenset({EL})}
    await house.act(BO, PlanGoal(text="in the open"), rooms_shown=frozenset({BO, ADA}))
    await house.act(BO, PlanGoal(text="secret"), **private)
    assert (await plan(house))["goals"] == ["1 current: in the open"]
    assert (await plan(house, Side(EL)))["goals"] == ["1 current: secret"]
    await undo(house, UndoPlan())
    assert (await plan(house))["goals"] == []
    assert (await plan(house, Side(EL)))["goals"] == ["1 current: secret"]
    assert "secret" not in repr((await house.mind(BO)).focus)


async def test_clearing_the_focus_leaves_the_plan_and_hud_reads_it(house: House) -> None:
    await house.act(BO, HudNote(text="tea"), Hud(), PlanGoal(text="row out"), HudClear(), Hud(section="goals"), Hud())
    everything, goals, all_again = (one.answer for one in (await house.mind(BO)).lookups)
    assert "goals" not in str(everything)
    assert goals == ["1 current: row out"]
    assert "row out" in str(all_again)
    assert (await house.mind(BO)).focus.notes == ()


async def test_feelings_are_noted_where_they_are_switched_on_and_never_said(house: House) -> None:
    joy = Feel(emotion="joy", why="the fog lifted")
    assert await house.one(BO, joy) == "Nobody notes feelings here: the setting emotions is off."
    await house.configure(emotions=True)
    assert await house.one(BO, joy) == ""
    (felt,) = (await house.mind(BO)).focus.feelings
    assert (felt.emotion, felt.why, felt.at) == ("joy", "the fog lifted", house.now)
    assert await house.texts(BO) == []
    assert await house.letters() == []
    await house.act(BO, *(Feel(emotion="awe") for _ in range(25)))
    assert len((await house.mind(BO)).focus.feelings) == 20


@pytest.mark.parametrize("emotion", ["Joy", " JOY "])
def test_a_feeling_is_read_in_any_spelling(emotion: str) -> None:
    assert Feel.model_validate({"emotion": emotion}).emotion == "joy"
