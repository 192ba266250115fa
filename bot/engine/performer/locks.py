"""Wrong keys are counted; too many lock a requester out of a room for a while."""

from bot.core.access import check_lock
from bot.core.changes import CountFailure
from bot.core.records import AgentId
from bot.engine.performer.desk import Desk


def check_not_locked_out(desk: Desk, room_id: AgentId) -> None:
    """Raise Rejected while the actor is locked out of a room."""
    before = desk.circumstances.failures.get(room_id, 0)
    check_lock(before + desk.failures[room_id], desk.config)


def count_failure(desk: Desk, room_id: AgentId) -> None:
    """Note a key that did not open a room."""
    desk.failures[room_id] += 1
    person = desk.actor.who
    desk.put(
        CountFailure(
            room_id=room_id, agent_id=desk.actor.agent_id, person_id=person.id if person else None, at=desk.now
        )
    )
