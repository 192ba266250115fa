"""Boards: drawn seldom, and in a thread that is opened anew when it is gone."""

import pytest

from bot.core.actions import DirectScene
from bot.core.scenes.records import SceneStatus
from tests.engine.theatre import BOSS, SCENE, theatre


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
