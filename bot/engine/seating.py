"""Who sits in scenes, and who may."""

from collections.abc import Collection, Mapping

from bot.core.kinds import Visibility
from bot.core.ports.residents import Views
from bot.core.ports.scenes import Scenes
from bot.core.records import Agent, AgentId, CommunityId
from bot.core.scenes.records import Scene, SceneStatus


async def who_may_sit(views: Views, scene: Scene) -> Mapping[AgentId, Agent]:
    """Give the agents that may sit in a scene: in a private room those that are in it now."""
    room_id = scene.room_id
    view = await views.action_view(scene.community_id, agent_ids=(), room_ids=[room_id], doors=False)
    room = view.all_rooms.get(room_id)  # None: it was deleted meanwhile
    if room is not None and room.visibility is Visibility.PUBLIC:
        return view.agents
    return {id_: agent for id_, agent in view.agents.items() if (id_, room_id) in view.memberships}


async def sits_in(
    scenes: Scenes, community_id: CommunityId, statuses: Collection[SceneStatus]
) -> Mapping[AgentId, Scene]:
    """Give the agents who sit in scenes of these statuses, each with its scene."""
    return {
        one.agent_id: scene
        for scene in await scenes.all(community_id, statuses)
        for one in scene.seats
        if one.agent_id is not None and one.left_at is None
    }
