"""Who goes from a room is told there, and of a private room it leaves the scenes too."""

from dataclasses import replace

from bot.core.actions import LeaveRoom
from bot.core.records import AgentId, Snowflake
from bot.core.scenes.records import Scene, SceneStatus
from tests.engine.performer.house import ADA, BO, EL, House
from tests.storage.scenes import a_council


async def seated(house: House, room_id: AgentId) -> Scene:
    """Let Ada, Bo and Mira sit in a council of a room."""
    async with house.store.writing(house.community_id) as write:
        return await a_council(write, house.community_id, room_id=room_id, thread_id=Snowflake(6_000 + room_id))


async def sits(house: House, scene: Scene, agent_id: AgentId) -> bool:
    async with house.store.reading() as read:
        found = await read.scenes.find(house.community_id, scene.id)
    assert found is not None
    seat = found.seat_of(agent_id=agent_id)
    return seat is not None and seat.left_at is None


async def test_who_leaves_a_private_room_leaves_its_scenes(house: House) -> None:
    scene = await seated(house, EL)
    assert await sits(house, scene, BO)
    assert await house.one(BO, LeaveRoom(room_id=EL)) == ""
    assert not await sits(house, scene, BO)
    assert await sits(house, scene, ADA)


async def test_a_scene_whose_rules_are_gone_keeps_nobody_in_its_room(house: House) -> None:
    scene = await seated(house, EL)
    async with house.store.writing(house.community_id) as write:
        await write.scenes.keep(replace(scene, standing={"state": {}}))
    assert await house.one(BO, LeaveRoom(room_id=EL)) == ""
    async with house.store.reading() as read:
        found = await read.scenes.find(house.community_id, scene.id)
    assert found is not None
    assert (found.status, "not played any more" in found.outcome) == (SceneStatus.STOPPED, True)


async def test_who_leaves_a_public_room_stays_in_scenes_there_and_in_those_of_other_rooms(house: House) -> None:
    here, elsewhere = await seated(house, ADA), await seated(house, EL)
    assert await house.one(BO, LeaveRoom(room_id=ADA)) == ""
    assert await sits(house, here, BO)
    assert await sits(house, elsewhere, BO)


async def test_a_room_is_told_who_left(house: House) -> None:
    assert await house.one(BO, LeaveRoom(room_id=ADA)) == ""
    assert (await house.texts(ADA))[-1] == "Bo left."
