"""Performs what is said: stored as messages, posted at the pace of the room."""

from datetime import datetime

from bot.core.actions import Reply, Say, SendMessage
from bot.core.cadence import leisure
from bot.core.changes import Say as Said
from bot.core.errors import Rejected
from bot.core.hud.formats.lines import message_tokens
from bot.core.kinds import MessageType, SenderKind
from bot.core.pacing import overrun, post_at, word_budget, words_in
from bot.core.records import SYSTEM, Agent, AgentId, Message, MessageId, Room, Sender
from bot.engine.performer.desk import Desk
from bot.engine.performer.registry import handles


@handles(SendMessage)
def send_message(desk: Desk, action: SendMessage) -> str:
    return _speak(desk, desk.me(), AgentId(action.room_id), action.message)


@handles(Reply)
def reply(desk: Desk, action: Reply) -> str:
    answered = desk.message(action.message_id)
    if answered.room_id != action.room_id:
        raise Rejected(f"Message {answered.id} is not in room {action.room_id}.")
    return _speak(desk, desk.me(), AgentId(action.room_id), action.message, answered)


@handles(Say)
def say(desk: Desk, action: Say) -> str:
    agent = desk.me()
    room_id = AgentId(action.room_id or agent.id)
    if (agent.id, room_id) not in desk.memberships:
        raise Rejected(f"{agent.name} is not in {desk.place(room_id)}.")
    return _speak(desk, agent, room_id, action.message)


def tell_room(desk: Desk, room_id: AgentId, text: str) -> None:
    """Say something in a room as System."""
    _put(desk, room_id, SYSTEM, text, MessageType.SYSTEM, desk.now)


def _speak(desk: Desk, agent: Agent, room_id: AgentId, text: str, answered: Message | None = None) -> str:
    room = desk.room(room_id)
    check_can_be_said(desk, room)
    words = words_in(text)
    membership = desk.memberships[agent.id, room_id]
    budget = word_budget(membership.last_spoke_at, membership.overrun_words, room.wpm, desk.now)
    at = _posted_at(desk, agent, room, words)
    _put(desk, room_id, Sender(kind=SenderKind.AGENT, agent_id=agent.id), text, MessageType.TEXT, at, answered)
    desk.update_membership(agent.id, room_id, last_spoke_at=desk.now, overrun_words=overrun(words, budget))
    said = "Said" if desk.actor.agent_id is not None else f"{agent.name} says it"
    return f"{said} in {desk.place(room_id)}."


def check_can_be_said(desk: Desk, room: Room) -> None:
    """Raise Rejected when a room takes no messages of agents now."""
    if desk.agent(room.owner_id).retired_at is not None:
        raise Rejected(f"Room {room.id} is read-only: its owner is retired.")
    if desk.terms.may_speak is not None and (why := desk.terms.may_speak(room.id)):
        raise Rejected(why)


def _posted_at(desk: Desk, agent: Agent, room: Room, words: int) -> datetime:
    """Type one message after the other, from the moment the agent was let through, as quickly as its tempo is."""
    let_through = desk.terms.let_through_at
    if let_through is None:
        return desk.now
    before = [one.not_before for one in desk.changes if isinstance(one, Said) and one.room_id == room.id]
    start = max([let_through, *(at for at in before if at is not None)])
    slower = leisure(agent)
    at_most = desk.config.typing_at_most_seconds * slower
    return post_at(start, words, round(room.wpm / slower), at_most_seconds=at_most, now=desk.now)


def _put(
    desk: Desk,
    room_id: AgentId,
    sender: Sender,
    text: str,
    type: MessageType,
    at: datetime,
    answered: Message | None = None,
) -> None:
    """Say it; what is said in a thread is answered there, in whatever form the answer comes."""
    beside = answered or (desk.called_in(room_id) if sender.kind is SenderKind.AGENT else None)
    id = MessageId(desk.write.ids.take("message"))
    message = Message(id=id, room_id=room_id, sender=sender, content=text, type=type, sent_at=desk.now)
    desk.put(
        Said(
            message_id=id,
            room_id=room_id,
            sender=sender,
            content=text,
            type=type,
            sent_at=desk.now,
            reply_to=answered.id if answered else None,
            thread_id=beside.thread_id if beside else None,
            thread_name=beside.thread_name if beside else None,
            not_before=at,
            beat_id=desk.beat_id,
            tokens=message_tokens(desk.tokenizer, message),
        )
    )
