"""Keys and requests on the desk: what the actions so far have made of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from bot.core.changes import AddLetter, RecordAction
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.letters import NoticePayload
from bot.core.records import (
    PUBLIC_SIDE,
    AccessKey,
    AccessRequest,
    ActionRecord,
    AgentId,
    Reason,
)
from bot.core.view import Doors
from bot.engine.performer.unit_of_work import UnitOfWork

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
