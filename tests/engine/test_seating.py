"""Who sits in scenes, and who may."""

from bot.core.actions import LeaveSeat
from bot.core.scenes.records import OPEN, SceneStatus
from bot.engine.seating import sits_in, who_may_sit
from tests.engine.test_scene_privacy import make_private
from tests.engine.theatre import BOSS, SCENE, theatre


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
