"""Performs what looks back: the answers stand in the next HUD's lookups."""

from collections.abc import Sequence
from typing import Final

from bot.core.actions import (
    Checkpoints,
    Compact,
    Get,
    Hud,
    More,
    ReadHistory,
    ReadMessage,
    Recall,
    actions_of,
)
from bot.core.due_times import own_beat_at
from bot.core.errors import Rejected
from bot.core.hud.sections import MORE_OF
from bot.core.hud.summary import may_read_summary
from bot.core.kinds import ReasonKind
from bot.core.permissions import may_see
from bot.core.records import AgentId, Checkpoint, CheckpointId, Json, Message, Reason
from bot.core.sentences import Sentence
from bot.engine.performer.inquiry import sought_by
from bot.engine.performer.registry import Asks, handles
from bot.engine.performer.unit_of_work import ENOUGH_LOOKUPS, UnitOfWork

LOOK_UPS: Final = (Get, Hud, Recall, ReadHistory, ReadMessage, Checkpoints, More)


def expect_answer(work: UnitOfWork) -> str:
    """Let the agent beat again to read what it asked for; look-ups that follow look-ups are of its own making."""
    agent = work.me()
    if work.actor.agent_id is not None:
        reason = Reason(
            kind=ReasonKind.ANSWER,
            room_id=work.side_room(),
            message_id=max(work.context.called_by, default=None),
            person_id=work.context.heard_person_id,
            mentioned=work.context.called,
            since=work.now,
            due_at=own_beat_at(agent, work.now),
        )
        work.give_reason(agent.id, reason)
    if work.actor.agent_id is None:
        return f"{agent.name} reads the answer in its next beat."
    return "The answer stands in your lookups."


def as_entry(message: Message, content: str | None = None) -> dict[str, Json]:
    """Give a message, or an excerpt of it, as lookups show it."""
    return {
        "id": int(message.id),
        "room_id": int(message.room_id),
        "timestamp": f"{message.sent_at:%Y-%m-%d %H:%M:%S}",
        "sender": message.sender.shown(),
        "content": message.content if content is None else content,
    }


@handles(Recall, asks=Asks.FOUND)
def recall(work: UnitOfWork, action: Recall) -> str:
    found: list[Json] = [as_entry(one, excerpt) for one, excerpt in _found(work, action)]
    work.look_up(f"recall {action.query}", found or "nothing found")
    return expect_answer(work)


@handles(ReadHistory, asks=Asks.FOUND)
def read_history(work: UnitOfWork, action: ReadHistory) -> str:
    page: list[Json] = [as_entry(one) for one, _ in _found(work, action)]
    before = "" if action.before is None else f" before {action.before}"
    work.look_up(f"read_history room {action.room_id}{before}", page[::-1] or "nothing before that")
    return expect_answer(work)


@handles(ReadMessage)
def read_message(work: UnitOfWork, action: ReadMessage) -> str:
    work.look_up(f"read_message {action.id}", as_entry(work.message(action.id)))
    return expect_answer(work)


@handles(Checkpoints, asks=Asks.SUMMARIES)
def checkpoints(work: UnitOfWork, action: Checkpoints) -> str:
    room_id = AgentId(action.room_id)
    known = [one for one in work.circumstances.summaries if one.room_id == room_id and _may_read(work, one)]
    if action.id is None:
        listed: list[Json] = [
            {"id": int(one.id), "from": int(one.first_message_id), "to": int(one.last_message_id)} for one in known
        ]
        work.look_up(f"checkpoints of room {room_id}", listed or "none yet")
        return expect_answer(work)
    wanted = next((one for one in known if one.id == CheckpointId(action.id or 0)), None)
    if wanted is None:
        raise Rejected(f"There is no checkpoint {action.id} of room {room_id}.")
    work.look_up(f"checkpoint {wanted.id} of room {room_id}", wanted.text)
    return expect_answer(work)


@handles(More)
def more(work: UnitOfWork, action: More) -> str:
    if not actions_of(action.category, privileged=work.me().can_create_agents, emotions=work.config.emotions):
        raise Rejected(f"There is no action of the kind {action.category} for you.")
    work.look_up(f"{MORE_OF}{action.category}", "they stand under MORE ACTIONS")
    return expect_answer(work)


@handles(Compact)
def compact(work: UnitOfWork, action: Compact) -> str:
    room = work.room(action.room_id)
    work.update_room(room.id, compact_asked_at=work.now)
    return Sentence("What was said in {place} will be summed up.", place=work.place(room.id))


def _may_read(work: UnitOfWork, checkpoint: Checkpoint) -> bool:
    room = work.room(checkpoint.room_id)
    return may_read_summary(room, work.memberships[work.me().id, room.id], checkpoint)


def _found(work: UnitOfWork, action: Recall | ReadHistory) -> Sequence[tuple[Message, str]]:
    """Give what was found, newest first, as far as the agent may still see it."""
    found = work.circumstances.found.get(sought_by(action, work.rooms_at_first))
    if found is None:  # there were so many that it was not even looked for
        raise Rejected(ENOUGH_LOOKUPS)
    return [(one, excerpt) for one, excerpt in found if may_see(work.me().id, one, work)]
