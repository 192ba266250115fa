"""What is otherwise in a branch keeps the rules of life."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.core.actions import AlterAgent, Append, PlanGoal, PlanStrategy, Set, SetAllocation, SetAttention
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId
from bot.core.scenes.records import Scene
from bot.core.scenes.showing import play_of
from bot.core.scenes.village.bodies import Body
from bot.core.scenes.village.state import Village
from bot.core.timelines.changes import AgentCtx, AgentPlan, AgentProps, SceneState, Settings
from tests.engine.hearts import Hearts
from tests.engine.test_replaying import moody
from tests.engine.theatre import SCENE, theatre_of
from tests.engine.timelines.garden import garden


async def test_a_change_that_cannot_be_leaves_no_node(tmp_path: Path) -> None:
    async with garden(tmp_path, moody) as grown:
        good = AgentCtx(agent_id=1, actions=(Set(path="mood", value="calm"),))
        bad = Settings(values={"usd_per_day": 100})
        with pytest.raises(Rejected, match="Change 2: `usd_per_day` cannot be changed in a timeline"):
            await grown.grow("branch", 0, changes=(good, bad))
        assert [one.id for one in await grown.trees.nodes(grown.key)] == [0]
        (node,) = await grown.grow("branch", 0, changes=(good,))
        async with grown.trees.look(grown.key, node.id) as world, world.store.reading() as read:
            view = await read.views.whole(grown.key.community_id, agent_ids=[AgentId(1)], messages=0, minds=None)
        assert view.mind_of(AgentId(1)).knowledge == {"mood": "calm"}
        assert (await grown.home.view(1)).mind_of(AgentId(1)).knowledge == {}


async def test_an_agent_may_be_otherwise_in_all_that_commands_set_and_in_what_it_feels(tmp_path: Path) -> None:
    props = AgentProps(
        agent_id=1,
        altered=AlterAgent(agent_id=1, temperature=0.2),
        attention=(SetAttention(room_id=1, value="40"),),
        interval_seconds=3,
        emotion="joy",
        paused=True,
        allocation=SetAllocation(knowledge=35, recent_actions=10, rooms=55),
    )
    rests = AgentProps(agent_id=2, resting_interval_seconds=8)
    planned = AgentPlan(
        agent_id=1,
        actions=(PlanGoal(text="sail"), PlanGoal(text="1", action="done"), PlanStrategy(text="slowly")),
    )
    knows = AgentCtx(agent_id=1, actions=(Set(path="friends", value=["rob"]), Append(path="friends", value="mira")))
    async with garden(tmp_path, moody) as grown:
        (node,) = await grown.grow("branch", 0, changes=(props, rests, planned, knows))
        async with grown.trees.look(grown.key, node.id) as world, world.store.reading() as read:
            view = await read.views.whole(grown.key.community_id, agent_ids=[AgentId(1)], messages=0, minds=None)
        agent, focus = view.agents[AgentId(1)], view.mind_of(AgentId(1)).focus
        assert (agent.temperature, agent.interval_seconds, agent.paused_reason is None) == (0.2, 3, False)
        assert view.memberships[AgentId(1), AgentId(1)].attention == 40
        assert [one.emotion for one in focus.feelings] == ["joy"]
        (goal,) = focus.plan.goals
        assert (goal.text, goal.done, focus.plan.strategy) == ("sail", True, "slowly")
        assert (agent.allocations.knowledge, agent.allocations.rooms) == (35, 55)
        assert view.mind_of(AgentId(1)).knowledge["friends"] == ["rob", "mira"]
        assert view.agents[AgentId(2)].resting_interval_seconds == 8
        with pytest.raises(Rejected, match="Name a feeling that agents know: "):
            await grown.grow("branch", 0, changes=(AgentProps(agent_id=1, emotion="purple"),))


async def in_a_village(home: Hearts) -> None:
    """Let two agents begin to live in a village."""
    await theatre_of(home, CommunityConfig(usd_per_day=None)).opened("village", 2)


async def test_somebody_stands_elsewhere_in_a_branch_and_where_they_were_in_life(tmp_path: Path) -> None:
    async with garden(tmp_path, moody, before=in_a_village) as grown:
        life = await theatre_of(grown.home, CommunityConfig()).scene()
        here = bodies(life)[2].tile
        away = next(one for one in range(400) if one != here and village(life).ground.costs[one])
        moved = SceneState(scene_id=SCENE, edit={"seat": 2, "x": away % 20 + 1, "y": away // 20 + 1, "hunger": 40})
        (node,) = await grown.grow("branch", 0, changes=(moved,))
        async with grown.trees.look(grown.key, node.id) as world, world.store.reading() as read:
            there = await read.scenes.find(grown.key.community_id, SCENE)
        assert there is not None
        assert (bodies(there)[2].tile, bodies(there)[2].hunger) == (away, 40)
        assert bodies(await theatre_of(grown.home, CommunityConfig()).scene())[2].tile == here
        with pytest.raises(NotFound, match="There is no scene 9 in that world"):
            await grown.grow("branch", 0, changes=(SceneState(scene_id=9, edit={}),))


def village(scene: Scene) -> Village:
    play = play_of(scene)
    assert play is not None
    state = play.unpacked(scene.standing).state
    assert isinstance(state, Village)
    return state


def bodies(scene: Scene) -> Mapping[int, Body]:
    return village(scene).bodies
