"""Rows to records and back: the only place that knows how a record lies in its columns."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from enum import EnumType, StrEnum
from functools import cache, lru_cache
from typing import Any, TypeVar, cast, get_args

from bot.core.kinds import MessageType, SenderKind
from bot.core.lore import BOOK, as_kept
from bot.core.plan import pieces, plan_of
from bot.core.records import (
    NO_LORE,
    AccessKey,
    Agent,
    Allocations,
    Attachment,
    Beat,
    Feeling,
    Focus,
    Letter,
    Lorebook,
    Membership,
    Message,
    Reason,
    Room,
    Sender,
    Usage,
    WholeAgent,
)
from storage.columns import from_microseconds
from storage.session import OneRow, Rows, Values

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
Fields = dict[str, Any]  # of a record by name, whose types it knows itself
BETWEEN_MODELS = ", "
ReadMoment = Callable[[Any], datetime]  # of what lies in a column


@cache
def types_of(record: type) -> Mapping[str, object]:
    """Give the types of a record's fields by name."""
    return {field.name: field.type for field in fields(cast(Any, record))}  # Python names no type of dataclasses


@cache
def names_of(record: type) -> tuple[str, ...]:
    """Give the names of a record's fields."""
    return tuple(types_of(record))


@cache
def kinds_of(record: type) -> Mapping[str, type[StrEnum]]:
    """Give the closed sets among a record's fields."""
    types = {name: (type_, *get_args(type_)) for name, type_ in types_of(record).items()}
    closed = {name: [one for one in each if isinstance(one, EnumType)] for name, each in types.items()}
    return {name: cast(type[StrEnum], found[0]) for name, found in closed.items() if found}


def plain(record: type[T], row: Values, **given: object) -> T:
    """Make a record from columns of the same names; `given` are the fields that lie otherwise."""
    made: type = record
    values = {name: row[name] for name in names_of(made) if name in row}
    for name, kind in kinds_of(made).items():
        if values.get(name) is not None:
            values[name] = kind(values[name])
    return record(**(values | given))


def agent_columns(values: Values) -> dict[str, object]:
    """Give the columns of some fields of an agent."""
    columns = dict(values)
    if "allocations" in columns:
        allocations = columns.pop("allocations")
        columns |= {
            "knowledge_percent": allocations.knowledge,
            "recent_actions_percent": allocations.recent_actions,
            "rooms_percent": allocations.rooms,
        }
    if "aliases" in columns:
        columns["aliases"] = list(columns["aliases"])
    if "spare_models" in columns:
        columns["spare_model"] = BETWEEN_MODELS.join(columns.pop("spare_models"))
    if "lore" in columns:
        columns["lore"] = as_kept(columns["lore"])
    return columns


def columns_of(record: object, *leave_out: str) -> dict[str, object]:
    """Give a record's fields by name, without those that lie otherwise."""
    made: type = type(record)
    return {name: getattr(record, name) for name in names_of(made) if name not in leave_out}


# Agents, rooms and seats are read by the hundred, most of them as they were a moment ago: by position, as they lie in
# the database, and what was made of the same row before is given again.

PERCENT = ("knowledge_percent", "recent_actions_percent", "rooms_percent")
LYING_OTHERWISE = ("allocations", "spare_models")
AGENT_COLUMNS = (*(name for name in names_of(Agent) if name not in LYING_OTHERWISE), *PERCENT, "spare_model")
ROOM_COLUMNS, MEMBERSHIP_COLUMNS = names_of(Room), names_of(Membership)
BOOKS_REMEMBERED = 32
REMEMBERED = 4_096  # rows, of all communities together


