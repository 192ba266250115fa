"""Performs knocking, letting in, joining and leaving, and what is done with keys."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from bot.core.access import (
    DRAWN_CHARACTERS,
    WRONG_KEY,
    check_door,
    check_label,
    check_lock,
    check_new_key,
    check_room_for_key,
    closing_state,
    fitting_key,
    is_by,
    is_stale,
    key_named,
)
from bot.core.actions import (
    CreateKey,
    DenyAccess,
    GiveKey,
    GrantAccess,
    HandKey,
    JoinRoom,
    LeaveRoom,
    RequestAccess,
    RevokeKey,
)
from bot.core.changes import (
    AddKey,
    AddLetter,
    AddMembership,
    AddRequest,
    Change,
    CloseRequest,
    CountFailure,
    HoldKey,
    RecordAction,
    RemoveMembership,
    UpdateKey,
)
from bot.core.due_times import own_beat_at
from bot.core.errors import Rejected
from bot.core.kinds import Access, LetterKind, ReasonKind, RequestState, Visibility
from bot.core.letters import NoticePayload, PermissionPayload
from bot.core.records import (
    PUBLIC_SIDE,
    AccessKey,
    AccessRequest,
    ActionRecord,
    AgentId,
    KeyId,
    Reason,
    RequestId,
    Room,
    Snowflake,
)
from bot.core.sealing import of_key
from bot.core.sentences import Sentence
from bot.core.view import Doors
from bot.engine.performer.leaving import take_out
from bot.engine.performer.registry import Asks, handles
from bot.engine.performer.rooms import put_letter
from bot.engine.performer.talk import tell_room
from bot.engine.performer.unit_of_work import UnitOfWork

MOST_CROSSINGS = 3  # an hour, by one agent in one room
CLOSINGS = {
    RequestState.EXPIRED: Sentence("That request has expired."),
    RequestState.CANCELLED: Sentence(
        "That request is no longer good (its key, or the one who asked): it is cancelled."
    ),
}


@handles(RequestAccess, asks=Asks.FAILURES)
def request_access(work: UnitOfWork, action: RequestAccess) -> str:
    room = work.view.all_rooms.get(AgentId(action.room_id))
    if (
        room is None or room.thread_of is not None
    ):  # a room that is not there gets the same answer as a key that does not fit
        raise Rejected(WRONG_KEY)
    _check_knock(work, room)
    check_not_locked_out(work, room.id)
    held = doors_of(work).held_keys.get(work.actor.agent_id, ()) if work.actor.agent_id is not None else ()
    key = fitting_key(action.key, work.cipher.digests(action.key), keys_of(work, room.id), held, room.id, work.now)
    if key is None:
        count_failure(work, room.id)
        raise Rejected(WRONG_KEY)
    _drop_stale(work, room.id)
    _knock(work, room, key)
    return Sentence("You knocked at {agent}'s room: its owner decides.", agent=work.agent(room.id).name)


@handles(GrantAccess, asks=Asks.NEWEST)
def grant_access(work: UnitOfWork, action: GrantAccess) -> str:
    request = _waiting(work, action.request_id)
    key = next((one for one in keys_of(work, request.room_id) if one.id == request.key_id), None)
    state = closing_state(request, key, work.config, work.now, can_enter=_can_enter(work, request))
    work.put(CloseRequest(request_id=request.id, state=state, at=work.now))
    if state is not RequestState.GRANTED or key is None:
        close_request(work, request, "your request could not be granted any more")
        raise Rejected(CLOSINGS[state])
    close_request(work, request, "you were let in", granted=True)
    if key.uses_left is not None:
        work.put(UpdateKey(key_id=key.id, fields={"uses_left": key.uses_left - 1}))
        put_key(work, replace(key, uses_left=key.uses_left - 1))
    _let_in(work, request)
    return Sentence(
        "Request {request}: {requester} is let in.", request=request.id, requester=_requester(work, request)
    )


@handles(DenyAccess)
def deny_access(work: UnitOfWork, action: DenyAccess) -> str:
    request = _waiting(work, action.request_id)
    work.put(CloseRequest(request_id=request.id, state=RequestState.DENIED, at=work.now))
    close_request(work, request, "you were turned away")
    return Sentence(
        "Request {request}: {requester} is turned away.", request=request.id, requester=_requester(work, request)
    )


@handles(JoinRoom, asks=Asks.NEWEST)
def join_room(work: UnitOfWork, action: JoinRoom) -> str:
    agent, room = work.me(), work.room(action.room_id)
    if room.thread_of is not None and (agent.id, room.id) not in work.memberships:
        raise Rejected(Sentence("There is no room {room} here.", room=room.id))
    check_door(room, is_member=(agent.id, room.id) in work.memberships)
    _check_crossings(work, agent.id, room.id)
    if room.access is not Access.OPEN:
        raise Rejected("That room takes a key: use request_access.")
    if work.agent(room.id).retired_at is not None:
        raise Rejected(Sentence("The owner of that room is retired."))
    work.add_membership(agent.id, room.id)
    tell_room(work, room.id, f"{agent.name} joined.")
    return f"You are in {work.agent(room.id).name}'s room now."


@handles(LeaveRoom)
async def leave_room(work: UnitOfWork, action: LeaveRoom) -> str:
    agent, room_id = work.me(), AgentId(action.room_id)
    if (agent.id, room_id) not in work.memberships:
        raise Rejected(f"{agent.name} is not in room {room_id}.")
    owner_id = work.room(room_id).owner_id
    if owner_id == agent.id:
        raise Rejected("Your own room cannot be left.")
    _check_crossings(work, agent.id, room_id)
    await take_out(work, agent.id, room_id)
    return f"You left {work.agent(owner_id).name}'s room."


def _check_crossings(work: UnitOfWork, agent_id: AgentId, room_id: AgentId) -> None:
    """Raise Rejected when an agent comes and goes too often: the room is told each time."""
    if work.actor.agent_id is None:
        return
    if any(_crosses(change, agent_id, room_id) for change in work.changes):
        raise Rejected("You came or went there just now: stay with it.")
    if work.circumstances.crossings.get(room_id, 0) >= MOST_CROSSINGS:
        raise Rejected("You came and went there often: try again in an hour.")


def _crosses(change: Change, agent_id: AgentId, room_id: AgentId) -> bool:
    match change:
        case AddMembership(membership=one):
            return (one.agent_id, one.room_id) == (agent_id, room_id)
        case RemoveMembership():
            return (change.agent_id, change.room_id) == (agent_id, room_id)
        case _:
            return False


def _check_knock(work: UnitOfWork, room: Room) -> None:
    agent_id, person = work.actor.agent_id, work.actor.who
    check_door(room, is_member=agent_id is not None and (agent_id, room.id) in work.memberships)
    if work.agent(room.id).retired_at is not None:
        raise Rejected(Sentence("The owner of that room is retired."))
    if person is not None and room.visibility is Visibility.PUBLIC:
        raise Rejected(Sentence("Everyone on the server sees that room already."))
    if agent_id is not None and room.access is Access.OPEN:
        raise Rejected("That room is open: use join_room.")
    mine = [one for one in requests_of(work, room.id) if is_by(one, agent_id, person.id if person else None)]
    if any(not is_stale(one, work.config, work.now) for one in mine):
        raise Rejected(Sentence("Your request waits there already."))


def _drop_stale(work: UnitOfWork, room_id: AgentId) -> None:
    for request in requests_of(work, room_id):
        if is_stale(request, work.config, work.now):
            work.put(CloseRequest(request_id=request.id, state=RequestState.EXPIRED, at=work.now))
            close_request(work, request, "your request has expired")


def _knock(work: UnitOfWork, room: Room, key: AccessKey) -> None:
    agent_id, person = work.actor.agent_id, work.actor.who
    name = f"@{person.username}" if person else work.me().name
    request = AccessRequest(
        id=RequestId(work.write.ids.take("request")),
        room_id=room.id,
        requester_agent_id=agent_id,
        requester_person_id=person.id if person else None,
        requester_name=name,
        key_id=key.id,
        key_label=key.label,
        created_at=work.now,
    )
    add_request(work, request)
    work.put(AddRequest(request=request))
    tell_room(work, room.id, f"{name} asks to come in.")
    owner = work.agent(room.id)
    if owner.paused_reason is not None:
        text = (
            f"🔔 {name} knocks at the door of {owner.name}, who is paused and will not answer:"
            " decide with `/access pending`, or use `/agent resume`."
        )
        put_letter(work, LetterKind.NOTICE, room.id, NoticePayload(text=text).stored())
    reason = Reason(
        kind=ReasonKind.ACCESS,
        room_id=room.id,
        by_agent_id=agent_id,
        person_id=work.asked_by,
        since=work.now,
        due_at=own_beat_at(owner, work.now),
    )
    work.give_reason(owner.id, reason)


def _requester(work: UnitOfWork, request: AccessRequest) -> str:
    if request.requester_person_id is None:
        agent = work.agents.get(request.requester_agent_id) if request.requester_agent_id is not None else None
        return agent.name if agent else request.requester_name
    return work.name(request.requester_person_id, request.requester_name.removeprefix("@"))


def _waiting(work: UnitOfWork, request_id: int) -> AccessRequest:
    """Find a request at one's own room; a manager who named no room may mean any that is loaded."""
    rooms = [work.subject_id] if work.subject_id is not None else list(doors_of(work).requests)
    for room_id in rooms:
        for request in requests_of(work, AgentId(room_id)):
            if request.id == request_id:
                return request
    raise Rejected(
        f"No request {request_id} waits at your room."
        if work.actor.agent_id is not None
        else Sentence("No request {request_id} waits here.", request_id=request_id)
    )


