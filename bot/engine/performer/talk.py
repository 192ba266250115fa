"""Performs what is said, stored as messages and posted at the pace of the room, reactions, and waking others."""

from dataclasses import replace
from datetime import datetime

from bot.core.actions import Attach, React, Reply, Say, SendMessage, WakeAgent
from bot.core.changes import AddLetter, Change, UpdateAgent, UpdateRoom
from bot.core.changes import React as Reacted
from bot.core.changes import Say as Said
from bot.core.due_times import leisure
from bot.core.emoji import SHOWN
from bot.core.errors import Rejected
from bot.core.hud.formats.lines import message_tokens, said_tokens
from bot.core.kinds import LetterKind, MessageType, ReasonKind, SenderKind
from bot.core.letters import ReactPayload
from bot.core.names import file_name
from bot.core.pace import overrun, post_at, word_budget, words_in
from bot.core.records import SYSTEM, Agent, AgentId, Attachment, Message, MessageId, Reason, Room, Sender
from bot.core.sentences import Sentence
from bot.core.splitting import sound
from bot.core.tempo import STEP_SECONDS, changes_for
from bot.engine.performer.registry import Asks, handles
from bot.engine.performer.unit_of_work import UnitOfWork

MOST_FILES = 3  # beside one message


@handles(SendMessage)
def send_message(work: UnitOfWork, action: SendMessage) -> str:
    return _speak(work, work.me(), AgentId(action.room_id), action.message)


@handles(Reply)
def reply(work: UnitOfWork, action: Reply) -> str:
    answered = work.message(action.message_id)
    if answered.room_id != action.room_id:
        raise Rejected(
            Sentence("Message {answered} is not in room {room_id}.", answered=answered.id, room_id=action.room_id)
        )
    return _speak(work, work.me(), AgentId(action.room_id), action.message, answered)


@handles(Attach)
def attach(work: UnitOfWork, action: Attach) -> str:
    """Put a file beside what was said first in this answer: it goes where those words go, or nowhere."""
    place = next((at for at, one in enumerate(work.changes) if _is_said_by(one, work.me())), None)
    said = work.changes[place] if place is not None else None
    if place is None or not isinstance(said, Said):
        raise Rejected("A file goes with a message: say in the same answer what it is.")
    if len(said.files) >= MOST_FILES:
        raise Rejected(f"One message has at most {MOST_FILES} files.")
    name, text = file_name(action.name), sound(action.text)
    left = work.config.attachment_characters - sum(len(one.text or "") for one in said.attachments)
    shown = Attachment(
        name=name, media_type="text/plain", size_bytes=len(text.encode()), url="", text=text[: max(0, left)] or None
    )
    files = (*said.attachments, shown)
    tokens = said_tokens(work.tokenizer, said.sender, said.content, files)
    work.changes[place] = replace(said, attachments=files, files=(*said.files, (name, text)), tokens=tokens)
    return f"{name} goes along with your message in {work.place(said.room_id)}."


def _is_said_by(change: Change, agent: Agent) -> bool:
    return isinstance(change, Said) and change.sender.agent_id == agent.id


@handles(Say)
def say(work: UnitOfWork, action: Say) -> str:
    agent = work.me()
    room_id = AgentId(action.room_id or agent.id)
    if (agent.id, room_id) not in work.memberships:
        raise Rejected(Sentence("{agent} is not in {place}.", agent=agent.name, place=work.place(room_id)))
    return _speak(work, agent, room_id, action.message)


def tell_room(work: UnitOfWork, room_id: AgentId, text: str) -> None:
    """Say something in a room as System."""
    _put(work, room_id, SYSTEM, text, MessageType.SYSTEM, work.now)


def _speak(work: UnitOfWork, agent: Agent, room_id: AgentId, text: str, answered: Message | None = None) -> str:
    room = work.room(room_id)
    check_can_be_said(work, room)
    words = words_in(text)
    membership = work.memberships[agent.id, room_id]
    budget = word_budget(membership.last_spoke_at, membership.overrun_words, room.wpm, work.now)
    at = _posted_at(work, agent, room, words)
    _put(work, room_id, Sender(kind=SenderKind.AGENT, agent_id=agent.id), text, MessageType.TEXT, at, answered)
    work.update_membership(agent.id, room_id, last_spoke_at=work.now, overrun_words=overrun(words, budget))
    if work.actor.agent_id is not None:
        return f"Said in {work.place(room_id)}."
    return Sentence("{agent} says it in {place}.", agent=agent.name, place=work.place(room_id))


