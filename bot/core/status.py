"""What an agent is doing, everywhere and in each of its rooms."""

from collections.abc import Mapping
from datetime import datetime

from bot.core.kinds import Doing, HeldFor, State
from bot.core.reasons import is_claimed
from bot.core.records import Agent, AgentId
from bot.core.view import Glance


def doing(view: Glance, agent: Agent, now: datetime) -> Mapping[AgentId, Doing]:
    """Give what the agent is at in each room where it is at something; the view has its rooms and its reasons."""
    found: dict[AgentId, Doing] = {}
    is_up = state_of(agent, now, all_paused=view.community.paused) not in (State.SLEEPING, State.PAUSED, State.RETIRED)
    since = agent.last_beat_at if is_claimed(agent, now) else None
    for reason in view.reasons.get(agent.id, ()):
        if reason.room_id is None:
            continue
        if since is not None and reason.due_at <= since:
            found[reason.room_id] = Doing.THINKING
        elif is_up and reason.held_for is HeldFor.FLOOR and reason.room_id not in found:
            found[reason.room_id] = Doing.WAITING
    for room_id in view.speaking_in(agent.id):
        if found.get(room_id) is not Doing.THINKING:
            found[room_id] = Doing.TYPING
    return dict(sorted(found.items()))


def state_of(agent: Agent, now: datetime, *, typing: bool = False, all_paused: bool = False) -> State:
    """Give the state people see; `typing`: words of its own are on their way; `all_paused`: nobody may beat."""
    if agent.retired_at is not None:
        return State.RETIRED
    if agent.paused_reason is not None or all_paused:
        return State.PAUSED
    if agent.beat_id is not None and agent.lease_until is not None and agent.lease_until > now:
        return State.THINKING
    if typing:
        return State.TYPING
    if agent.asleep_until is not None and agent.asleep_until > now:
        return State.SLEEPING
    return State.IDLE