def _can_enter(work: UnitOfWork, request: AccessRequest) -> bool:
    """Whether the one who asked is still there: a person always, an agent unless it is retired."""
    if request.requester_agent_id is None:
        return True
    agent = work.view.agents.get(request.requester_agent_id)
    return agent is not None and agent.retired_at is None


def _let_in(work: UnitOfWork, request: AccessRequest) -> None:
    agent_id, room_id = request.requester_agent_id, request.room_id
    if agent_id is not None and agent_id in work.agents and agent_id not in work.members(room_id):
        work.add_membership(agent_id, room_id)
    if request.requester_person_id is not None:
        person_id = Snowflake(request.requester_person_id)
        put_letter(work, LetterKind.PERMISSION, room_id, PermissionPayload(person_id=person_id, allowed=True).stored())
    tell_room(work, room_id, f"{request.requester_name} was let in.")


def check_not_locked_out(work: UnitOfWork, room_id: AgentId) -> None:
    """Raise Rejected while the actor is locked out of a room."""
    before = work.circumstances.failures.get(room_id, 0)
    check_lock(before + work.failures[room_id], work.config)


def count_failure(work: UnitOfWork, room_id: AgentId) -> None:
    """Note a key that did not open a room."""
    work.failures[room_id] += 1
    person = work.actor.who
    work.put(
        CountFailure(
            room_id=room_id, agent_id=work.actor.agent_id, person_id=person.id if person else None, at=work.now
        )
    )


