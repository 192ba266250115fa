"""Reading a HUD back from its text, in whichever format it came; nothing else is known about the world."""

import re
from datetime import date

from bot.playground.model import marks
from bot.playground.model.draft import HudDraft, RoomDraft, SeatDraft, deed_of
from bot.playground.model.nested import read_nested
from bot.playground.model.store import read_store, value_of
from bot.playground.model.view import Entry, Hud, Knock, Line, Lookup


def read_hud(text: str) -> Hud | None:
    """Everything a HUD tells; None when the text is none."""
    return read_text(text) or read_nested(text)


def read_text(text: str) -> Hud | None:
    reader = TextReader()
    for line in text.split("\n"):
        reader.take(line)
    for seat_id, lines in reader.stores.items():
        reader.draft.seats[seat_id].knowledge = read_store(lines)
    return reader.draft.hud()


class TextReader:
    """Takes the lines of a `text` HUD in order."""

    def __init__(self) -> None:
        self.draft = HudDraft()
        self.stores: dict[int, list[str]] = {}
        self.part = self.section = self.above = ""
        self.seat: SeatDraft | None = None
        self.room: RoomDraft | None = None
        self.day: date | None = None

    def take(self, line: str) -> None:
        if not self._heading(line) and line:
            self._inside(line)
        self.above = line

    def _heading(self, line: str) -> bool:
        agent, section, room = marks.AGENT.match(line), marks.SECTION.match(line), marks.ROOM.match(line)
        if marks.MAJOR.match(self.above):
            self.part, self.section = line, ""
        elif agent and marks.MINOR.match(self.above):
            self.part, self.section = "AGENT", ""
            self.seat = self.draft.seats.setdefault(int(agent["id"]), SeatDraft(int(agent["id"]), agent["name"]))
        elif section:
            self.section = section["title"]
        elif room and self.part == "ROOMS":
            self.room = self.draft.rooms.setdefault(int(room["id"]), RoomDraft(int(room["id"]), room["name"]))
            self.section, self.day = "", None
        else:
            return False
        return True

    def _inside(self, line: str) -> None:
        if self.section and self.seat is not None:
            self._segment_line(self.seat, line)
        elif self.part == "ROOMS" and self.room is not None:
            self._room_line(self.room, line)
        elif self.part == "DIRECTORY":
            self._entry(line)
        elif self.part == "NOW" and line.startswith("now: "):
            self.draft.now = marks.now_in(line.removeprefix("now: "))

    def _entry(self, line: str) -> None:
        found = marks.ENTRY.match(line)
        if found:
            topic, access = found["topic"] or "", found["access"] or ""
            self.draft.directory.append(Entry(id=int(found["id"]), name=found["name"], topic=topic, access=access))

    def _room_line(self, room: RoomDraft, line: str) -> None:
        day, spoken, found = marks.DAY.match(line), marks.MESSAGE.match(line), marks.FIELD.match(line)
        if day:
            self.day = marks.day_in(day["day"])
        elif spoken:
            room.lines.append(self._message(spoken))
        elif found and found["key"] == "topic":
            room.topic = found["value"]
        elif found and found["key"] == "older" and found["value"].isdecimal():
            room.older = int(found["value"])
        elif found and found["key"] == "members":
            room.members = tuple(int(number) for number in re.findall(r"\d+", found["value"]))

    def _message(self, found: re.Match[str]) -> Line:
        words, reply_to = marks.tail_of(found["text"])
        at = marks.clock_on(self.day, found["clock"])
        text = marks.unescaped(words)
        return Line(id=int(found["id"]), sender=found["sender"], text=text, at=at, reply_to=reply_to)

    def _segment_line(self, seat: SeatDraft, line: str) -> None:
        match self.section.split(" (")[0]:
            case "IDENTITY":
                identify(seat, line)
            case "KNOWLEDGE STORE" | "FROM YOUR PUBLIC ROOMS":
                self.stores.setdefault(seat.id, []).append(line)
            case "MORE ACTIONS":
                seat.may_create = seat.may_create or line.startswith("- create_agent(")
            case "RECENT ACTIONS":
                if found := marks.DEED.match(line):
                    seat.deeds.append(deed_of(found["kind"], found["text"] or "", marks.moment(found["at"])))
            case "LOOKUPS":
                if found := marks.LOOKUP.match(line):
                    seat.lookups.append(Lookup(question=found["question"], answer=value_of(found["answer"])))
            case "ROOMS":
                take_seat(seat, line)


def identify(seat: SeatDraft, line: str) -> None:
    found = marks.FIELD.match(line)
    if found and found["key"] == "type":
        seat.kind = found["value"]
    elif found and found["key"] in ("seed", "role"):
        seat.seed = marks.unquoted(found["value"])
    elif found and found["key"] == "name":
        seat.name = marks.unquoted(found["value"])


def take_seat(seat: SeatDraft, line: str) -> None:
    """A line of the segment's rooms: what the agent sees there, or who waits at its door."""
    found = marks.SEAT.match(line)
    if line.startswith("pending_access_requests: "):
        waiting = marks.KNOCK.finditer(line)
        seat.knocks += [Knock(id=int(knock["id"]), requester=knock["who"]) for knock in waiting]
    elif found:
        seat.first_lines[int(found["room"])] = int(found["first"] or 0)
