"""What an agent is doing, everywhere and in each of its rooms."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.core.kinds import Doing, HeldFor, LetterState, State
from bot.core.pace import MOST_SECONDS
from bot.core.reasons import is_claimed
from bot.core.records import Agent, AgentId
from bot.core.view import Glance

POSTED_WITHIN = timedelta(seconds=2)  # of the end of its typing, where nothing keeps a message


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
            found[room_id] = Doing.TYPING if _types(view, agent.id, room_id, now) else Doing.QUEUED
    return dict(sorted(found.items()))


def _types(view: Glance, agent_id: AgentId, room_id: AgentId, now: datetime) -> bool:
    """Whether it still types there, or is just posting; else its words wait for the room to take more.

    A letter that waits for the room is looked at again and again, so its age tells as well: typing has a limit.
    """
    mine = {one.id for one in view.own_words(agent_id, room_id)}
    letters = [one for one in view.unposted.get(room_id, ()) if one.message_id in mine]
    over, longest = now - POSTED_WITHIN, timedelta(seconds=MOST_SECONDS * len(letters))
    typed = (one.not_before > over and one.created_at > over - longest for one in letters)
    return not letters or any(typed) or any(one.state is LetterState.SENDING for one in letters)


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
