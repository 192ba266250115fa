"""Wrong keys are counted; too many lock a requester out of a room for a while."""

from datetime import timedelta

from bot.core.access import check_lock
from bot.core.changes import CountFailure
from bot.core.records import AgentId
from bot.engine.performer.desk import Desk


async def check_not_locked_out(desk: Desk, room_id: AgentId) -> None:
    """Raise Rejected while the actor is locked out of a room."""
    if room_id not in desk.failures:
        person = desk.actor.who
        desk.failures[room_id] = await desk.write.failures(
            desk.community_id,
            room_id,
            desk.now - timedelta(minutes=desk.config.key_failure_minutes),
            agent_id=desk.actor.agent_id,
            person_id=person.id if person else None,
        )
    check_lock(desk.failures[room_id], desk.config)


def count_failure(desk: Desk, room_id: AgentId) -> None:
    """Note a key that did not open a room."""
    desk.failures[room_id] += 1
    person = desk.actor.who
    desk.put(
        CountFailure(
            room_id=room_id, agent_id=desk.actor.agent_id, person_id=person.id if person else None, at=desk.now
        )
    )
