"""Performs what an agent's going from a room comes to, whoever wants it gone."""

from bot.core.kinds import Visibility
from bot.core.records import AgentId
from bot.core.scenes.records import OPEN
from bot.engine.performer.talk import tell_room
from bot.engine.performer.unit_of_work import UnitOfWork
from bot.engine.stage import opened


async def take_out(work: UnitOfWork, agent_id: AgentId, room_id: AgentId) -> None:
    """End an agent's membership and tell the room; of a private one it leaves the scenes, too."""
    agent = work.agent(agent_id)
    work.remove_membership(agent.id, room_id)
    tell_room(work, room_id, f"{agent.name} left.")
    if work.room(room_id).visibility is Visibility.PUBLIC:
        return
    for scene in await work.write.scenes.all(work.community_id, OPEN):
        if scene.room_id == room_id and scene.seat_of(agent_id=agent_id) is not None:
            of, ceilings = work.community_id, await work.ceilings()
            stage = await opened(work.write, of, scene.id, config=work.config, ceilings=ceilings, now=work.now)
            await stage.shut_out(agent_id)
            work.put(*stage.changes)
