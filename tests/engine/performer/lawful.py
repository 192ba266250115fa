"""What an agent's answer may change at most, whatever it says: the law that the fuzz holds every change to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.core.changes import (
    AddAgent,
    AddKey,
    AddLetter,
    AddLookup,
    AddMembership,
    AddRequest,
    AddSchedule,
    Audit,
    Change,
    CloseRequest,
    CountFailure,
    DropSchedule,
    HoldKey,
    JournalPlan,
    PutReason,
    React,
    RecordAction,
    RemoveMembership,
    Say,
    SetFocus,
    SetKnowledge,
    UpdateAgent,
    UpdateKey,
    UpdateMembership,
    UpdateRoom,
)
from bot.core.kinds import Access, LetterKind, ReasonKind, SenderKind
from bot.core.records import PUBLIC_SIDE, AgentId, Side
from tests.engine.performer.still import MESSAGES, SCHEDULES, STILL

NEW = 50  # ids from here on are given by the still store
NOTICES = (" joined.", " left.", " asks to come in.", " was let in.", "nobody answers here any more.")
NEVER_BY_AGENTS = {"can_create_agents", "paused_reason", "token_budget", "temperature", "created_by"}


@dataclass(frozen=True)
class Bounds:
    """Who answered, and what its beat showed."""

    actor: AgentId
    shown: frozenset[AgentId]
    side: Side

    @property
    def own_room_shown(self) -> bool:
        return self.actor in self.shown

    @property
    def is_privileged(self) -> bool:
        return STILL.agents[self.actor].can_create_agents


def is_lawful(change: Change, bounds: Bounds) -> bool:
    """Tell whether an agent's answer may cause this change."""
    law = LAWS.get(type(change))
    return law is not None and law(change, bounds)


def _of_its_mind(change: SetKnowledge | SetFocus | JournalPlan | AddLookup, bounds: Bounds) -> bool:
    return change.agent_id == bounds.actor and change.side == bounds.side


def _of_records(change: RecordAction, bounds: Bounds) -> bool:
    return change.agent_id == bounds.actor or change.record.type == "request_access"


def _of_agents(change: UpdateAgent, bounds: Bounds) -> bool:
    if set(change.fields) & NEVER_BY_AGENTS:
        return False
    if change.agent_id == bounds.actor:
        return True
    neighbours = {member for id in bounds.shown for member in STILL.rooms[id].members}
    harmless = set(change.fields) <= {"asleep_until", "interval_seconds"}
    return change.agent_id in neighbours and (bounds.is_privileged or harmless)


def _of_rooms(change: UpdateRoom, bounds: Bounds) -> bool:
    own = change.room_id == bounds.actor
    return change.room_id in bounds.shown and (own or set(change.fields) == {"compact_asked_at"})


def _of_seats(change: UpdateMembership, bounds: Bounds) -> bool:
    return change.agent_id == bounds.actor and change.room_id in bounds.shown


def _of_leaving(change: RemoveMembership, bounds: Bounds) -> bool:
    return change.agent_id == bounds.actor != change.room_id and change.room_id in bounds.shown


def _of_joining(change: AddMembership, bounds: Bounds) -> bool:
    one = change.membership
    guests = {request.requester_agent_id for request in STILL.requests.get(bounds.actor, ())}
    granted = one.room_id == bounds.actor and bounds.own_room_shown and one.agent_id in guests
    if one.agent_id == bounds.actor:
        return STILL.all_rooms[one.room_id].access is Access.OPEN
    return granted or (bounds.is_privileged and one.agent_id > NEW and one.room_id in bounds.shown)


def _of_words(change: Say, bounds: Bounds) -> bool:
    if change.sender.kind is SenderKind.SYSTEM:
        return change.content.endswith(NOTICES)
    return change.sender.agent_id == bounds.actor and change.room_id in bounds.shown


def _of_reactions(change: React, bounds: Bounds) -> bool:
    return change.reactor.agent_id == bounds.actor and MESSAGES[change.message_id].room_id in bounds.shown


def _of_keys(change: UpdateKey | HoldKey, bounds: Bounds) -> bool:
    made_now = change.key_id not in {one.id for keys in STILL.keys.values() for one in keys}
    return bounds.own_room_shown and (made_now or int(change.key_id) == int(bounds.actor))


def _of_new_keys(change: AddKey, bounds: Bounds) -> bool:
    return change.key.room_id == bounds.actor and bounds.own_room_shown


def _of_decisions(change: CloseRequest, bounds: Bounds) -> bool:
    waiting = {one.id for one in STILL.requests.get(bounds.actor, ())}
    return bounds.own_room_shown and change.request_id in waiting


def _of_knocks(change: AddRequest, bounds: Bounds) -> bool:
    return change.request.requester_agent_id == bounds.actor


def _of_schedules(change: AddSchedule, bounds: Bounds) -> bool:
    return change.schedule.agent_id == bounds.actor and change.schedule.room_id in bounds.shown


def _of_cancelled(change: DropSchedule, bounds: Bounds) -> bool:
    its = next(one for one in SCHEDULES if one.id == change.schedule_id)
    return its.agent_id == bounds.actor and its.room_id in bounds.shown


def _of_failures(change: CountFailure, bounds: Bounds) -> bool:
    return change.agent_id == bounds.actor


def _of_children(change: AddAgent, bounds: Bounds) -> bool:
    return bounds.is_privileged and bounds.side == PUBLIC_SIDE and not change.agent.can_create_agents


def _of_letters(change: AddLetter, bounds: Bounds) -> bool:
    room_read_only = change.kind is LetterKind.PERMISSION and not change.payload  # who sees it stays as it is
    of_managing = bounds.is_privileged and (change.kind is LetterKind.RENAME or room_read_only)
    return change.room_id in bounds.shown or change.room_id > NEW or of_managing


def _of_the_audit(change: Audit, bounds: Bounds) -> bool:
    return (change.by, change.agent_id) == (f"agent {bounds.actor}", bounds.actor)


def _always(change: PutReason, bounds: Bounds) -> bool:
    return change.reason.kind is not ReasonKind.ADDRESSED


LAWS: Mapping[type[Change], Callable[[Any, Bounds], bool]] = {
    SetKnowledge: _of_its_mind,
    SetFocus: _of_its_mind,
    JournalPlan: _of_its_mind,
    AddLookup: _of_its_mind,
    RecordAction: _of_records,
    UpdateAgent: _of_agents,
    UpdateRoom: _of_rooms,
    UpdateMembership: _of_seats,
    RemoveMembership: _of_leaving,
    AddMembership: _of_joining,
    Say: _of_words,
    React: _of_reactions,
    UpdateKey: _of_keys,
    HoldKey: _of_keys,
    AddKey: _of_new_keys,
    CloseRequest: _of_decisions,
    AddRequest: _of_knocks,
    AddSchedule: _of_schedules,
    DropSchedule: _of_cancelled,
    CountFailure: _of_failures,
    AddAgent: _of_children,
    AddLetter: _of_letters,
    PutReason: _always,
    Audit: _of_the_audit,
}
