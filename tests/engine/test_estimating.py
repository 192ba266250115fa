"""What a lobby says of its scene's cost and length."""

from bot.core.actions import DirectScene, StartScene, TakeSeat
from tests.engine.theatre import MIRA, SCENE, theatre


async def test_a_lobby_says_what_the_scene_will_cost_and_take() -> None:
    async with theatre() as stage:
        await stage.done(StartScene(room_id=1, kind="chat", title="Tea", options={"turns": 20}))
        await stage.done(TakeSeat(scene_id=SCENE), MIRA)
        await stage.house.deliver()
        assert not [line for line in stage.house.publisher.boards[-1].lines if "Estimate" in line]
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=1))
        await stage.run(4)
        (line,) = [line for line in stage.house.publisher.boards[-1].lines if "Estimate" in line]
        assert line == "Estimate: at most 10 turns of agents, less than a cent, 8 minutes."
        await stage.done(DirectScene(scene_id=SCENE, what="stop"))
