"""The `toon` format (Token-Oriented Object Notation), messages as tables padded with null so that they stay tables."""

import toon

from bot.core.hud.agent_hud import HudFormat
from bot.core.hud.formats.document import Document
from bot.core.hud.formats.keys import KEYS
from bot.core.hud.formats.written import WrittenFormat, os_json, read_after
from bot.core.hud.values import entries, fields
from bot.core.records import Json

_SEPARATORS = {"\\": "\\\\", ",": "\\,"}


def write(document: Document) -> str:
    """Write a document."""
    return f"{toon.encode(padded(document) if 'rooms' in document else document)}\n"


def read(text: str) -> Json:
    """Read a document back, without the padding."""
    return bare(toon.decode(text.removesuffix("\n")))


def _row(entry: Document) -> str:
    rows = toon.encode({"messages": [_flat(entry)] * 2}).split("\n")
    return f"    {rows[-1]}\n"


def padded(document: Document) -> Document:
    """Give a document whose messages have the same columns in every row of a room."""
    return {**document, "rooms": [{**room, "messages": _columns(room)} for room in entries(document["rooms"])]}


def _columns(room: Document) -> list[Json]:
    rows = [_flat(row) for row in entries(room["messages"])]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return [{key: row.get(key) for key in columns} for row in rows]


def bare(document: Json) -> Json:
    """Give a document as it was before padding."""
    read = fields(document)
    rooms: list[Json] = [
        {**room, "messages": [_deep(row) for row in entries(room["messages"])]} for room in entries(read.get("rooms"))
    ]
    return {**read, "rooms": rooms}


def _flat(row: Document) -> Document:
    reactions = row.get("reactions")
    if not isinstance(reactions, dict):
        return row
    return row | {"reactions": ",".join(f"{_escaped(name)} {number}" for name, number in reactions.items())}


def _deep(row: Document) -> Document:
    kept: Document = {key: value for key, value in row.items() if value is not None}
    if isinstance(text := kept.get("reactions"), str):
        kept["reactions"] = dict(_reaction(part) for part in _split(text))
    return kept


def _escaped(name: str) -> str:
    return "".join(_SEPARATORS.get(character, character) for character in name)


def _reaction(part: str) -> tuple[str, Json]:
    name, _, number = part.rpartition(" ")
    return name, int(number)


def _split(text: str) -> list[str]:
    parts, escaped = [""], False
    for character in text:
        if escaped or character not in _SEPARATORS:
            parts[-1] += character
            escaped = False
        elif character == ",":
            parts.append("")
        else:
            escaped = True
    return parts


FORMAT = HudFormat(
    write=lambda tokenizer: WrittenFormat(tokenizer, write, _row),
    constant=os_json,
    read=lambda text: read_after(text, read, lambda constant, rest: KEYS not in constant and rest[:1] != "{"),
)
