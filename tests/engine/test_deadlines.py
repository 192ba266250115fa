"""Time that is up: misses, being away, models that fail, and the time in which nobody was there."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.actions import DirectScene, StartScene, TakeSeat
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.records import SceneId
from bot.core.scenes.records import SceneStatus
from bot.engine import deadlines
from bot.engine.deadlines import Deadlines
from tests.engine.test_closed_scenes import knowing
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, theatre


@pytest.mark.slow
async def test_a_persons_time_runs_out_and_after_three_misses_nobody_waits_for_them() -> None:
    async with theatre() as stage:
        await stage.done(StartScene(room_id=1, kind="chat", options={"turns": 40}))
        await stage.house.deliver()
        await stage.done(TakeSeat(scene_id=SCENE), MIRA)
        for agent_id in (1, 2):
            await stage.done(TakeSeat(scene_id=SCENE, agent_id=agent_id))
        await stage.done(DirectScene(scene_id=SCENE, what="begin"))
        await stage.house.deliver()
        await stage.run(125)
        assert (await stage.scene()).seats[0].misses == 1
        await stage.run(260)
        assert "@mira is away." in await stage.lines()
        await stage.run(30)
        scene = await stage.scene()
        assert scene.seats[0].misses == 3
        assert scene.status is SceneStatus.OVER or scene.step > 15
        assert await stage.replays()


async def test_the_time_in_which_nobody_ran_selfroom_is_nobodys_miss() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.run(10)
        await stage.house.clock.advance(3_600)
        after = Deadlines(stage.house.store, stage.house.clock, config=CommunityConfig())
        await after.run()
        scene = await stage.scene()
        assert scene.deadline_at is not None
        assert scene.deadline_at > stage.house.clock.now() + timedelta(seconds=60)
        assert scene.seats[1].misses == 0


@pytest.mark.parametrize("seconds", [9, 3_600])
async def test_the_time_in_which_its_host_slept_is_nobodys_miss_either(seconds: int) -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.run(10)
        before = (await stage.scene()).deadline_at
        await stage.house.clock.advance(seconds)
        await stage.deadlines.run()
        assert before is not None
        assert (await stage.scene()).deadline_at == before + timedelta(seconds=seconds)


async def test_a_lobby_too_is_open_the_longer_by_a_short_absence() -> None:
    async with theatre() as stage:
        await stage.done(StartScene(room_id=1, kind="chat"))
        await stage.run(10)
        before = (await stage.scene()).deadline_at
        await stage.house.clock.advance(8)
        await Deadlines(stage.house.store, stage.house.clock, config=CommunityConfig()).run()
        after = (await stage.scene()).deadline_at
        assert before is not None
        assert after is not None
        assert 8 <= (after - before).total_seconds() <= 8 + deadlines.ALIVE_SECONDS


async def test_an_absence_moves_the_beginning_of_a_night_on_and_of_no_window_that_all_see() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        await stage.run(1)
        before = await stage.scene()
        await stage.house.clock.advance(13)
        await stage.deadlines.run()
        after = await stage.scene()
        assert before.window_at is not None and before.deadline_at is not None
        assert after.window_at == before.window_at + timedelta(seconds=13)
        assert after.deadline_at == before.deadline_at + timedelta(seconds=13)
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.run(8)
        before = await stage.scene()
        await stage.house.clock.advance(60)
        thread_id, said_at = before.thread_id, stage.house.clock.now() - timedelta(seconds=30)
        await stage.deadlines.run()
        assert (await stage.scene()).window_at == before.window_at
        await stage.house.hear("While you were away.", thread_id=thread_id, who="boss", id=BOSS.id, sent_at=said_at)
        assert "@boss: While you were away." in await stage.lines()


async def test_a_night_that_was_interrupted_is_as_long_whoever_acts_in_it() -> None:
    """A night in which nobody acts waits for a time; one in which all have acted closes after its least lengths."""
    for acts in (True, False):
        async with theatre(Player(knowing), agents=6) as stage:
            await stage.opened("werewolf", 6, MIRA)
            if acts:
                await stage.run(8)
            await stage.done(DirectScene(scene_id=SCENE, what="pause"))
            await stage.house.clock.advance(7)
            await stage.done(DirectScene(scene_id=SCENE, what="resume"))
            scene = await stage.scene()
            assert scene.window_at == stage.house.clock.now()
            assert scene.deadline_at is not None
            assert (scene.deadline_at - scene.window_at).total_seconds() % 30 == 0


async def test_a_community_says_how_long_turns_are_where_the_kind_does_not() -> None:
    config = CommunityConfig(scene_agent_seconds=30, scene_person_seconds=60)
    async with theatre(config=config) as stage:
        await stage.opened("chat", 1, BOSS)
        now, scene = stage.house.clock.now(), await stage.scene()
        assert scene.deadline_at == now + timedelta(seconds=30)
        await stage.run(5)
        scene = await stage.scene()
        assert scene.window_at is not None
        assert scene.deadline_at == scene.window_at + timedelta(seconds=60)


async def test_a_scene_whose_models_fail_twice_in_a_row_pauses_and_says_why() -> None:
    model = Player(lambda text, moves: ModelUnreachable("The line is down."))
    async with theatre(model) as stage:
        await stage.opened(agents=2)
        await stage.run(200)
        scene = await stage.scene()
        assert scene.status is SceneStatus.PAUSED
        assert scene.why.startswith("the model provider fails")
        assert "Paused" in str(stage.house.publisher.boards[-1].lines)


async def test_scenes_whose_time_cannot_be_entered_hold_up_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "DUE_AT_ONCE", 2)
    async with theatre() as stage:
        await stage.done(StartScene(room_id=1, kind="chat"))
        good, now = await stage.scene(), stage.house.clock.now()
        async with stage.house.store.writing(stage.house.community_id) as write:
            for number in (7, 8):  # they came from elsewhere, and are as nobody here leaves them
                bad = replace(good, id=SceneId(number), status=SceneStatus.OVER, deadline_at=now - timedelta(days=9))
                await write.scenes.keep(bad)
            await write.scenes.keep(replace(good, deadline_at=now))
        await stage.deadlines.run()
        await stage.deadlines.run()
        assert (await stage.scene()).status is SceneStatus.STOPPED


async def test_a_scene_that_stands_as_no_rules_left_it_keeps_no_other_agent_from_answering_and_ends() -> None:
    async with theatre(agents=3) as stage:
        await stage.opened(agents=2)
        scene = await stage.scene()
        async with stage.house.store.writing(stage.house.community_id) as write:
            await write.scenes.keep(replace(scene, standing={**scene.standing, "state": {"seats": [1] * 400}}))
        await stage.house.hear("Agent 3, are you there?", room_id=3)
        await stage.run(10)
        assert await stage.house.last_beat(3) is not None
        await stage.run(200)
        ended = await stage.scene()
        assert (ended.status, "not played any more" in ended.outcome) == (SceneStatus.STOPPED, True)
