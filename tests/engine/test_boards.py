"""Boards: drawn seldom, and in a thread that is opened anew when it is gone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.adapters.discord.boards import written
from bot.core.actions import DirectScene, Play
from bot.core.actor import Actor
from bot.core.kinds import SenderKind
from bot.core.records import Sender
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import board_of
from bot.engine.performer import ActionContext
from bot.engine.posting import content_of
from bot.engine.scene_posts import names_of
from tests.engine.theatre import BOSS, MIRA, SCENE, theatre
from tests.factories import message
from tests.fakes import SeededRandom

LINK = "[discord.com](https://evil.example/log-in)"


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


async def test_no_link_that_a_player_wrote_hides_where_it_leads() -> None:
    """Neither on the board nor in what System tells: both are the bot's own posts, which Discord lets hide links."""
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        scene = await stage.scene()
        async with stage.house.store.reading() as read:
            names, events = await names_of(read, scene), await read.scenes.events(scene.community_id, scene.id)
        board = board_of(replace(scene, title=LINK, status=SceneStatus.LOBBY), events, {**names, 1: LINK})
        assert "](" not in written(board)
        assert "discord.com]\\(https://evil.example" in written(board)
        told = message(1, f"@mira: {LINK}", sender=Sender(kind=SenderKind.SYSTEM), scene_id=scene.id)
        assert "](" not in content_of(told)
        assert LINK in content_of(replace(told, scene_id=None))


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
