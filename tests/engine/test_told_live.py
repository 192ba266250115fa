"""What is told live of beats and of scenes: who is at what, and of a closed scene nothing."""

import pytest

from bot.core.happenings import Happened, Happening
from tests.engine.hearts import hearts
from tests.engine.theatre import theatre


async def test_an_answer_is_told_between_the_call_and_what_becomes_of_it() -> None:
    async with hearts(agents=1) as house:
        told: list[Happening] = []
        house.store.on_happened = told.extend
        await house.hear("@Agent1 hello")
        await house.run(30)
        beat = [one for one in told if one.kind in ("begun", "called", "answered", "applied")][:4]
        assert [(one.kind, one.agent_id, one.room_id) for one in beat] == [
            (kind, 1, 1) for kind in ("begun", "called", "answered", "applied")
        ]


@pytest.mark.slow
async def test_moves_are_told_by_who_made_them_and_those_of_a_closed_scene_are_not() -> None:
    for kind, agents, is_told in (("chat", 3, True), ("landlord", 3, False)):
        async with theatre() as stage:
            told: list[Happening] = []
            stage.house.store.on_happened = told.extend
            await stage.opened(kind, agents)
            await stage.run(30)
            scene = await stage.scene()
            assert scene.step > 0
            moves = [one for one in told if one.kind is Happened.MOVED]
            assert bool(moves) is is_told, kind
            assert {(one.room_id, one.what) for one in moves} <= {(scene.room_id, kind)}
            assert {one.agent_id for one in moves} == ({1, 2, 3} if is_told else set())