def check_can_be_said(work: UnitOfWork, room: Room) -> None:
    """Raise Rejected when a room takes no messages of agents now."""
    if work.agent(room.owner_id).retired_at is not None:
        place = work.place(room.id)
        raise Rejected(Sentence("{place} is read-only: its owner is retired.", place=f"{place[0].upper()}{place[1:]}"))
    if work.context.may_speak is not None and (why := work.context.may_speak(room.id)):
        raise Rejected(why)


def _posted_at(work: UnitOfWork, agent: Agent, room: Room, words: int) -> datetime:
    """Type one message after the other, from the moment the agent was let through, at its own tempo."""
    let_through = work.context.let_through_at
    if let_through is None:
        return work.now
    before = [one.not_before for one in work.changes if isinstance(one, Said) and one.room_id == room.id]
    start = max([let_through, *(at for at in before if at is not None)])
    at_most = work.config.typing_at_most_seconds
    return post_at(start, words, room.wpm, at_most_seconds=at_most, leisure=leisure(agent), now=work.now)


def _put(
    work: UnitOfWork,
    room_id: AgentId,
    sender: Sender,
    text: str,
    type_: MessageType,
    at: datetime,
    answered: Message | None = None,
) -> None:
    """Say it; what is said in a thread is answered there, and another answer that was wished to the first one."""
    called = work.called_in(room_id) if sender.kind is SenderKind.AGENT else None
    beside = answered or called
    first = called.reply_to if called and called.is_wish and (answered is None or answered.id <= called.id) else None
    id_ = MessageId(work.write.ids.take("message"))
    message = Message(id=id_, room_id=room_id, sender=sender, content=text, type=type_, sent_at=work.now)
    work.put(
        Said(
            message_id=id_,
            room_id=room_id,
            sender=sender,
            content=text,
            type=type_,
            sent_at=work.now,
            reply_to=first or (answered.id if answered else None),
            thread_id=beside.thread_id if beside else None,
            thread_name=beside.thread_name if beside else None,
            not_before=at,
            beat_id=work.beat_id,
            tokens=message_tokens(work.tokenizer, message),
        )
    )


@handles(React, asks=Asks.REACTIONS)
def react(work: UnitOfWork, action: React) -> str:
    message = work.message(action.message_id)
    if work.actor.agent_id is not None and message.sender.agent_id == work.actor.agent_id:
        raise Rejected("You cannot react to your own message.")
    if _stands_already(work, action, message):
        raise Rejected(
            Sentence("Your {sign} is on {there} already.", sign=_sign(work, action), there=_there(work, message))
        )
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
    return Sentence("{sign} on {there}.", sign=_sign(work, action), there=_there(work, message))


def _sign(work: UnitOfWork, action: React) -> str:
    return action.reaction.value if work.actor.agent_id is not None else SHOWN[action.reaction]


def _there(work: UnitOfWork, message: Message) -> str:
    """Word a message for the actor: agents know numbers, people follow links."""
    if work.actor.agent_id is not None:
        return f"message {message.id}"
    place = message.thread_id or work.room(message.room_id).channel_id
    if message.discord_id is None or place is None:
        return Sentence("that message")
    guild_id = work.view.community.guild_id
    address = f"https://discord.com/channels/{guild_id}/{place}/{message.discord_id}"
    return Sentence("[that message]({address})", address=address)


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
    return Sentence("{agent} is woken.", agent=agent.name)


def _check_awake_able(agent: Agent) -> None:
    if agent.retired_at is not None:
        raise Rejected(Sentence("{agent} is retired.", agent=agent.name))
    if agent.paused_reason is not None:
        raise Rejected(Sentence("{agent} is paused.", agent=agent.name))


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
