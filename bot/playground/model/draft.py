"""What is gathered while a HUD's text is read line by line, and what becomes of it at the end."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.playground.model.view import Deed, Entry, Hud, Knock, Line, Room, Seat


@dataclass(slots=True)
class RoomDraft:
    """A room as it stands in the text, for whoever sees it."""

    id: int
    name: str
    fields: dict[str, str] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    knocks: list[Knock] = field(default_factory=list)

    @property
    def members(self) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", self.fields.get("members", "")))

    def seen_by(self, seat_id: int, first_line: int) -> Room:
        return Room(
            id=self.id,
            name=self.name,
            own=self.id == seat_id,
            topic=self.fields.get("topic", ""),
            members=self.members,
            lines=tuple(line for line in self.lines if line.id >= first_line),
            knocks=tuple(self.knocks) if self.id == seat_id else (),
        )


@dataclass(slots=True)
class SeatDraft:
    """An agent's segment; `first_lines` says from which message on it sees a room."""

    id: int
    name: str
    fields: dict[str, str] = field(default_factory=dict)
    knowledge: dict[str, Any] = field(default_factory=dict)
    deeds: list[Deed] = field(default_factory=list)
    lookups: list[str] = field(default_factory=list)
    first_lines: dict[int, int] = field(default_factory=dict)
    may_create: bool = False

    def seat(self, rooms: dict[int, RoomDraft], *, alone: bool) -> Seat:
        mine = [room for room in rooms.values() if alone or self.sees(room)]
        return Seat(
            id=self.id,
            name=self.name,
            kind=self.fields.get("type", "persona"),
            seed=self.fields.get("seed") or self.fields.get("role") or "",
            knowledge=self.knowledge,
            deeds=tuple(self.deeds),
            lookups=tuple(self.lookups),
            may_create=self.may_create,
            rooms=tuple(room.seen_by(self.id, self.first_lines.get(room.id, 0)) for room in mine),
        )

    def sees(self, room: RoomDraft) -> bool:
        return room.id in self.first_lines if self.first_lines else self.id in (room.id, *room.members)


@dataclass(slots=True)
class HudDraft:
    """The whole text so far."""

    seats: dict[int, SeatDraft] = field(default_factory=dict)
    rooms: dict[int, RoomDraft] = field(default_factory=dict)
    directory: list[Entry] = field(default_factory=list)
    now: datetime | None = None

    def hud(self) -> Hud | None:
        """The finished view; None when no agent was found, so that the text is no HUD."""
        if not self.seats:
            return None
        alone = len(self.seats) == 1
        seats = tuple(draft.seat(self.rooms, alone=alone) for draft in self.seats.values())
        return Hud(seats=seats, directory=tuple(self.directory), now=self.now)
