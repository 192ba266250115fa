"""What is gathered while a HUD is read, and what becomes of it at the end."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.playground.model.view import Deed, Entry, Hud, Knock, Line, Lookup, Room, Seat


@dataclass(slots=True)
class RoomDraft:
    """A room as it stands in the text, for whoever sees it."""

    id: int
    name: str
    topic: str = ""
    members: tuple[int, ...] = ()
    older: int = 0
    lines: list[Line] = field(default_factory=list)

    def seen_by(self, seat: "SeatDraft") -> Room:
        own, first = self.id == seat.id, seat.first_lines.get(self.id, 0)
        start = next((place for place, line in enumerate(self.lines) if line.id == first), 0)
        return Room(
            id=self.id,
            name=self.name,
            own=own,
            topic=self.topic,
            members=self.members,
            lines=tuple(self.lines[start:]) if first else (),
            older=self.older + start,
            knocks=tuple(seat.knocks) if own else (),
        )


@dataclass(slots=True)
class SeatDraft:
    """An agent's segment; `first_lines` has the rooms it sees, each with the first message it sees there."""

    id: int
    name: str
    kind: str = "persona"
    seed: str = ""
    knowledge: dict[str, Any] = field(default_factory=dict)
    deeds: list[Deed] = field(default_factory=list)
    lookups: list[Lookup] = field(default_factory=list)
    knocks: list[Knock] = field(default_factory=list)
    first_lines: dict[int, int] = field(default_factory=dict)
    may_create: bool = False

    def seat(self, rooms: dict[int, RoomDraft]) -> Seat:
        return Seat(
            id=self.id,
            name=self.name,
            kind=self.kind,
            seed=self.seed,
            knowledge=self.knowledge,
            deeds=tuple(self.deeds),
            lookups=tuple(self.lookups),
            may_create=self.may_create,
            rooms=tuple(room.seen_by(self) for room in rooms.values() if room.id in self.first_lines),
        )


@dataclass(slots=True)
class HudDraft:
    """The whole so far."""

    seats: dict[int, SeatDraft] = field(default_factory=dict)
    rooms: dict[int, RoomDraft] = field(default_factory=dict)
    directory: list[Entry] = field(default_factory=list)
    now: datetime | None = None

    def hud(self) -> Hud | None:
        """The finished view; None when no agent was found, so that the text is no HUD."""
        if not self.seats:
            return None
        seats = tuple(draft.seat(self.rooms) for draft in self.seats.values())
        return Hud(seats=seats, directory=tuple(self.directory), now=self.now)


def deed_of(kind: str, text: str, at: datetime | None) -> Deed:
    """A recent action from the words that tell about it: its room, and whether it came to nothing."""
    room = re.search(r"\broom_id\W{0,3}(\d+)", text)
    refused = "-> rejected" in text
    return Deed(kind=kind, text=text, at=at, room_id=int(room[1]) if room else None, refused=refused)
