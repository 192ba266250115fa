"""Reading the formats that nest: `json`, `compact_json` and `toon`. The three hold the same document."""

import json
from collections.abc import Iterator
from typing import Any

from bot.playground.model import marks
from bot.playground.model.draft import HudDraft, RoomDraft, SeatDraft, deed_of
from bot.playground.model.view import Deed, Entry, Hud, Knock, Line, Lookup

JsonObject = dict[str, Any]


def read_nested(text: str) -> Hud | None:
    """Everything a nested HUD tells; None when the text holds none."""
    document, keys = document_in(text)
    if document is None:
        return None
    plain = lengthened(document, keys) if keys else document
    return read_document(plain) if isinstance(plain, dict) else None


def document_in(text: str) -> tuple[Any, dict[str, str]]:
    """The agents' document after the constant one, and the table of short keys if there is one."""
    keys: dict[str, str] = {}
    rest = text
    while (rest := rest.lstrip()).startswith("{"):
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            return None, keys
        if not {"system", "keys"} & set(value):
            return value, keys
        table, rest = value.get("keys"), rest[end:]
        keys = table if isinstance(table, dict) else {}
    return toon_in(rest), keys


def toon_in(text: str) -> Any:  # noqa: ANN401
    """A document in TOON; the library is loaded only when a text looks like one."""
    if not text.startswith(("self:", "meta:")):
        return None
    import toon

    try:
        return toon.decode(text.rstrip("\n"))
    except toon.ToonDecodeError:
        return None


def lengthened(value: Any, keys: dict[str, str]) -> Any:  # noqa: ANN401
    """The document with its keys written out; a key after `~` is somebody's own."""
    if isinstance(value, list):
        return [lengthened(item, keys) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key[1:] if key.startswith("~") else keys.get(key, key): lengthened(held, keys) for key, held in value.items()
    }


def read_document(document: JsonObject) -> Hud | None:
    draft = HudDraft()
    meta = part(document, "meta")
    draft.now = marks.now_in(str(meta.get("now") or ""), str(meta.get("time_zone") or ""))
    draft.directory = [entry_of(entry) for entry in parts(meta, "directory") if is_id(entry.get("id"))]
    for room in parts(document, "rooms"):
        if is_id(room.get("id")):
            draft.rooms[room["id"]] = room_of(room)
    for segment in parts(document, "agents") or [document]:
        seat = seat_of(segment)
        if seat is not None:
            draft.seats[seat.id] = seat
    return draft.hud()


def part(value: JsonObject, name: str) -> JsonObject:
    held = value.get(name)
    return held if isinstance(held, dict) else {}


def parts(value: JsonObject, name: str) -> list[JsonObject]:
    held = value.get(name)
    return [item for item in held if isinstance(item, dict)] if isinstance(held, list) else []


def is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def entry_of(entry: JsonObject) -> Entry:
    topic, access = str(entry.get("topic") or ""), str(entry.get("access") or "")
    return Entry(id=entry["id"], name=str(entry.get("name")), topic=topic, access=access)


def room_of(room: JsonObject) -> RoomDraft:
    members = room.get("members")
    return RoomDraft(
        id=room["id"],
        name=str(room.get("name") or ""),
        topic=str(room.get("topic") or ""),
        members=tuple(int(one) for one in members if str(one).isdecimal()) if isinstance(members, list) else (),
        older=room["older"] if is_id(room.get("older")) else 0,
        lines=[line_of(message) for message in parts(room, "messages") if is_id(message.get("id"))],
    )


def line_of(message: JsonObject) -> Line:
    reply_to = message.get("reply_to")
    return Line(
        id=message["id"],
        sender=str(message.get("sender")),
        text=str(message.get("content") or ""),
        at=marks.moment(str(message.get("timestamp"))),
        reply_to=reply_to if is_id(reply_to) else None,
    )


def seat_of(segment: JsonObject) -> SeatDraft | None:
    own = part(segment, "self")
    identity = part(own, "identity")
    if not is_id(identity.get("id")):
        return None
    rooms = [room for room in parts(segment, "rooms") if is_id(room.get("id"))]
    return SeatDraft(
        id=identity["id"],
        name=str(identity.get("name")),
        kind=str(identity.get("type") or "persona"),
        seed=str(identity.get("seed") or identity.get("role") or ""),
        knowledge=part(part(own, "public"), "knowledge") | part(own, "knowledge"),
        deeds=[deed_in(entry) for entry in parts(own, "recent_actions")],
        lookups=list(lookups_in(own)),
        knocks=[knock for room in rooms for knock in knocks_in(room)],
        first_lines={room["id"]: room.get("first_message") or 0 for room in rooms},
        may_create="create_agent(" in json.dumps(own.get("available_actions") or ""),
    )


def deed_in(entry: JsonObject) -> Deed:
    words = ", ".join(f"{name} {value}" for name, value in part(entry, "parameters").items())
    end = f" -> rejected: {entry['rejected']}" if entry.get("rejected") else ""
    return deed_of(str(entry.get("type")), words + end, marks.moment(str(entry.get("time"))))


def lookups_in(own: JsonObject) -> Iterator[Lookup]:
    for lookup in parts(own, "lookups"):
        yield Lookup(question=str(lookup.get("question") or ""), answer=lookup.get("answer"))


def knocks_in(room: JsonObject) -> Iterator[Knock]:
    for request in parts(room, "pending_access_requests"):
        if is_id(request.get("id")):
            yield Knock(id=request["id"], requester=str(request.get("requester_id")))
