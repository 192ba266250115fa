"""Who may sit in scenes, who does, and what an agent is shown that is asked there."""

from collections.abc import Collection, Mapping

from bot.core.kinds import Visibility
from bot.core.ports import Reading
from bot.core.ports.residents import Views
from bot.core.ports.scenes import Scenes
from bot.core.records import Agent, AgentId, CommunityId
from bot.core.scenes.commentary import watching
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.showing import Turn, epilogue_of, turn_of
from bot.engine.scene_posts import names_of


async def shown_turn(read: Reading, scene: Scene, agent_id: AgentId) -> Turn | None:
    """Give what an agent is shown that has a move, may look back on what is over, or comments; None for any other."""
    events, names = await read.scenes.events(scene.community_id, scene.id), await names_of(read, scene)
    if agent_id == scene.commentator_id:
        return watching(scene, events, names)
    sits = scene.seat_of(agent_id=agent_id)
    if sits is None:
        return None
    seat = sits.seat
    if scene.status is SceneStatus.OVER:
        return epilogue_of(scene, events, names, seat)
    turn = turn_of(scene, events, names, seat)
    return turn if turn is not None and turn.moves else None


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
        for one in (*scene.seats, *scene.watchers)
        if one.agent_id is not None and one.left_at is None
    }
