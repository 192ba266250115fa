"""Scenes beside the rest of life: tempo, calls, costs, and talks in which nobody waits for anybody."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.core.actions import DirectScene, StartScene, TakeSeat
from bot.core.changes import AgentColumns, UpdateAgent
from bot.core.records import AgentId, Json
from bot.core.scenes.records import SceneStatus
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre


def calls_in_thread(stage: Theatre) -> list[tuple[object, ...]]:
    return [one for one in stage.house.publisher.done if "it is your turn" in str(one)]


async def test_turns_leave_an_agents_tempo_as_it_was() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2, turns=6)
        before = {id_: one.interval_seconds for id_, one in (await stage.house.view(1, 2)).agents.items()}
        for id_ in before:
            await stage.house.apply(UpdateAgent(agent_id=id_, fields={"resting_interval_seconds": 9.0}))
        await stage.run(40)
        after = {id_: one.interval_seconds for id_, one in (await stage.house.view(1, 2)).agents.items()}
        assert len(stage.house.model.calls) >= 6
        assert after == before


async def test_whoever_wants_to_is_called_in_the_thread_once_when_it_is_their_turn() -> None:
    async with theatre(agents=1) as stage:
        await stage.done(StartScene(room_id=1, kind="chat", title="Tea"))
        await stage.house.deliver()
        await stage.done(TakeSeat(scene_id=SCENE, pings=True), MIRA)
        await stage.done(TakeSeat(scene_id=SCENE), BOSS)
        await stage.done(DirectScene(scene_id=SCENE, what="begin"))
        await stage.house.deliver()
        thread_id = (await stage.scene()).thread_id
        assert len(calls_in_thread(stage)) == 1
        assert thread_id in calls_in_thread(stage)[0]
        assert (MIRA.id,) in calls_in_thread(stage)[0]
        await stage.move(MIRA, "say", text="Good morning.")
        assert len(calls_in_thread(stage)) == 1  # the other did not ask for it
        assert await stage.done(TakeSeat(scene_id=SCENE, pings=False), MIRA) == "You are called no more."
        await stage.move(BOSS, "say", text="Good morning to you.")
        assert len(calls_in_thread(stage)) == 1


class Talkers(Player):
    """Speaks up to so many times in all, then has nothing to say."""

    def __init__(self, times: int) -> None:
        super().__init__(self._speak)
        self.times = times

    def _speak(self, shown: str, moves: dict[str, Any]) -> dict[str, Json]:
        self.times -= 1
        return {"type": "say", "text": "Quite so."} if self.times >= 0 else {"type": "yield"}


@pytest.mark.slow
async def test_in_a_free_talk_agents_look_one_after_the_other_and_once_at_what_is_new() -> None:
    model = Talkers(3)
    async with theatre(model=model) as stage:
        await stage.opened("chat", 3, MIRA, ordering="free")
        for _ in range(60):
            await stage.run(1)
            assert sum(agent.beat_id is not None for agent in (await stage.house.view(1, 2, 3)).agents.values()) <= 1
        assert len(model.calls) == 3 + 3  # each says something once, then all look once more and have nothing to say
        assert (await stage.scene()).status is SceneStatus.RUNNING  # Mira has not said that she has nothing to say
        assert await stage.move(MIRA, "say", text="And what of the rain?") == ""
        await stage.run(40)
        assert len(model.calls) == 6 + 3
        await stage.run(130)
        assert (await stage.scene()).outcome == "It is over: nobody had more to say."
        assert await stage.replays()


async def test_in_a_free_talk_an_agent_waits_for_its_own_next_beat() -> None:
    async with theatre(model=Talkers(0)) as stage:
        now = stage.house.clock.now()
        for id_ in (1, 2):
            fields: AgentColumns = {"interval_seconds": 9.0, "last_beat_at": now}
            await stage.house.apply(UpdateAgent(agent_id=AgentId(id_), fields=fields))
        await stage.opened("chat", 2, MIRA, ordering="free")
        async with stage.house.store.reading() as read:
            due = await read.claims.next_due_at()
        assert due is not None
        assert timedelta(seconds=8) <= due - now <= timedelta(seconds=10)


async def test_a_free_talk_waits_for_the_slowest_of_its_agents_before_it_ends() -> None:
    async with theatre(model=Talkers(0)) as stage:
        fields: AgentColumns = {"interval_seconds": 600.0, "last_beat_at": stage.house.clock.now()}
        await stage.house.apply(UpdateAgent(agent_id=AgentId(2), fields=fields))
        await stage.opened("chat", 2, MIRA, ordering="free")
        await stage.run(500)
        assert (await stage.scene()).status is SceneStatus.RUNNING
        assert await stage.move(MIRA, "say", text="Take your time.") == ""
        await stage.run(120)
        assert {one.agent_id: one.turns > 0 for one in (await stage.scene()).seats}[AgentId(2)]
        await stage.run(800)
        assert (await stage.scene()).outcome == "It is over: nobody had more to say."
        assert await stage.replays()


async def test_what_a_scene_cost_stands_with_its_seats() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2, turns=4)
        await stage.run(40)
        scene = await stage.scene()
        assert scene.status is SceneStatus.OVER
        async with stage.house.store.reading() as read:
            fared = await read.scenes.fared(stage.house.community_id, [AgentId(1)])
        assert scene.usd > 0
        assert {one.agent_id: one.usd for one in fared} == {one.agent_id: one.usd for one in scene.seats}
        assert replace(scene, seats=()).usd == 0
