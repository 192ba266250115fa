"""What a lobby says of its scene's cost and length."""

import asyncio
from collections.abc import Mapping

import pytest

from bot.core.actions import DirectScene, LeaveSeat, StartScene, TakeSeat
from bot.core.records import Json
from bot.core.scenes.play_outs import TRIES
from bot.engine.aside import aside
from bot.engine.estimating import STEPS
from bot.standin.player import played
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


async def test_what_others_need_meanwhile_does_not_wait_for_the_longest_of_all_estimates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = 0

    def mind(text: str) -> Mapping[str, Json] | None:
        nonlocal turns
        turns += 1
        return played(text)

    monkeypatch.setattr("tests.engine.hearts.played", mind)
    async with theatre(agents=6) as stage:
        longest: dict[str, Json] = {"turns": 100, "motions": 20, "amendments": 10}
        await stage.done(StartScene(room_id=1, kind="council", title="", options=longest))
        for agent_id in range(1, 7):
            await stage.done(TakeSeat(scene_id=SCENE, agent_id=agent_id))
        drawn = asyncio.create_task(estimates(stage))
        waits = []
        while not drawn.done():
            before = turns
            await aside(len, ())
            waits.append(turns - before)
        assert await drawn
        assert turns > 100
        assert max(waits) <= 3 * TRIES * STEPS
