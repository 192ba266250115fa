"""Who sits in scenes, and who may."""

from dataclasses import replace

from bot.core.actions import LeaveSeat, StartScene, TakeSeat
from bot.core.config import CommunityConfig
from bot.core.records import SceneId
from bot.core.scenes.records import OPEN, SceneStatus
from bot.engine.seating import sits_in, who_may_sit
from tests.engine.test_closed_scenes import knowing
from tests.engine.test_scene_privacy import make_private
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, theatre


async def test_agents_sit_in_scenes_of_these_statuses_until_they_leave() -> None:
    async with theatre(agents=3) as stage:
        await stage.opened("chat", 2, BOSS)

        async def sitting(*statuses: SceneStatus) -> set[int]:
            async with stage.house.store.reading() as read:
                return {*await sits_in(read.scenes, stage.house.community_id, statuses)}

        assert await sitting(*OPEN) == {1, 2}
        assert await sitting(SceneStatus.OVER) == set()
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=2))
        assert await sitting(*OPEN) == {1}


async def test_in_a_private_room_only_those_may_sit_who_are_in_it() -> None:
    async with theatre(agents=3, together=False) as stage:
        await stage.opened("chat", 1, BOSS)

        async def may() -> set[int]:
            async with stage.house.store.reading() as read:
                return {*await who_may_sit(read.views, await stage.scene())}

        assert await may() == {1, 2, 3}
        await make_private(stage)
        assert await may() == {1}


async def test_where_agents_are_no_substitutes_a_seat_that_was_left_stays_empty() -> None:
    takes = TakeSeat(scene_id=SCENE, agent_id=3, seat=2)
    async with theatre(agents=3, config=CommunityConfig(scene_substitutes=False)) as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.done(LeaveSeat(scene_id=SCENE))
        assert "stays empty here" in await stage.refused(takes)
    async with theatre(agents=3) as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.done(LeaveSeat(scene_id=SCENE))
        assert "sits in seat 2" in await stage.done(takes)


async def test_who_left_takes_their_seat_again_as_long_as_nobody_sits_there() -> None:
    async with theatre(agents=3) as stage:
        await stage.opened("chat", 1, BOSS, MIRA, turns=40)
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        assert (await stage.scene()).seat_of(person_id=MIRA.id) is None
        assert await stage.done(TakeSeat(scene_id=SCENE), MIRA) == "You sit in seat 3 of Chat 1: Tea again."
        scene = await stage.scene()
        assert scene.seat_of(person_id=MIRA.id) == replace(scene.seats[2], left_at=None)
        assert (await stage.lines())[-1] == "@mira is back."
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=2, seat=3))
        assert "nobody takes a new seat" in await stage.refused(TakeSeat(scene_id=SCENE), MIRA)


async def test_who_was_told_what_the_others_whispered_meanwhile_takes_no_seat_again() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA)
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)  # nobody else sits there: the bot tells who watches all
        assert "was told all" in await stage.refused(TakeSeat(scene_id=SCENE), MIRA)
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6, MIRA, BOSS)
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        assert "sit in seat 7" in await stage.done(TakeSeat(scene_id=SCENE), MIRA)


async def test_a_person_sits_in_no_more_scenes_than_the_community_allows() -> None:
    async with theatre(config=CommunityConfig(scenes_per_person=1)) as stage:
        await stage.opened("chat", 1, MIRA)
        await stage.do(StartScene(room_id=2, kind="chat"))
        assert "more than 1 scene at once" in await stage.refused(TakeSeat(scene_id=SceneId(2)), MIRA)