@lru_cache(maxsize=REMEMBERED)
def agent_of(row: tuple[object, ...]) -> Agent:
    """Give the agent of a row that holds `AGENT_COLUMNS` in this order."""
    values = _as_it_lies(Agent, AGENT_COLUMNS, row)
    knowledge, recent_actions, rooms = (values.pop(name) for name in PERCENT)
    values["allocations"] = Allocations(knowledge=knowledge, recent_actions=recent_actions, rooms=rooms)
    values["aliases"] = tuple(json.loads(values["aliases"] or "[]"))
    values["spare_models"] = tuple(filter(None, values.pop("spare_model").split(BETWEEN_MODELS)))
    return Agent(**values)


def whole_agent_of(agent: Agent, prompt: str, lore: str | None) -> WholeAgent:
    """Give an agent with its prompt, and with its lore as it lies in the database."""
    fields: Fields = columns_of(agent)
    return WholeAgent(**fields, prompt=prompt, lore=_lore_of(lore) if lore else NO_LORE)


@lru_cache(maxsize=BOOKS_REMEMBERED)
def _lore_of(text: str) -> Lorebook:
    return BOOK.validate_json(text)


@lru_cache(maxsize=REMEMBERED)
def place_of(row: tuple[object, ...]) -> Room:
    """Give the room of a row that holds `ROOM_COLUMNS` in this order."""
    return Room(**_as_it_lies(Room, ROOM_COLUMNS, row))


@lru_cache(maxsize=REMEMBERED)
def membership_of(row: tuple[object, ...]) -> Membership:
    """Give the membership of a row that holds `MEMBERSHIP_COLUMNS` in this order."""
    return Membership(**_as_it_lies(Membership, MEMBERSHIP_COLUMNS, row))


def _as_it_lies(record: type, names: tuple[str, ...], row: tuple[object, ...]) -> Fields:
    values: Fields = dict(zip(names, row, strict=True))
    moments, flags, kinds = _lying(record)
    for name in moments:
        if isinstance(values[name], int):  # as SQLite keeps moments
            values[name] = from_microseconds(values[name])
    for name in flags:
        values[name] = bool(values[name])
    for name, kind in kinds:
        if values[name] is not None:
            values[name] = kind(values[name])
    return values


@cache
def _lying(record: type) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, type], ...]]:
    """Give the fields of a record that are moments, yes or no, and of closed sets."""
    types = types_of(record)
    moments = tuple(name for name, type_ in types.items() if type_ in (datetime, datetime | None))
    flags = tuple(name for name, type_ in types.items() if type_ is bool)
    return moments, flags, tuple(kinds_of(record).items())


def reason_of(row: Values) -> Reason:
    """Give the reason of a row of `reasons`."""
    return plain(Reason, row, room_id=row["room_id"] or None)


def reason_columns(reason: Reason) -> dict[str, object]:
    """Give the columns of a reason, without whose it is."""
    return columns_of(reason, "room_id") | {"room_id": reason.room_id or 0}


def key_of(row: Values, held_by: Iterable[int] = ()) -> AccessKey:
    """Give the key of a row of `keys`."""
    return plain(AccessKey, row, held_by=tuple(sorted(held_by)))


def letter_of(row: Values) -> Letter:
    """Give the letter of a row of `letters`."""
    return plain(Letter, row, posted_as=tuple(row["posted_as"] or ()), payload=row["payload"] or {})


def focus_columns(focus: Focus) -> dict[str, object]:
    """Give the object in which a focus is kept, without what is empty."""
    values = {name: value for name, value in columns_of(focus, "updated_at", "plan", "feelings").items() if value}
    if focus.updated_at is not None:
        values["updated_at"] = focus.updated_at.isoformat()
    if plan := pieces(focus.plan):
        values["plan"] = plan
    if focus.feelings:
        values["feelings"] = [[one.emotion, one.why, one.at.isoformat()] for one in focus.feelings]
    return values


def focus_of(kept: Values | None) -> Focus:
    """Give the focus that is kept in an object."""
    values: Fields = {name: tuple(value) if isinstance(value, list) else value for name, value in (kept or {}).items()}
    if "updated_at" in values:
        values["updated_at"] = datetime.fromisoformat(values["updated_at"])
    if "plan" in values:
        values["plan"] = plan_of(values["plan"])
    if "feelings" in values:
        felt = values["feelings"]
        values["feelings"] = tuple(Feeling(emotion=e, why=why, at=datetime.fromisoformat(at)) for e, why, at in felt)
    return Focus(**values)


