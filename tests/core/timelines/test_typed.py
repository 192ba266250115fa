"""What is typed of how a world is otherwise."""

import pytest

from bot.core.actions import (
    AlterAgent,
    Append,
    Delete,
    HudNote,
    PlanGoal,
    PlanMilestone,
    Set,
    SetAllocation,
    SetAttention,
    SetPlan,
)
from bot.core.errors import Rejected
from bot.core.records import AgentId
from bot.core.timelines.changes import AgentCtx, AgentPlan, AgentProps, SceneState
from bot.core.timelines.typed import mind_changes, property_changes, scene_changes
from tests.factories import agent

WREN = agent(1)


def test_what_is_in_a_head_is_set_forgotten_noted_and_planned() -> None:
    assert list(mind_changes(WREN, "mood=wild", "You are alone.", "look up", "milestone=the shore")) == [
        AgentCtx(agent_id=1, actions=(Set(path="mood", value="wild"), HudNote(text="look up")), told="You are alone."),
        AgentPlan(agent_id=1, actions=(PlanMilestone(text="the shore"),)),
    ]
    assert list(mind_changes(WREN, "mood=", None, None, None)) == [
        AgentCtx(agent_id=1, actions=(Delete(path="mood"),)),
    ]
    assert list(mind_changes(WREN, "friends += Miko", None, None, None)) == [
        AgentCtx(agent_id=1, actions=(Append(path="friends", value="Miko"),)),
    ]
    assert list(mind_changes(None, None, None, None, None)) == []
    with pytest.raises(Rejected, match="Name the agent"):
        list(mind_changes(None, "mood=wild", None, None, None))
    with pytest.raises(Rejected, match="Write goal, milestone or strategy"):
        list(mind_changes(WREN, None, None, None, "dream=big"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("goal done=2", PlanGoal(text="2", action="done")),
        ("Milestone drop = the shore", PlanMilestone(text="the shore", action="drop")),
        ("goals=sail; [x] mend the net", SetPlan(part="goals", lines=("sail", "[x] mend the net"))),
        ("milestones=", SetPlan(part="milestones", lines=())),
    ],
)
def test_what_is_planned_is_ticked_off_by_its_number_and_written_anew(
    typed: str, meant: PlanGoal | PlanMilestone | SetPlan
) -> None:
    assert list(mind_changes(WREN, None, None, None, typed)) == [AgentPlan(agent_id=1, actions=(meant,))]


@pytest.mark.parametrize("typed", ["strategy done=1", "goal often=1", "goals done=1"])
def test_what_cannot_be_ticked_off_is_refused(typed: str) -> None:
    with pytest.raises(Rejected, match="goal done=2"):
        list(mind_changes(WREN, None, None, None, typed))


def test_properties_are_read_as_commands_read_them() -> None:
    typed = "temperature=0.2; paused=yes; attention=40; interval=3; joins=2; emotion=joy"
    assert list(property_changes(WREN, typed, [WREN, agent(2)], AgentId(1))) == [
        AgentProps(
            agent_id=1,
            altered=AlterAgent(agent_id=1, temperature=0.2),
            attention=(SetAttention(room_id=1, value="40"),),
            interval_seconds=3,
            emotion="joy",
            paused=True,
            joins=(2,),
        )
    ]
    assert list(property_changes(WREN, "allocation=30/10/60; resting=8", [WREN], AgentId(1))) == [
        AgentProps(
            agent_id=1,
            allocation=SetAllocation(knowledge=30, recent_actions=10, rooms=60),
            resting_interval_seconds=8,
        )
    ]
    with pytest.raises(Rejected, match="Write allocation="):
        list(property_changes(WREN, "allocation=30", [WREN], AgentId(1)))
    with pytest.raises(Rejected, match="There is no 'age' here: an agent has prompt, "):
        list(property_changes(WREN, "age=3", [WREN], AgentId(1)))


def test_a_scene_stands_otherwise_as_its_kind_lets_it() -> None:
    assert list(scene_changes(None, None)) == []
    assert list(scene_changes(4, "seat=2; x=3; gives=3 4")) == [
        SceneState(scene_id=4, edit={"seat": 2, "x": 3, "gives": "3 4"})
    ]
    for scene, typed in ((4, None), (None, "seat=2")):
        with pytest.raises(Rejected, match="Name a scene by its number"):
            list(scene_changes(scene, typed))
