"""What the scripted model has understood of a HUD: only what stands in its text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.core.records import Json

ARCHITECT = "The Architect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of a room. `sender` is as shown: an agent's id, `@name`, `The Architect (@name)` or `System`."""

    id: int
    sender: str
    text: str
    at: datetime | None = None
    reply_to: int | None = None

    @property
    def by_person(self) -> bool:
        return self.sender.startswith(("@", ARCHITECT))

    @property
    def agent_id(self) -> int | None:
        return int(self.sender) if self.sender.isdecimal() else None

    @property
    def speaker(self) -> str:
        """The sender without `@`; for `The Architect (@mira)` the name in brackets."""
        named = re.search(r"@([^\s()]+)", self.sender)
        return named[1] if named else self.sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """Somebody waits for access to a room."""

    id: int
    requester: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A room as one agent sees it: lines oldest first, `older` of them not shown."""

    id: int
    name: str = ""
    own: bool = False
    topic: str = ""
    members: tuple[int, ...] = ()
    lines: tuple[Line, ...] = ()
    older: int = 0
    knocks: tuple[Knock, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PastAction:
    """One of the recent actions: its kind, the whole text that tells about it, and when it was done."""

    kind: str
    text: str
    at: datetime | None = None
    room_id: int | None = None
    refused: bool = False

    @property
    def is_speech(self) -> bool:
        return self.kind in ("send_message", "reply") and not self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """What came of an earlier question to the memory; it is shown once."""

    question: str
    answer: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One agent of the call."""

    id: int
    name: str
    kind: str = "persona"
    seed: str = ""
    knowledge: Mapping[str, Json] = field(default_factory=dict)
    deeds: tuple[PastAction, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    may_create: bool = False
    rooms: tuple[Room, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the directory."""

    id: int
    name: str
    topic: str = ""
    access: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hud:
    """Everything in one call."""

    seats: tuple[Seat, ...]
    directory: tuple[Entry, ...] = ()
    now: datetime | None = None

    def name_of(self, agent_id: int) -> str:
        names = {entry.id: entry.name for entry in self.directory}
        names |= {seat.id: seat.name for seat in self.seats}
        return names.get(agent_id, f"agent {agent_id}")

    def id_of(self, named: str) -> int | None:
        """An agent's or room's id from its number or its name, ignoring case and a leading # or @."""
        named = named.strip(" .!?\"'#@").lower()
        if named.isdecimal():
            return int(named)
        known = [(entry.name, entry.id) for entry in self.directory]
        known += [(room.name, room.id) for seat in self.seats for room in seat.rooms]
        return next((number for name, number in known if name.lower() == named), None)
