"""Where a room is to be silent its scenes rest, and a scene alone where somebody asks for it in its thread."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.actions import DirectScene, Hush, StartScene, TakeSeat
from bot.core.actor import Actor
from bot.core.events import ReactionChanged
from bot.core.records import AgentId, SceneId, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.engine.front_desk import FrontDesk
from bot.engine.front_desk.office import Office
from bot.engine.hushing import EVERYONE_PAUSED
from bot.engine.performer import ActionContext
from tests.engine.theatre import BOSS, MIRA, SCENE, Theatre, theatre
from tests.factories import GUILD_ID
from tests.fakes import OpenBench, SeededRandom

SILENCE = "🛑"


async def react(stage: Theatre, place: Snowflake, emoji: str = SILENCE) -> None:
    """Let Mira react to a post of which nothing is stored, such as the board."""
    event = ReactionChanged(
        guild_id=GUILD_ID,
        channel_id=place,
        message_id=stage.house.publisher.id(),
        user_id=MIRA.id,
        person=MIRA,
        emoji=emoji,
        added=True,
        at=stage.house.clock.now(),
    )
    await stage.house.intake.take(event)


async def hush(stage: Theatre, room_id: int) -> None:
    async with stage.house.store.writing(stage.house.community_id) as write:
        await write.people.put(stage.house.community_id, BOSS)
        context = ActionContext(now=stage.house.clock.now(), random=SeededRandom())
        (outcome,) = await stage.performer.perform(
            write,
            stage.house.community_id,
            Actor.person(BOSS),
            [Hush(minutes=10)],
            context,
            subject=AgentId(room_id),
        )
    assert outcome.accepted, outcome.why


async def test_a_scene_rests_while_its_room_is_to_be_silent_and_others_go_on() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        await hush(stage, 2)
        assert (await stage.scene()).status is SceneStatus.RUNNING
        await hush(stage, 1)
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.PAUSED, "somebody asked for silence")
        asked = len(stage.house.model.calls)
        await stage.run(30)
        assert len(stage.house.model.calls) == asked
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))
        assert (await stage.scene()).status is SceneStatus.RUNNING


async def test_a_stop_sign_on_any_post_of_its_thread_lets_a_scene_rest() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        thread_id = (await stage.scene()).thread_id
        assert thread_id is not None
        await react(stage, thread_id, "👍")
        assert (await stage.scene()).status is SceneStatus.RUNNING
        await react(stage, thread_id)
        assert (await stage.scene()).status is SceneStatus.PAUSED
        assert not (await stage.house.view(1)).all_rooms[AgentId(1)].hushed_until


async def all_paused(stage: Theatre, *, paused: bool) -> None:
    house, bench = stage.house, OpenBench()
    rest = (house.store, stage.performer, house.clock, SeededRandom(), lambda: None)
    office = Office(*rest, workshop=bench, models=house.model)
    await FrontDesk(office).community.pause(GUILD_ID, BOSS, paused=paused)


@pytest.mark.slow
async def test_a_scene_rests_where_everyone_is_paused_and_goes_on_with_everyone() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, turns=40)
        await stage.run(5)
        await all_paused(stage, paused=True)
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.PAUSED, EVERYONE_PAUSED)
        left = scene.seconds_left
        await stage.run(600)
        await all_paused(stage, paused=False)
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.RUNNING, "")
        assert scene.deadline_at == stage.house.clock.now() + timedelta(seconds=left or 0)
        assert await stage.move(BOSS, "say", text="Here we are again.") == ""
        await stage.run(8)
        assert (await stage.lines())[-1] == "Agent1: Quite so."
        assert await stage.replays()


async def test_a_scene_that_rested_before_everyone_did_rests_on() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        await stage.done(DirectScene(scene_id=SCENE, what="pause"))
        await all_paused(stage, paused=True)
        await all_paused(stage, paused=False)
        assert (await stage.scene()).why == "somebody paused it"


async def test_a_scene_that_nothing_can_play_any_more_keeps_nobody_from_going_on() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        await all_paused(stage, paused=True)
        async with stage.house.store.writing(stage.house.community_id) as write:
            await write.scenes.keep(replace(await stage.scene(), kind="charades"))
        await all_paused(stage, paused=False)
        assert (await stage.scene()).status is SceneStatus.PAUSED
        assert not (await stage.house.view(1)).community.paused


async def test_no_scene_begins_or_goes_on_while_everyone_is_paused() -> None:
    async with theatre(agents=4) as stage:
        await stage.opened(agents=2)
        await all_paused(stage, paused=True)
        assert "Everyone is paused" in await stage.refused(DirectScene(scene_id=SCENE, what="resume"))
        await stage.done(DirectScene(scene_id=SCENE, what="add"))  # money may be given, and nothing goes on
        assert (await stage.scene()).status is SceneStatus.PAUSED
        second = SceneId(2)
        await stage.done(StartScene(room_id=2, kind="chat"))
        await stage.house.deliver()
        for agent_id in (3, 4):
            await stage.done(TakeSeat(scene_id=second, agent_id=agent_id))
        assert "Everyone is paused" in await stage.refused(DirectScene(scene_id=second, what="begin"))
        await all_paused(stage, paused=False)
        await stage.done(DirectScene(scene_id=second, what="begin"))
