"""What a lobby says of its scene's cost and length."""

from bot.core.actions import DirectScene, LeaveSeat, StartScene, TakeSeat
from tests.engine.theatre import MIRA, SCENE, Theatre, theatre


async def estimates(stage: Theatre) -> list[str]:
    """Give what the newest board says of them."""
    await stage.run(4)
    return [line for line in stage.house.publisher.boards[-1].lines if line.startswith("Estimate")]


async def test_a_lobby_says_what_the_scene_will_cost_and_take_once_it_can_begin() -> None:
    async with theatre() as stage:
        await stage.done(StartScene(room_id=1, kind="chat", title="Tea", options={"turns": 20}))
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=1))
        assert await estimates(stage) == []
        await stage.done(TakeSeat(scene_id=SCENE), MIRA)
        (line,) = await estimates(stage)
        assert line.startswith("Estimate: about ")
        assert "turns of agents, less than a cent, " in line
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=1))
        assert await estimates(stage) == []
        await stage.done(DirectScene(scene_id=SCENE, what="stop"))


async def test_more_seats_are_thought_to_take_more_turns_and_more_money() -> None:
    async with theatre(agents=12) as stage:
        await stage.done(StartScene(room_id=1, kind="werewolf", title=""))
        found = []
        for agent_id in range(1, 13):
            await stage.done(TakeSeat(scene_id=SCENE, agent_id=agent_id))
            if agent_id in (5, 12):
                (line,) = await estimates(stage)
                found.append(int(line.removeprefix("Estimate: about ").split()[0]))
        assert 2 * found[0] < found[1]
