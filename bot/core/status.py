"""What an agent is doing and what it waits for, in words for people."""

from datetime import datetime

from bot.core.kinds import State
from bot.core.records import Agent


def state_of(agent: Agent, now: datetime, *, typing: bool = False) -> State:
    """Give the state people see; `typing`: one of its posts is on its way."""
    if agent.retired_at is not None:
        return State.RETIRED
    if agent.paused_reason is not None:
        return State.PAUSED
    if agent.beat_id is not None and agent.lease_until is not None and agent.lease_until > now:
        return State.THINKING
    if typing:
        return State.TYPING
    if agent.asleep_until is not None and agent.asleep_until > now:
        return State.SLEEPING
    return State.IDLE


def waits_for(agent: Agent, now: datetime) -> str:
    """Say in a few words what the agent's next beat waits for."""
    match state_of(agent, now):
        case State.RETIRED:
            return "nothing: it is retired"
        case State.PAUSED:
            return f"someone to resume it ({agent.paused_reason})"
        case State.THINKING:
            return "its model's answer"
        case _ if agent.next_beat_at is not None:
            return f"its beat in {max(0.0, (agent.next_beat_at - now).total_seconds()):.1f} s"
        case State.SLEEPING:
            return f"waking at {agent.asleep_until:%H:%M:%S} UTC, or to be mentioned"
        case _:
            return "something new to happen"
