"""Performs how an agent divides its HUD, and what it calls itself."""

from bot.core.actions import SetAllocation, SetAttention, SetName
from bot.core.errors import Rejected
from bot.core.kinds import LetterKind
from bot.core.letters import RenamePayload
from bot.core.names import name_problem, tidied
from bot.core.records import Agent, AgentId, Allocations
from bot.engine.performer.desk import Desk
from bot.engine.performer.registry import handles
from bot.engine.performer.rooms import PROPOSED, propose, put_letter

LEAST_FOR_ROOMS = 50


@handles(SetAttention)
def set_attention(desk: Desk, action: SetAttention) -> str:
    agent, room = desk.me(), desk.room(action.room_id)
    if (agent.id, room.id) not in desk.memberships:
        raise Rejected(f"{agent.name} is not in {desk.place(room.id)}.")
    total = _fixed_elsewhere(desk, agent.id, room.id) + (action.attention or 0)
    if total > 100:
        raise Rejected(f"Fixed attention would come to {total}%: at most 100% can be fixed.")
    desk.update_membership(agent.id, room.id, attention=action.attention)
    shown = "an equal share of what is left" if action.attention is None else f"{action.attention}%"
    return f"{desk.whose('attention')} for {desk.place(room.id)} is {shown}."


@handles(SetAllocation)
def set_allocation(desk: Desk, action: SetAllocation) -> str:
    total = action.knowledge + action.recent_actions + action.rooms
    if total != 100:
        raise Rejected(f"That sums up to {total}%: make it 100%.")
    if action.rooms < LEAST_FOR_ROOMS:
        raise Rejected(f"Rooms get at least {LEAST_FOR_ROOMS}%.")
    kept = Allocations(knowledge=action.knowledge, recent_actions=action.recent_actions, rooms=action.rooms)
    desk.update_agent(desk.me().id, allocations=kept)
    return "The allocation is set."


@handles(SetName)
def set_name(desk: Desk, action: SetName) -> str:
    agent = desk.me()
    return PROPOSED if rename(desk, agent, action.name) else f'The name is "{desk.me().name}" now.'


def free_name(desk: Desk, name: str, own_id: AgentId | None = None) -> str:
    """Give a name as it is kept; raises Rejected when the agent cannot have it."""
    name = tidied(name)
    taken = (other.name for other in desk.agents.values() if other.id != own_id)
    if problem := name_problem(name, taken):
        raise Rejected(problem)
    return name


def rename(desk: Desk, agent: Agent, name: str) -> bool:
    """Give an agent another name, on its channel too; tells whether it has to be looked at first. Raises Rejected."""
    name = free_name(desk, name, agent.id)
    if name == agent.name:
        return False
    if propose(desk, agent.id, LetterKind.RENAME, RenamePayload(name=name)):
        return True
    desk.update_agent(agent.id, name=name)
    put_letter(desk, LetterKind.RENAME, agent.id, RenamePayload(name=name).stored())
    return False


def _fixed_elsewhere(desk: Desk, agent_id: AgentId, room_id: AgentId) -> int:
    """Sum fixed attention of the other rooms on that room's side: only they share a HUD."""
    side = desk.room(room_id).side
    return sum(
        one.attention or 0
        for (agent, room), one in desk.memberships.items()
        if agent == agent_id and room != room_id and desk.room(room).side == side
    )
