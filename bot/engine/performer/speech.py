"""Performs what is said: stored as messages, posted at the pace of the room."""

from datetime import datetime

from bot.core.actions import Reply, Say, SendMessage
from bot.core.changes import Say as Said
from bot.core.due_times import leisure
from bot.core.errors import Rejected
from bot.core.hud.formats.lines import message_tokens
from bot.core.kinds import MessageType, SenderKind
from bot.core.pace import overrun, post_at, word_budget, words_in
from bot.core.records import SYSTEM, Agent, AgentId, Message, MessageId, Room, Sender
from bot.engine.performer.registry import handles
from bot.engine.performer.unit_of_work import UnitOfWork


@handles(SendMessage)
def send_message(work: UnitOfWork, action: SendMessage) -> str:
    return _speak(work, work.me(), AgentId(action.room_id), action.message)


@handles(Reply)
def reply(work: UnitOfWork, action: Reply) -> str:
    answered = work.message(action.message_id)
    if answered.room_id != action.room_id:
        raise Rejected(f"Message {answered.id} is not in room {action.room_id}.")
    return _speak(work, work.me(), AgentId(action.room_id), action.message, answered)


@handles(Say)
def say(work: UnitOfWork, action: Say) -> str:
    agent = work.me()
    room_id = AgentId(action.room_id or agent.id)
    if (agent.id, room_id) not in work.memberships:
        raise Rejected(f"{agent.name} is not in {work.place(room_id)}.")
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
    said = "Said" if work.actor.agent_id is not None else f"{agent.name} says it"
    return f"{said} in {work.place(room_id)}."


def check_can_be_said(work: UnitOfWork, room: Room) -> None:
    """Raise Rejected when a room takes no messages of agents now."""
    if work.agent(room.owner_id).retired_at is not None:
        raise Rejected(f"Room {room.id} is read-only: its owner is retired.")
    if work.context.may_speak is not None and (why := work.context.may_speak(room.id)):
        raise Rejected(why)


def _posted_at(work: UnitOfWork, agent: Agent, room: Room, words: int) -> datetime:
    """Type one message after the other, from the moment the agent was let through, as quickly as its tempo is."""
    let_through = work.context.let_through_at
    if let_through is None:
        return work.now
    before = [one.not_before for one in work.changes if isinstance(one, Said) and one.room_id == room.id]
    start = max([let_through, *(at for at in before if at is not None)])
    slower = leisure(agent)
    at_most = work.config.typing_at_most_seconds * slower
    return post_at(start, words, round(room.wpm / slower), at_most_seconds=at_most, now=work.now)


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
