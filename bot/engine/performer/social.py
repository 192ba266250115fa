"""Performs reactions and waking."""

from bot.core.actions import React, WakeAgent
from bot.core.changes import AddLetter, Change, UpdateAgent, UpdateRoom
from bot.core.changes import React as Reacted
from bot.core.emoji import SHOWN
from bot.core.errors import Rejected
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.letters import ReactPayload
from bot.core.records import Agent, Message, Reason
from bot.core.tempo import STEP_SECONDS, changes_for
from bot.engine.performer.registry import Asks, handles
from bot.engine.performer.unit_of_work import UnitOfWork


@handles(React, asks=Asks.REACTIONS)
def react(work: UnitOfWork, action: React) -> str:
    message = work.message(action.message_id)
    if work.actor.agent_id is not None and message.sender.agent_id == work.actor.agent_id:
        raise Rejected("You cannot react to your own message.")
    if _stands_already(work, action, message):
        raise Rejected(f"Your {_sign(work, action)} is on {_there(work, message)} already.")
    moves = _moves_so_far(work, action, message)
    changes = changes_for(work.view, message, work.actor.sender, action.reaction, added=True, now=work.now, moves=moves)
    for change in changes:
        _take(work, change)
    payload = ReactPayload(message_id=message.id, emoji=SHOWN[action.reaction]).stored()
    work.put(
        AddLetter(
            kind=LetterKind.REACT, room_id=message.room_id, payload=payload, not_before=work.now, beat_id=work.beat_id
        )
    )
    return f"{_sign(work, action)} on {_there(work, message)}."


def _sign(work: UnitOfWork, action: React) -> str:
    return action.reaction.value if work.actor.agent_id is not None else SHOWN[action.reaction]


def _there(work: UnitOfWork, message: Message) -> str:
    """Word a message for the actor: agents know numbers, people follow links."""
    place = message.thread_id or work.room(message.room_id).channel_id
    if work.actor.agent_id is not None or message.discord_id is None or place is None:
        return f"message {message.id}"
    guild_id = work.view.community.guild_id
    return f"[message {message.id}](https://discord.com/channels/{guild_id}/{place}/{message.discord_id})"


@handles(WakeAgent)
def wake(work: UnitOfWork, action: WakeAgent) -> str:
    agent = work.agent(action.agent_id)
    _check_awake_able(agent)
    if agent.asleep_until is not None:
        work.update_agent(agent.id, asleep_until=None)
    reason = Reason(
        kind=ReasonKind.WOKEN,
        room_id=work.side_room(),
        by_agent_id=work.actor.agent_id,
        person_id=work.actor.who.id if work.actor.who else None,
        since=work.now,
        due_at=work.now,
    )
    work.give_reason(agent.id, reason)
    return f"{agent.name} is woken."


def _check_awake_able(agent: Agent) -> None:
    if agent.retired_at is not None:
        raise Rejected(f"{agent.name} is retired.")
    if agent.paused_reason is not None:
        raise Rejected(f"{agent.name} is paused.")


def _stands_already(work: UnitOfWork, action: React, message: Message) -> bool:
    wanted = (message.id, action.reaction.value, work.actor.sender)
    if any(isinstance(one, Reacted) and (one.message_id, one.emoji, one.reactor) == wanted for one in work.changes):
        return True
    return (message.id, action.reaction.value) in work.circumstances.reactions


def _moves_so_far(work: UnitOfWork, action: React, message: Message) -> int:
    """Count how often the agent moved the author in the last hour, this answer included."""
    author, by = message.sender.agent_id, work.actor.agent_id
    if author is None or by is None or action.reaction not in STEP_SECONDS:
        return 0
    work.moves[author] += 1
    return work.circumstances.moves.get(author, 0) + work.moves[author] - 1


def _take(work: UnitOfWork, change: Change) -> None:
    if isinstance(change, UpdateAgent):
        work.update_agent(change.agent_id, **change.fields)
    elif isinstance(change, UpdateRoom):
        work.update_room(change.room_id, **change.fields)
    else:
        work.put(change)
