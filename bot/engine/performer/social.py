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
from bot.engine.performer.desk import Desk
from bot.engine.performer.registry import Asks, handles


@handles(React, asks=Asks.REACTIONS)
def react(desk: Desk, action: React) -> str:
    message = desk.message(action.message_id)
    if desk.actor.agent_id is not None and message.sender.agent_id == desk.actor.agent_id:
        raise Rejected("You cannot react to your own message.")
    if _stands_already(desk, action, message):
        raise Rejected(f"Your {_sign(desk, action)} is on {_there(desk, message)} already.")
    moves = _moves_so_far(desk, action, message)
    changes = changes_for(desk.view, message, desk.actor.sender, action.reaction, added=True, now=desk.now, moves=moves)
    for change in changes:
        _take(desk, change)
    payload = ReactPayload(message_id=message.id, emoji=SHOWN[action.reaction]).stored()
    desk.put(
        AddLetter(
            kind=LetterKind.REACT, room_id=message.room_id, payload=payload, not_before=desk.now, beat_id=desk.beat_id
        )
    )
    return f"{_sign(desk, action)} on {_there(desk, message)}."


def _sign(desk: Desk, action: React) -> str:
    return action.reaction.value if desk.actor.agent_id is not None else SHOWN[action.reaction]


def _there(desk: Desk, message: Message) -> str:
    """Word a message for the actor: agents know numbers, people follow links."""
    place = message.thread_id or desk.room(message.room_id).channel_id
    if desk.actor.agent_id is not None or message.discord_id is None or place is None:
        return f"message {message.id}"
    guild_id = desk.view.community.guild_id
    return f"[message {message.id}](https://discord.com/channels/{guild_id}/{place}/{message.discord_id})"


@handles(WakeAgent)
def wake(desk: Desk, action: WakeAgent) -> str:
    agent = desk.agent(action.agent_id)
    _check_awake_able(agent)
    if agent.asleep_until is not None:
        desk.update_agent(agent.id, asleep_until=None)
    reason = Reason(
        kind=ReasonKind.WOKEN,
        room_id=desk.side_room(),
        by_agent_id=desk.actor.agent_id,
        person_id=desk.actor.who.id if desk.actor.who else None,
        since=desk.now,
        due_at=desk.now,
    )
    desk.give_reason(agent.id, reason)
    return f"{agent.name} is woken."


def _check_awake_able(agent: Agent) -> None:
    if agent.retired_at is not None:
        raise Rejected(f"{agent.name} is retired.")
    if agent.paused_reason is not None:
        raise Rejected(f"{agent.name} is paused.")


def _stands_already(desk: Desk, action: React, message: Message) -> bool:
    wanted = (message.id, action.reaction.value, desk.actor.sender)
    if any(isinstance(one, Reacted) and (one.message_id, one.emoji, one.reactor) == wanted for one in desk.changes):
        return True
    return (message.id, action.reaction.value) in desk.circumstances.reactions


def _moves_so_far(desk: Desk, action: React, message: Message) -> int:
    """Count how often the agent moved the author in the last hour, this answer included."""
    author, by = message.sender.agent_id, desk.actor.agent_id
    if author is None or by is None or action.reaction not in STEP_SECONDS:
        return 0
    desk.moves[author] += 1
    return desk.circumstances.moves.get(author, 0) + desk.moves[author] - 1


def _take(desk: Desk, change: Change) -> None:
    if isinstance(change, UpdateAgent):
        desk.update_agent(change.agent_id, **change.fields)
    elif isinstance(change, UpdateRoom):
        desk.update_room(change.room_id, **change.fields)
    else:
        desk.put(change)
