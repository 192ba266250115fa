"""What a value of an archive may look like: as it is read, for what nobody can read would stop whoever asks for it."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, InstanceOf, StringConstraints, TypeAdapter
from sqlalchemy import Table

from bot.core.kinds import MessageType, MindPart, SenderKind
from bot.core.knowledge import depth_of
from bot.core.records import AccessRequest, Agent, Beat, Letter, Lorebook, Membership, Reason, Room
from bot.core.scenes.records import Scene
from storage.convert import focus_of, kinds_of
from storage.moving.limits import DEEPEST
from storage.session import Values
from storage.tables import (
    ACTIONS,
    AGENTS,
    BEATS,
    EVENTS,
    JOURNAL,
    LETTERS,
    MEMBERSHIPS,
    MESSAGES,
    METADATA,
    MINDS,
    MOVES,
    REACTIONS,
    REASONS,
    REQUESTS,
    RESERVATIONS,
    ROOMS,
    SCENES,
)

Text = InstanceOf[str]  # any: half a surrogate pair, too, which pydantic takes for no text
Whole = InstanceOf[int]
Thing = InstanceOf[dict[str, Any]]  # of JSON


class _Focus(BaseModel):
    model_config = ConfigDict(extra="forbid")

    current_task: Text = ""
    compacted_context: Text = ""
    key_decisions: list[Text] = []
    active_files: list[Text] = []
    notes: list[Text] = []
    blockers: list[Text] = []
    next_steps: list[Text] = []
    updated_at: Text = ""
    plan: Thing = {}
    feelings: list[tuple[Text, Text, Text]] = []


TableColumn = tuple[Table, str]
_TEXTS, _NUMBERS, _COUNTS = list[Text], list[Whole], list[tuple[Text, Whole]]
_RECORDS: Mapping[Table, type] = {
    AGENTS: Agent,
    BEATS: Beat,
    LETTERS: Letter,
    MEMBERSHIPS: Membership,
    REASONS: Reason,
    REQUESTS: AccessRequest,
    ROOMS: Room,
    SCENES: Scene,
}
_SHAPES: Mapping[TableColumn, Any] = {  # types as annotations give them
    **{(table, name): kind for table, record in _RECORDS.items() for name, kind in kinds_of(record).items()},
    (MESSAGES, "sender_kind"): SenderKind,
    (MESSAGES, "type"): MessageType,
    (JOURNAL, "part"): MindPart,
    (REACTIONS, "reactor"): Annotated[str, StringConstraints(pattern=r"^(agent:\d{1,10}|person:\d{1,20}|system)$")],
    (AGENTS, "aliases"): _TEXTS,
    (AGENTS, "lore"): Lorebook,
    (MINDS, "knowledge"): Thing,
    (MINDS, "focus"): _Focus,
    (MESSAGES, "reactions"): _COUNTS,
    (BEATS, "sections"): _COUNTS,
    (BEATS, "outcome"): _TEXTS,
    (ACTIONS, "parameters"): Thing,
    (LETTERS, "payload"): Thing,
    (LETTERS, "posted_as"): _NUMBERS,
    (RESERVATIONS, "agents"): dict[str, float],
    (SCENES, "options"): Thing,
    (MOVES, "arguments"): Thing,
    (EVENTS, "audience"): _NUMBERS,
}
Reader = TypeAdapter[Any]  # of one column's values
_READERS: dict[str, list[tuple[str, Reader]]] = {name: [] for name in METADATA.tables}
for (_table, _name), _shape in _SHAPES.items():
    _READERS[_table.name].append((_name, TypeAdapter(_shape)))
_PACKED = {SCENES, MOVES}  # whose `standing` is an object as text


def check_shape(table: Table, row: Values) -> None:
    """Raise ValueError or TypeError for a row that holds what is not read as what it should be."""
    for name, reader in _READERS[table.name]:
        if (value := row.get(name)) is not None:
            reader.validate_python(value)
    if table is MINDS:
        focus_of(row.get("focus"))  # with its moments
    if table in _PACKED and (text := row.get("standing")):
        standing = json.loads(text)
        if not isinstance(standing, dict) or depth_of(standing) > DEEPEST:
            raise ValueError(f"{table.name}.standing is no state")
