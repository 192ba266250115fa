"""A plan through whole beats: seen in the next HUD, on its side alone, and in scenes."""

import json
from typing import Any

from bot.core.changes import SetOverride, UpdateRoom
from bot.core.kinds import Visibility
from bot.core.ports import ModelCall
from bot.core.records import AgentId
from tests.engine.hearts import Hearts, asked, hearts
from tests.engine.test_whole_beats import Obedient, do, tell
from tests.engine.theatre import Player, simply, theatre

HOST, GUEST = AgentId(1), AgentId(2)
SECRET = "find the lamp under the oak"


def last(house: Hearts, agent_id: AgentId = HOST) -> ModelCall:
    return [call for call in house.model.calls if asked(call) == [agent_id]][-1]


async def test_an_agent_plans_and_sees_its_plan_in_its_next_view() -> None:
    async with hearts(agents=1, model=Obedient()) as house:
        given = await tell(
            house, HOST, do("plan_goal", goal="row out"), do("plan_goal", action="add", text="sell fish")
        )
        given += await tell(house, HOST, do("plan_goal", action="done", id=1), do("plan_strategy", text="slowly"))
        assert [one.result for one in given] == [
            "Goal 1 is added.",
            "Goal 2 is added.",
            "Goal 1 is done.",
            "Your plan is updated.",
        ]
        assert "plan_goal(" in last(house).instructions
        await tell(house, HOST)
        shown = last(house).input
        focus = shown[shown.index(">>> FOCUS <<<") :]
        assert 'goals:\n- "2: sell fish"\n- "1 done: row out"\n' in focus
        assert 'strategy: "slowly"\n' in focus


async def test_what_is_planned_behind_a_key_is_not_seen_in_the_open() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await house.apply(UpdateRoom(room_id=HOST, fields={"visibility": Visibility.PRIVATE}))
        await tell(house, GUEST, do("plan_goal", text=SECRET), room_id=HOST)
        before = len(house.model.calls)
        await tell(house, GUEST, do("hud"), do("hud", section="goals"), room_id=GUEST)
        await tell(house, GUEST, room_id=GUEST)
        seen = [call for call in house.model.calls[before:] if asked(call) == [GUEST]]
        assert len(seen) >= 2
        assert not [call for call in seen if "oak" in call.input]
        await tell(house, GUEST, room_id=HOST)
        assert SECRET in last(house, GUEST).input


async def test_feelings_are_offered_and_shown_only_where_they_are_switched_on() -> None:
    async with hearts(agents=1, model=Obedient()) as house:
        (refused,) = await tell(house, HOST, do("feel", emotion="joy"))
        assert not refused.accepted
        assert "feel(" not in last(house).instructions
        await house.apply(SetOverride(name="emotions", value=True))
        (noted,) = await tell(house, HOST, do("feel", emotion="Joy", reason="the fog lifted"))
        assert noted.accepted
        await tell(house, HOST)
        assert "feel(emotion, why?)" in last(house).instructions
        assert "joy: the fog lifted" in last(house).input
        assert await house.lines(HOST) == [("@mira", "@Agent1 please")] * 3
        await house.apply(SetOverride(name="emotions", value=False))
        await tell(house, HOST)
        assert "feelings:" not in last(house).input


async def test_in_a_scene_an_agent_plans_beside_its_move_and_sees_it_on_its_next_turn() -> None:
    def planning(text: str, moves: dict[str, Any]) -> str:
        goal = [] if "YOUR PLAN" in text else [{"type": "plan_goal", "text": "win them over"}]
        return json.dumps({"thoughts": "", "move": simply(text, moves), "actions": goal})

    async with theatre(Player(planning)) as stage:
        await stage.opened(agents=2, turns=6)
        await stage.run(20)
        calls = [call for call in stage.house.model.calls if "==== SCENE ====" in call.input]
        assert "YOUR PLAN" not in calls[0].input
        assert "==== YOUR PLAN ====\n1 current: win them over\n" in calls[2].input
        assert "plan_goal(text, action?)" in calls[0].instructions
        assert '"plan_goal"' in json.dumps(calls[0].schema)
