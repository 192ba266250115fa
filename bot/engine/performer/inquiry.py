"""What some actions make worth asking beside the view."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from bot.core.actions import (
    Action,
    CreateAgent,
    GrantAccess,
    Invite,
    JoinRoom,
    React,
    RequestAccess,
    ScheduleMessage,
)
from bot.core.actor import Actor
from bot.core.circumstances import Inquiry
from bot.core.config import CommunityConfig
from bot.core.records import AgentId, MessageId

MOVES_WITHIN = timedelta(hours=1)
BRINGS_IN = (JoinRoom, GrantAccess, Invite, CreateAgent)


def inquired(
    actor: Actor,
    actions: Sequence[Action],
    subject_id: AgentId | None,
    rooms: Iterable[AgentId],
    now: datetime,
    config: CommunityConfig,
) -> Inquiry:
    """Word what these actions depend on: one question for all of them."""
    reacted_to = frozenset(MessageId(one.message_id) for one in actions if isinstance(one, React))
    brings_in = any(isinstance(one, BRINGS_IN) for one in actions)
    schedules = any(isinstance(one, ScheduleMessage) for one in actions)
    return Inquiry(
        actor=actor.sender,
        reacted_to=reacted_to,
        moves_since=now - MOVES_WITHIN if reacted_to and actor.agent_id is not None else None,
        doors=frozenset(AgentId(one.room_id) for one in actions if isinstance(one, RequestAccess)),
        failures_since=now - timedelta(minutes=config.key_failure_minutes),
        newest_of=frozenset(rooms) if brings_in else frozenset(),
        schedules_of=subject_id if schedules else None,
    )
