"""Performs what changes a room."""

from collections.abc import Mapping
from datetime import timedelta

from bot.core.actions import (
    ClearBillboard,
    ClearTopic,
    Hush,
    Invite,
    Remove,
    SetAccess,
    SetBillboard,
    SetRpm,
    SetTopic,
    SetVisibility,
    SetWpm,
)
from bot.core.changes import AddLetter
from bot.core.errors import Rejected
from bot.core.kinds import LetterKind, Visibility
from bot.core.letters import BillboardPayload, PermissionPayload, TopicPayload
from bot.core.records import AgentId, Json, Snowflake
from bot.engine.performer.desk import Desk
from bot.engine.performer.registry import handles
from bot.engine.performer.speech import tell_room


@handles(SetBillboard)
def set_billboard(desk: Desk, action: SetBillboard) -> str:
    return _show_billboard(desk, action.message, "The billboard is up.")


@handles(ClearBillboard)
def clear_billboard(desk: Desk, action: ClearBillboard) -> str:
    return _show_billboard(desk, "", "The billboard is down.")


@handles(SetTopic)
def set_topic(desk: Desk, action: SetTopic) -> str:
    return _show_topic(desk, " ".join(action.topic.split()), "The topic is set.")


@handles(ClearTopic)
def clear_topic(desk: Desk, action: ClearTopic) -> str:
    return _show_topic(desk, "", "The topic is gone.")


@handles(SetWpm)
def set_wpm(desk: Desk, action: SetWpm) -> str:
    desk.update_room(desk.me().id, wpm=action.wpm)
    return f"The room talks at {action.wpm} words a minute."


@handles(SetRpm)
def set_rpm(desk: Desk, action: SetRpm) -> str:
    desk.update_room(desk.me().id, rpm=action.rpm)
    return f"Agents may post {action.rpm} messages a minute here."


@handles(SetAccess)
def set_access(desk: Desk, action: SetAccess) -> str:
    desk.update_room(desk.me().id, access=action.access)
    return f"The room is {action.access.value} to agents."


@handles(SetVisibility)
def set_visibility(desk: Desk, action: SetVisibility) -> str:
    room = desk.room(desk.me().id)
    if room.visibility is action.visibility:
        return f"The room is {action.visibility.value} already."
    desk.update_room(room.id, visibility=action.visibility)
    everyone = PermissionPayload(person_id=None, allowed=action.visibility is Visibility.PUBLIC)
    put_letter(desk, LetterKind.PERMISSION, room.id, everyone.stored())
    return f"The room is {action.visibility.value} now."


@handles(Hush)
def hush(desk: Desk, action: Hush) -> str:
    minutes = desk.config.hush_minutes if action.minutes is None else action.minutes
    until = desk.now + timedelta(minutes=minutes) if minutes else None
    desk.update_room(desk.me().id, hushed_until=until)
    return f"Agents are silent here for {minutes:g} minutes." if minutes else "Agents may speak here again."


@handles(Invite)
def invite(desk: Desk, action: Invite) -> str:
    owner, guest = desk.me(), desk.agent(action.agent_id)
    if guest.retired_at is not None:
        raise Rejected(f"{guest.name} is retired.")
    if guest.id in desk.members(owner.id):
        raise Rejected(f"{guest.name} is in that room already.")
    desk.add_membership(guest.id, owner.id)
    tell_room(desk, owner.id, f"{guest.name} joined.")
    return f"{guest.name} is in {owner.name}'s room now."


@handles(Remove)
def remove(desk: Desk, action: Remove) -> str:
    owner = desk.me()
    if action.agent_id is not None:
        return _remove_agent(desk, owner.id, AgentId(action.agent_id))
    if action.person_id is None:
        raise Rejected("Say whom to remove.")
    if desk.room(owner.id).visibility is Visibility.PUBLIC:
        raise Rejected("Everyone on the server sees that room: make it private first.")
    person_id = Snowflake(action.person_id)
    put_letter(desk, LetterKind.PERMISSION, owner.id, PermissionPayload(person_id=person_id, allowed=False).stored())
    return "That person does not see the room any more."


def put_letter(desk: Desk, kind: LetterKind, room_id: AgentId, payload: Mapping[str, Json]) -> None:
    """Have an effect on Discord carried out."""
    desk.put(AddLetter(kind=kind, room_id=room_id, payload=payload, not_before=desk.now, beat_id=desk.beat_id))


def _remove_agent(desk: Desk, room_id: AgentId, agent_id: AgentId) -> str:
    agent = desk.agent(agent_id)
    if agent_id == room_id:
        raise Rejected(f"It is {agent.name}'s own room.")
    if agent_id not in desk.members(room_id):
        raise Rejected(f"{agent.name} is not in that room.")
    desk.remove_membership(agent_id, room_id)
    tell_room(desk, room_id, f"{agent.name} left.")
    return f"{agent.name} is out of the room."


def _show_billboard(desk: Desk, text: str, result: str) -> str:
    room = desk.room(desk.me().id)
    if room.billboard != text:
        desk.update_room(room.id, billboard=text)
        put_letter(desk, LetterKind.BILLBOARD, room.id, BillboardPayload(text=text).stored())
    return result


def _show_topic(desk: Desk, topic: str, result: str) -> str:
    room = desk.room(desk.me().id)
    if room.topic != topic:
        desk.update_room(room.id, topic=topic)
        put_letter(desk, LetterKind.TOPIC, room.id, TopicPayload(topic=topic).stored())
    return result
