"""Performs how an agent divides its HUD, and what it calls itself."""

from bot.core.actions import SetAllocation, SetAttention, SetName
from bot.core.errors import Rejected
from bot.core.kinds import LetterKind
from bot.core.letters import RenamePayload
from bot.core.names import name_problem, tidied
from bot.core.records import Agent, AgentId, Allocations
from bot.engine.performer.registry import handles
from bot.engine.performer.rooms import PROPOSED, propose, put_letter
from bot.engine.performer.unit_of_work import UnitOfWork

LEAST_FOR_ROOMS = 50


@handles(SetAttention)
def set_attention(work: UnitOfWork, action: SetAttention) -> str:
    agent, room = work.me(), work.room(action.room_id)
    if (agent.id, room.id) not in work.memberships:
        raise Rejected(f"{agent.name} is not in {work.place(room.id)}.")
    total = _fixed_elsewhere(work, agent.id, room.id) + (action.attention or 0)
    if total > 100:
        raise Rejected(f"Fixed attention would come to {total}%: at most 100% can be fixed.")
    work.update_membership(agent.id, room.id, attention=action.attention)
    shown = "an equal share of what is left" if action.attention is None else f"{action.attention}%"
    return f"{work.whose('attention')} for {work.place(room.id)} is {shown}."


@handles(SetAllocation)
def set_allocation(work: UnitOfWork, action: SetAllocation) -> str:
    total = action.knowledge + action.recent_actions + action.rooms
    if total != 100:
        raise Rejected(f"That sums up to {total}%: make it 100%.")
    if action.rooms < LEAST_FOR_ROOMS:
        raise Rejected(f"Rooms get at least {LEAST_FOR_ROOMS}%.")
    kept = Allocations(knowledge=action.knowledge, recent_actions=action.recent_actions, rooms=action.rooms)
    work.update_agent(work.me().id, allocations=kept)
    return "The allocation is set."


@handles(SetName)
def set_name(work: UnitOfWork, action: SetName) -> str:
    agent = work.me()
    return PROPOSED if rename(work, agent, action.name) else f'The name is "{work.me().name}" now.'


def free_name(work: UnitOfWork, name: str, own_id: AgentId | None = None) -> str:
    """Give a name as it is kept; raises Rejected when the agent cannot have it."""
    name = tidied(name)
    taken = (other.name for other in work.agents.values() if other.id != own_id)
    if problem := name_problem(name, taken):
        raise Rejected(problem)
    return name


def rename(work: UnitOfWork, agent: Agent, name: str) -> bool:
    """Give an agent another name, on its channel too; tells whether it has to be looked at first. Raises Rejected."""
    name = free_name(work, name, agent.id)
    if name == agent.name:
        return False
    if propose(work, agent.id, LetterKind.RENAME, RenamePayload(name=name)):
        return True
    work.update_agent(agent.id, name=name)
    put_letter(work, LetterKind.RENAME, agent.id, RenamePayload(name=name).stored())
    return False


def _fixed_elsewhere(work: UnitOfWork, agent_id: AgentId, room_id: AgentId) -> int:
    """Sum fixed attention of the other rooms on that room's side: only they share a HUD."""
    side = work.room(room_id).side
    return sum(
        one.attention or 0
        for (agent, room), one in work.memberships.items()
        if agent == agent_id and room != room_id and work.room(room).side == side
    )