@handles(CreateKey)
def create_key(work: UnitOfWork, action: CreateKey) -> str:
    owner, secret = work.me(), action.key or work.random.token(DRAWN_CHARACTERS)
    work.redactor |= [secret]
    keys = keys_of(work, owner.id)
    check_room_for_key(keys, work.config, work.now)
    id_ = KeyId(work.write.ids.take("key"))
    label = _label(work, action, id_)
    check_label(label, secret, work.cipher.digests(label), keys)
    check_new_key(label, work.cipher.digests(secret), keys, action.expires, work.now)
    key = AccessKey(
        id=id_,
        room_id=owner.id,
        label=label,
        ciphertext=work.cipher.encrypt(secret, of_key(work.community_id, owner.id, id_)),
        digest=work.cipher.digest(secret),
        created_at=work.now,
        expires_at=action.expires,
        uses_left=action.uses,
    )
    put_key(work, key)
    work.put(AddKey(key=key))
    work.secret = secret
    return Sentence('The key "{label}" is made.', label=label)


def _label(work: UnitOfWork, action: CreateKey, key_id: KeyId) -> str:
    """Give the label; one that an agent words behind a closed door would carry words out of it."""
    if work.actor.agent_id is not None and work.side_room() is not None:
        return f"key {key_id}"
    return action.label or f"key {len(keys_of(work, work.me().id)) + 1}"


@handles(RevokeKey)
def revoke_key(work: UnitOfWork, action: RevokeKey) -> str:
    owner = work.me()
    key = key_named(action.key, work.cipher.digests(action.key), keys_of(work, owner.id))
    work.put(UpdateKey(key_id=key.id, fields={"revoked_at": work.now}))
    put_key(work, replace(key, revoked_at=work.now))
    for request in requests_of(work, owner.id):
        if request.key_id == key.id:
            work.put(CloseRequest(request_id=request.id, state=RequestState.CANCELLED, at=work.now))
            close_request(work, request, "your request was cancelled: its key was withdrawn")
    return Sentence('The key "{label}" opens the room no longer.', label=key.label)


