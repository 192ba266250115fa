"""A run's community is founded through the doors that commands use."""

import pytest

from bot.core.errors import BadSetting
from bot.core.records import PUBLIC_SIDE, AgentId
from bot.core.runs.spec import RunAgent, RunScene, RunSpec
from bot.core.scenes.records import SceneStatus
from tests.engine.runs.ground import ADA, BO, CHAT, EVENTS, founded_in_memory


async def test_everybody_moves_in_sits_down_and_the_scene_begins() -> None:
    async with founded_in_memory(CHAT) as (store, founded), store.reading() as read:
        assert dict(founded.names) == {1: "Ada", 2: "Bo"}
        (scene,) = await read.scenes.all(founded.community_id)
        assert (scene.status, [one.agent_id for one in scene.seats]) == (SceneStatus.RUNNING, [1, 2])
        assert scene.thread_id is not None
        assert await read.letters.next_due_at() is None
        view = await read.views.whole(founded.community_id, agent_ids=[AgentId(1), AgentId(2)], messages=0, minds=None)
    assert {at for at in view.memberships} == {(1, 1), (2, 2), (2, 1)}
    assert founded.room_of("bo") == 2
    assert founded.room_of("") == 1


async def test_agents_get_what_the_file_gives_them() -> None:
    cy = RunAgent(
        template="Wren", name="Cy", temperature=0.2, token_budget=5_000, interval=3, knows={"a b": {"c.d": 1}}
    )
    spec = RunSpec(agents=(ADA, cy), events=EVENTS, settings={"language": "German"})
    async with founded_in_memory(spec) as (store, founded), store.reading() as read:
        view = await read.views.whole(founded.community_id, agent_ids=[AgentId(2)], messages=0, minds=None)
    agent = view.agents[AgentId(2)]
    assert (agent.name, agent.temperature, agent.token_budget, agent.interval_seconds) == ("Cy", 0.2, 5_000, 3.0)
    assert view.mind_of(AgentId(2), PUBLIC_SIDE).knowledge == {"a b": {"c.d": 1}}
    assert view.config.language == "German"


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        ((ADA, RunAgent(name="ada", prompt="x")), r"agents 2 \(ada\): "),
        ((ADA, RunAgent(name="System", prompt="x")), r"agents 2 \(System\): "),
        ((ADA, RunAgent(name="Bo", prompt="x " * 9_000)), r"agents 2 \(Bo\): background_prompt: "),
        ((ADA, RunAgent(name="Bo", prompt="x", knows={"a": "x" * 20_000})), r"agents 2 \(Bo\) knows: "),
    ],
)
async def test_who_cannot_move_in_is_named(agents: tuple[RunAgent, ...], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        async with founded_in_memory(RunSpec(agents=agents, scene=RunScene(kind="chat"))):
            pass


async def test_a_scene_that_cannot_begin_says_why() -> None:
    spec = RunSpec(agents=(ADA, BO), scene=RunScene(kind="chat", options={"ordering": "moderated"}))
    with pytest.raises(BadSetting, match="scene: A moderated chat needs a moderator and two more"):
        async with founded_in_memory(spec):
            pass
