"""Reading a HUD back, in whichever format it came; nothing else is known about the world."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.core.hud.formats import read_document
from bot.core.hud.formats.document import Document
from bot.core.hud.values import entries, fields
from bot.core.records import Json
from bot.standin.view import Entry, Hud, Knock, Line, Lookup, PastAction, Room, Seat

LONGEST_LINE = 4_000  # characters: what is looked for in a line may be looked for from each of its words on
AGENT_ID = re.compile(r"[1-9]\d*")  # 0 stands for The Architect


def read_hud(text: str) -> Hud | None:
    """Everything a HUD tells; None when the text is none."""
    document = read_document(text)
    return hud_of(document) if document else None


def hud_of(document: Document) -> Hud | None:
    meta = fields(document.get("meta"))
    rooms = {
        id_: (room, tuple(lines_of(room)))
        for room in entries(document.get("rooms"))
        if (id_ := whole(room.get("id"))) is not None
    }
    segments = entries(document.get("agents")) or [document]
    seats = tuple(seat for segment in segments if (seat := seat_of(segment, rooms)))
    if not seats:
        return None
    now = now_in(words(meta, "now"), words(meta, "time_zone"))
    return Hud(seats=seats, directory=tuple(directory_of(meta)), now=now)


def whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def words(value: Document, name: str) -> str:
    held = value.get(name)
    return "" if held is None else str(held)


def directory_of(meta: Document) -> Iterator[Entry]:
    for entry in entries(meta.get("directory")):
        if id_ := whole(entry.get("id")):  # 0 stands for The Architect
            yield Entry(id=id_, name=words(entry, "name"), topic=words(entry, "topic"), access=words(entry, "access"))


def lines_of(room: Document) -> Iterator[Line]:
    for message in entries(room.get("messages")):
        if (id_ := whole(message.get("id"))) is not None:
            yield Line(
                id=id_,
                sender=words(message, "sender"),
                text=words(message, "content")[:LONGEST_LINE],
                at=time_at(words(message, "timestamp")),
                reply_to=whole(message.get("reply_to")),
            )


Rooms = dict[int, tuple[Document, tuple[Line, ...]]]


def seat_of(segment: Document, rooms: Rooms) -> Seat | None:
    own = fields(segment.get("self"))
    identity = fields(own.get("identity"))
    id_ = whole(identity.get("id"))
    if id_ is None:
        return None
    seats = {place["id"]: place for place in entries(segment.get("rooms"))}
    return Seat(
        id=id_,
        name=words(identity, "name"),
        kind=words(identity, "type") or "persona",
        seed=words(identity, "seed") or words(identity, "role"),
        knowledge=fields(fields(own.get("public")).get("knowledge")) | fields(own.get("knowledge")),
        deeds=tuple(map(past_action_of, entries(own.get("recent_actions")))),
        lookups=tuple(map(lookup_of, entries(own.get("lookups")))),
        may_create="create_agent(" in json.dumps(own.get("available_actions")),
        rooms=tuple(
            seen(room, lines, seats[number], id_, words(identity, "name"))
            for number, (room, lines) in rooms.items()
            if number in seats
        ),
    )


def lookup_of(entry: Document) -> Lookup:
    return Lookup(question=words(entry, "question"), answer=entry.get("answer"))


def seen(room: Document, lines: tuple[Line, ...], seat: Document, agent_id: int, name: str) -> Room:
    """A room as one agent sees it: from its own first message on."""
    id_, first = whole(room["id"]) or 0, whole(seat.get("first_message"))
    start = next((place for place, line in enumerate(lines) if line.id == first), 0)
    members = room.get("members")
    return Room(
        id=id_,
        name=words(room, "name"),
        own=id_ == agent_id or words(room, "name").startswith(f"{name}, private thread "),
        topic=words(room, "topic"),
        members=tuple(int(str(one)) for one in members if AGENT_ID.fullmatch(str(one)))
        if isinstance(members, list)
        else (),
        lines=lines[start:] if first else (),
        older=(whole(room.get("older")) or 0) + start,
        knocks=tuple(knocks_of(seat)) if id_ == agent_id else (),
    )


def knocks_of(seat: Document) -> Iterator[Knock]:
    for request in entries(seat.get("pending_access_requests")):
        if (id_ := whole(request.get("id"))) is not None:
            yield Knock(id=id_, requester=words(request, "requester_id"))


def past_action_of(entry: Document) -> PastAction:
    """A recent action with the words that tell about it: its room, and whether it came to nothing."""
    told = ", ".join(f"{name} {value}" for name, value in fields(entry.get("parameters")).items())
    told = words(entry, "told") or told
    room = re.search(r"\broom_id\W{0,3}(\d+)", told)
    return PastAction(
        kind=words(entry, "type"),
        text=told,
        at=time_at(words(entry, "time")),
        room_id=int(room[1]) if room else None,
        refused=bool(entry.get("rejected")) or "-> rejected" in told,
    )


def time_at(text: str) -> datetime | None:
    """The UTC time in a text that begins with one such as `2026-11-20 10:31:22`."""
    found = re.match(r"\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)", text)
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def now_in(text: str, zone: str = "") -> datetime | None:
    """The time of a call in the community's own zone, when that is named there: `… UTC (11:31 Europe/Berlin)`."""
    now, named = time_at(text), re.search(r"\(\d{2}:\d{2} ([A-Za-z][\w/+-]*)\)", text)
    zone = named[1] if named else zone
    try:
        return now.astimezone(ZoneInfo(zone)) if now and zone else now
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return now
