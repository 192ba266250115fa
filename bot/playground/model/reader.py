"""Reading a HUD back from its text, in whichever format it came; nothing else is known about the world."""

import re
from datetime import date, tzinfo

from bot.playground.model import marks
from bot.playground.model.draft import HudDraft, RoomDraft, SeatDraft
from bot.playground.model.nested import read_nested
from bot.playground.model.store import read_store
from bot.playground.model.view import Deed, Entry, Hud, Knock, Line

KNOCK = re.compile(
    r"(?:request|id|#)\W{0,3}(?P<id>\d+)\b.*?(?:requester(?:_id)?|from|by)\W{0,3}(?P<who>@[\w.-]+|\d+|\S+)",
    re.IGNORECASE,
)
ENTRY = re.compile(
    r"^\s*(?:- )?(?:\[?(?:ID:? )?(?P<id>\d+)\]?[:,.]? (?P<name>[^(,|]+?)|(?P<name2>[^(]+?) \(ID: (?P<id2>\d+)\))"
    r"(?:\s*[(,|:]|$)"
)
ROOM_REF = re.compile(r"\broom\s+(?P<room>\d+)\b[^\n]*?\b(?:from|since|first)\D{0,20}(?P<line>\d+)", re.IGNORECASE)


def read_hud(text: str) -> Hud | None:
    """Everything a HUD tells; None when the text is none."""
    return read_text(text) or read_nested(text)


def read_text(text: str) -> Hud | None:
    reader = TextReader()
    for line in text.splitlines():
        reader.take(line)
    reader.close()
    return reader.draft.hud()


class TextReader:
    """Takes the lines of a `text` HUD in order."""

    def __init__(self) -> None:
        self.draft = HudDraft()
        self.section = ""
        self.seat: SeatDraft | None = None
        self.room: RoomDraft | None = None
        self.day: date | None = None
        self.zone: tzinfo | None = None
        self.store: list[str] = []

    def take(self, line: str) -> None:
        if self._heading(line):
            return
        spoken = marks.MESSAGE.match(line)
        if self.room is not None and spoken:
            self._message(self.room, spoken)
        elif line.strip():
            self._inside(line)

    def close(self) -> None:
        """End the section that is being read."""
        if self.seat is not None and self.store:
            self.seat.knowledge = read_store("\n".join(self.store))
        self.store = []

    def _heading(self, line: str) -> bool:
        if found := marks.AGENT.match(line):
            self._open("IDENTITY")
            self.seat = self._seat(int(found["id"]), found["name"])
        elif found := marks.SECTION.match(line):
            self._open(found["title"].upper())
        elif found := marks.ROOM.match(line):
            self._open("ROOM")
            self.room = self._room(int(found["id"]), found["name"])
        elif found := marks.DAY.match(line):
            self.day = date.fromisoformat(found["day"])
        elif found := marks.MAJOR.match(line):
            self._open((found["title"] or self.section).upper())
        else:
            return False
        return True

    def _open(self, title: str) -> None:
        self.close()
        self.section, self.room = title, None

    def _seat(self, seat_id: int, name: str) -> SeatDraft:
        return self.draft.seats.setdefault(seat_id, SeatDraft(seat_id, name))

    def _room(self, room_id: int, name: str) -> RoomDraft:
        self.day = None
        return self.draft.rooms.setdefault(room_id, RoomDraft(room_id, name))

    def _message(self, room: RoomDraft, found: re.Match[str]) -> None:
        words, reply_to = marks.tail_of(found["text"])
        at = marks.clock_on(self.day, found["clock"], self.zone)
        text = marks.unescaped(words)
        room.lines.append(Line(id=int(found["id"]), sender=found["sender"], text=text, at=at, reply_to=reply_to))

    def _inside(self, line: str) -> None:
        found = marks.FIELD.match(line)
        if found and found["key"].lower() == "now":
            self._now(found["value"])
        elif self.room is not None:
            self._room_line(self.room, line, found)
        elif "DIRECTORY" in self.section:
            self._entry(line)
        elif self.seat is not None:
            self._segment_line(self.seat, line, found)

    def _now(self, value: str) -> None:
        self.zone = marks.zone_named(value) or self.zone
        self.draft.now = marks.moment(value, self.zone)

    def _room_line(self, room: RoomDraft, line: str, found: re.Match[str] | None) -> None:
        knock = KNOCK.search(line)
        if knock and ("key" in line.lower() or "pending" in line.lower()):
            room.knocks.append(Knock(id=int(knock["id"]), requester=knock["who"]))
        elif found:
            room.fields[found["key"].lower()] = marks.unquoted(found["value"])

    def _entry(self, line: str) -> None:
        found = ENTRY.match(line)
        if found:
            number, name = found["id"] or found["id2"], found["name"] or found["name2"]
            self.draft.directory.append(Entry(id=int(number), name=name.strip(' -"')))

    def _segment_line(self, seat: SeatDraft, line: str, found: re.Match[str] | None) -> None:
        deed, ref = marks.DEED.match(line), ROOM_REF.search(line)
        if "KNOWLEDGE" in self.section:
            self.store.append(line)
        elif "RECENT" in self.section and deed:
            seat.deeds.append(self._deed(deed))
        elif "LOOKUP" in self.section:
            seat.lookups.append(line.strip())
        elif ref:
            seat.first_lines[int(ref["room"])] = int(ref["line"])
        elif "create_agent(" in line:
            seat.may_create = True
        elif found and self.section == "IDENTITY":
            seat.fields[found["key"].lower()] = marks.unquoted(found["value"])

    def _deed(self, found: re.Match[str]) -> Deed:
        text = found["text"]
        room = re.search(r"room(?:_id)?\W{0,3}(\d+)", text)
        return Deed(
            kind=found["kind"],
            text=text,
            at=marks.moment(found["at"], self.zone),
            room_id=int(room[1]) if room else None,
        )
