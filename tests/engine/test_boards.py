"""Boards: drawn seldom, and in a thread that is opened anew when it is gone."""

from datetime import timedelta

import pytest

from bot.core.actions import DirectScene, Play
from bot.core.actor import Actor
from bot.core.scenes.records import SceneStatus
from bot.engine.performer import ActionContext
from tests.engine.theatre import BOSS, MIRA, SCENE, theatre
from tests.fakes import SeededRandom


async def test_a_thread_that_is_deleted_pauses_the_scene_and_another_one_is_opened() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        thread_id = (await stage.scene()).thread_id
        assert thread_id is not None
        stage.house.publisher.gone.add(int(thread_id))
        stage.house.publisher.threads.clear()
        await stage.run(8)
        scene = await stage.scene()
        assert (scene.status, scene.thread_id) == (SceneStatus.PAUSED, None)
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))
        await stage.house.deliver()
        scene = await stage.scene()
        assert scene.thread_id not in (None, thread_id)
        assert isinstance(scene.board_post_id, int)


@pytest.mark.parametrize("kind", ["chat", "council"])
async def test_the_board_is_drawn_at_most_once_in_two_seconds(kind: str) -> None:
    async with theatre() as stage:
        await stage.opened(kind, 3, turns=12)
        before = len(stage.house.publisher.boards)
        began = stage.house.clock.now()
        await stage.run(30)
        seconds = (stage.house.clock.now() - began).total_seconds()
        assert len(stage.house.publisher.boards) - before <= seconds / 2 + 1


async def test_what_happens_while_the_board_is_drawn_is_on_the_next_one() -> None:
    async with theatre(agents=1) as stage:
        await stage.opened("chat", 0, BOSS, MIRA, turns=40)
        await stage.run(5)
        for who in (BOSS, MIRA):
            await stage.move(who, "say", text="Quite so.")
        await stage.run(3)
        scene = await stage.scene()
        assert scene.board_at is not None
        began = scene.board_at - timedelta(seconds=0.3)  # and is written when that board is drawn already
        say = Play(scene_id=SCENE, window=scene.window_step, move="say", arguments={"text": "And so."})
        async with stage.house.store.writing(stage.house.community_id) as write:
            context = ActionContext(now=began, random=SeededRandom())
            (told,) = await stage.performer.perform(write, stage.house.community_id, Actor.person(BOSS), [say], context)
        assert told.accepted
        await stage.run(5)
        assert "**Turns left**: 37" in stage.house.publisher.boards[-1].lines
