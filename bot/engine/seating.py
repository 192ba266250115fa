"""Who may sit in scenes, who does, and what an agent is shown that is asked there."""

from collections.abc import Collection, Mapping
from datetime import datetime

from bot.core.config import CommunityConfig
from bot.core.kinds import Visibility
from bot.core.ports import Reading
from bot.core.ports.residents import Views
from bot.core.ports.scenes import Scenes
from bot.core.records import Agent, AgentId, CommunityId
from bot.core.scenes.commentary import watching
from bot.core.scenes.kind import Seat
from bot.core.scenes.play import MISSES_UNTIL_AWAY, Rule, Standing
from bot.core.scenes.records import Scene, SceneStatus, Seated
from bot.core.scenes.showing import Turn, epilogue_of, turn_of
from bot.core.scenes.windows import is_hidden
from bot.core.spending import day_of, overspent
from bot.core.view import Subject
from bot.engine.purse import has_families
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
    return _who_may_sit(await _view_of(views, scene), scene.room_id)


async def who_can_play(read: Reading, scene: Scene, config: CommunityConfig, now: datetime) -> Mapping[AgentId, Agent]:
    """Give those of them that are not broke: whose family has something left of its share of the day."""
    view = await _view_of(read.views, scene)
    agents = _who_may_sit(view, scene.room_id)
    if not has_families(view.agents):
        return agents
    over = overspent(view.agents, await read.money.spent_by_agent(scene.community_id, day_of(now)), config)
    return {id_: agent for id_, agent in agents.items() if id_ not in over}


async def _view_of(views: Views, scene: Scene) -> Subject:
    return await views.action_view(scene.community_id, agent_ids=(), room_ids=[scene.room_id], doors=False)


def _who_may_sit(view: Subject, room_id: AgentId) -> Mapping[AgentId, Agent]:
    room = view.all_rooms.get(room_id)  # None: it was deleted meanwhile
    if room is not None and room.visibility is Visibility.PUBLIC:
        return view.agents
    return {id_: agent for id_, agent in view.agents.items() if (id_, room_id) in view.memberships}


def failing(scene: Scene, standing: Standing, agents: Mapping[AgentId, Agent]) -> bool:
    """Tell whether all who are awaited are agents whose model fails."""
    awaited = [one.agent_id for one in scene.seats if one.seat in standing.open_seats]
    whose = [agents.get(agent_id) if agent_id is not None else None for agent_id in awaited]
    return bool(whose) and all(agent is not None and agent.failures_in_a_row > 0 for agent in whose)


def presence(scene: Scene, standing: Standing, agents: Mapping[AgentId, Agent]) -> tuple[Rule, Seat] | None:
    """Give what the rules are to enter of who came or went: an agent that can come again, or one that cannot.

    Where nobody may know who is awaited, it is skipped alone: that it is away, or back, would tell.
    """
    hidden, waited = is_hidden(standing), set(standing.waited_for)
    for one in scene.seats:
        if one.seat in waited and not _can_come(one, agents):
            return Rule.SKIP if hidden else Rule.AWAY, one.seat
        is_missing = one.agent_id is None or standing.misses.get(one.seat, 0) >= MISSES_UNTIL_AWAY
        if one.seat in standing.state.away and not (hidden or is_missing) and _can_come(one, agents):
            return Rule.BACK, one.seat
    return None


def _can_come(sits: Seated, agents: Mapping[AgentId, Agent]) -> bool:
    if sits.left_at is not None:
        return False
    if sits.agent_id is None:
        return sits.person_id is not None
    agent = agents.get(sits.agent_id)
    return agent is not None and agent.paused_reason is None and agent.retired_at is None


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