@handles(GiveKey)
def give_key(work: UnitOfWork, action: GiveKey) -> str:
    owner, agent = work.me(), work.agent(action.agent_id)
    if agent.id == owner.id:
        raise Rejected(Sentence("It is your own room's key."))
    if agent.retired_at is not None:
        raise Rejected(Sentence("{agent} is retired.", agent=agent.name))
    key = key_named(action.label, (), keys_of(work, owner.id))
    if agent.id in key.held_by:
        return Sentence('{agent} holds the key "{label}" already.', agent=agent.name, label=key.label)
    work.put(HoldKey(key_id=key.id, agent_id=AgentId(agent.id)))
    hold(work, key, agent.id)
    return Sentence('{agent} holds the key "{label}" now.', agent=agent.name, label=key.label)


@handles(HandKey)
async def hand_key(work: UnitOfWork, action: HandKey) -> str:
    key = key_named(action.label, (), keys_of(work, work.me().id))
    person = await work.write.people.find(work.community_id, Snowflake(action.person_id))
    work.secret = work.cipher.decrypt(key.ciphertext, of_key(work.community_id, key.room_id, key.id))
    who = work.name(person.id, person.username) if person else "that person"
    return Sentence('The key "{label}" is for {who}.', label=key.label, who=who)


T = TypeVar("T")


def doors_of(work: UnitOfWork) -> Doors:
    """Give keys and requests; a LookupError where they were not read."""
    if work.doors is None:
        raise LookupError("no doors were read for these actions")
    return work.doors


def keys_of(work: UnitOfWork, room_id: AgentId) -> tuple[AccessKey, ...]:
    """Give the keys of a room."""
    return doors_of(work).keys.get(room_id, ())


def requests_of(work: UnitOfWork, room_id: AgentId) -> tuple[AccessRequest, ...]:
    """Give the requests that wait at a room."""
    return doors_of(work).requests.get(room_id, ())


def put_key(work: UnitOfWork, key: AccessKey) -> None:
    """Put a new or changed key on the desk."""
    others = tuple(one for one in keys_of(work, key.room_id) if one.id != key.id)
    work.doors = replace(doors_of(work), keys=_with(doors_of(work).keys, key.room_id, (*others, key)))


def hold(work: UnitOfWork, key: AccessKey, agent_id: AgentId) -> None:
    """Put a key into an agent's hand."""
    after = replace(key, held_by=(*key.held_by, agent_id))
    put_key(work, after)
    held = (*doors_of(work).held_keys.get(agent_id, ()), after)
    work.doors = replace(doors_of(work), held_keys=_with(doors_of(work).held_keys, agent_id, held))


def add_request(work: UnitOfWork, request: AccessRequest) -> None:
    """Let a request wait at its room."""
    waiting = (*requests_of(work, request.room_id), request)
    work.doors = replace(doors_of(work), requests=_with(doors_of(work).requests, request.room_id, waiting))


def close_request(work: UnitOfWork, request: AccessRequest, news: str, *, granted: bool = False) -> None:
    """Take a request off the desk and tell its requester."""
    waiting = tuple(one for one in requests_of(work, request.room_id) if one.id != request.id)
    work.doors = replace(doors_of(work), requests=_with(doors_of(work).requests, request.room_id, waiting))
    where = work.agent(request.room_id).name
    if request.requester_agent_id is not None:
        _tell_agent(work, request, f"{where}: {news}", granted=granted)
    elif request.requester_person_id is not None:
        text = f"{where}'s room: {news}."
        payload = NoticePayload(text=text, to_managers=False, person_id=request.requester_person_id)
        work.put(
            AddLetter(kind=LetterKind.NOTICE, room_id=request.room_id, payload=payload.stored(), not_before=work.now)
        )


def _tell_agent(work: UnitOfWork, request: AccessRequest, news: str, *, granted: bool) -> None:
    """The news stands among the agent's recent actions, and is a reason to look at them."""
    agent_id = request.requester_agent_id
    if agent_id is None or agent_id not in work.agents:
        return
    record = ActionRecord(
        type="request_access",
        at=work.now,
        parameters={"room_id": int(request.room_id)},
        accepted=granted,
        result=news if granted else "",
        why="" if granted else news,
    )
    work.put(RecordAction(agent_id=agent_id, side=PUBLIC_SIDE, record=record))
    reason = Reason(kind=ReasonKind.ANSWER, by_agent_id=work.actor.agent_id, since=work.now, due_at=work.now)
    work.give_reason(agent_id, reason)


def _with(table: Mapping[AgentId, T], key: AgentId, value: T) -> dict[AgentId, T]:
    return {**table, key: value}
