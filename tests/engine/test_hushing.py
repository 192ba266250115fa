"""Where a room is to be silent its scenes rest, and a scene alone where somebody asks for it in its thread."""

from bot.core.actions import DirectScene, Hush
from bot.core.actor import Actor
from bot.core.events import ReactionChanged
from bot.core.records import AgentId, Snowflake
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


async def test_a_scene_rests_where_everyone_is_paused() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        office = Office(
            stage.house.store, stage.performer, stage.house.clock, SeededRandom(), lambda: None, workshop=OpenBench()
        )
        await FrontDesk(office).community.pause(GUILD_ID, BOSS, paused=True)
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.PAUSED, EVERYONE_PAUSED)