def beat_of(row: Values) -> Beat:
    """Give the beat of a row of `beats`."""
    return plain(
        Beat,
        row,
        usage=plain(Usage, row),
        sections=tuple((name, tokens) for name, tokens in row["sections"] or ()),
        outcome=tuple(row["outcome"] or ()),
        hud=row["hud"] or "",
        answer=row["answer"] or "",
        thoughts=row["thoughts"] or "",
    )


def beat_columns(beat: Beat) -> dict[str, object]:
    """Give the columns of a beat."""
    columns = columns_of(beat, "usage") | columns_of(beat.usage)
    return columns | {"sections": [list(section) for section in beat.sections], "outcome": list(beat.outcome)}


# Messages are read by the thousand: by position, and without going through their fields' names.

MESSAGE_COLUMNS = (
    "id",
    "room_id",
    "sender_kind",
    "sender_agent_id",
    "sender_person_id",
    "sender_name",
    "content",
    "type",
    "sent_at",
    "reply_to",
    "reactions",
    "edited_at",
    "attachment_count",
    "discord_id",
    "thread_id",
    "beat_id",
    "tokens",
    "answers_from_agents",
    "thread_name",
    "scene_id",
)
_SENDER_KINDS = {kind.value: kind for kind in SenderKind}
_MESSAGE_TYPES = {kind.value: kind for kind in MessageType}


def messages_of(rows: Rows, files: Mapping[int, Iterable[Attachment]]) -> list[Message]:
    """Give the messages of rows that hold `MESSAGE_COLUMNS` in this order, moments and JSON as they lie there."""
    senders: dict[tuple[object, ...], Sender] = {}
    in_microseconds = bool(rows) and isinstance(rows[0][8], int)  # as SQLite keeps moments
    moment: ReadMoment = from_microseconds if in_microseconds else _as_it_is
    return [_message_of(row, senders, moment, files) for row in rows]


def _as_it_is(moment: datetime) -> datetime:
    return moment


def _message_of(
    row: OneRow,
    senders: dict[tuple[object, ...], Sender],
    moment: ReadMoment,
    files: Mapping[int, Iterable[Attachment]],
) -> Message:
    mark = row[2:6]
    if (sender := senders.get(mark)) is None:
        sender = senders[mark] = Sender(kind=_SENDER_KINDS[row[2]], agent_id=row[3], person_id=row[4], name=row[5])
    return Message(
        id=row[0],
        room_id=row[1],
        sender=sender,
        content=row[6],
        type=_MESSAGE_TYPES[row[7]],
        sent_at=moment(row[8]),
        reply_to=row[9],
        reactions=tuple((name, count) for name, count in json.loads(row[10])) if row[10] else (),
        edited=row[11] is not None,
        attachments=tuple(files[row[0]]) if row[12] else (),
        discord_id=row[13],
        thread_id=row[14],
        beat_id=row[15],
        tokens=row[16],
        answers_from_agents=row[17],
        thread_name=row[18],
        scene_id=row[19],
    )


def sender_columns(sender: Sender) -> dict[str, object]:
    """Give the columns of a sender."""
    return {
        "sender_kind": sender.kind.value,
        "sender_agent_id": sender.agent_id,
        "sender_person_id": sender.person_id,
        "sender_name": sender.name,
    }


def reactor_mark(reactor: Sender) -> str:
    """Give what tells one reactor from another; The Architect is the person behind the title."""
    if reactor.agent_id is not None:
        return f"agent:{reactor.agent_id}"
    if reactor.person_id is not None:
        return f"person:{reactor.person_id}"
    return reactor.kind.value


def gathered(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """Give all values of each key in their order."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}
