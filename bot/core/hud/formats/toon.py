"""The `toon` format (Token-Oriented Object Notation), messages as tables padded with null so that they stay tables."""

import toon

from bot.core.hud.formats.document import Document
from bot.core.hud.formats.written import WrittenFormat
from bot.core.ports import Tokenizer
from bot.core.records import Json

_TABLES = ("messages", "directory")
_SEPARATORS = {"\\": "\\\\", ",": "\\,"}


def write(document: Document) -> str:
    """Write a document."""
    return f"{toon.encode(padded(document))}\n"


def read(text: str) -> Json:
    """Read a document back, without the padding."""
    return bare(toon.decode(text.removesuffix("\n")))


def toon_format(tokenizer: Tokenizer) -> WrittenFormat:
    """Give the format for a tokenizer."""
    return WrittenFormat(tokenizer, write, _row)


def _row(entry: Document) -> str:
    rows = toon.encode({"messages": [_flat(entry)] * 2}).split("\n")
    return f"    {rows[-1]}\n"


def padded(document: Json, name: str = "") -> Json:
    """Give a document whose tables have the same columns in every row."""
    if isinstance(document, dict):
        return {key: padded(value, key) for key, value in document.items()}
    if not isinstance(document, list):
        return document
    rows = [row for row in document if isinstance(row, dict)]
    if name not in _TABLES or len(rows) != len(document):
        return [padded(one) for one in document]
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(key for row in flat for key in row))
    return [{key: row.get(key) for key in columns} for row in flat]


def bare(value: Json, name: str = "") -> Json:
    """Give a document as it was before padding."""
    if isinstance(value, dict):
        return {key: bare(one, key) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    if name in _TABLES:
        return [_deep(row) if isinstance(row, dict) else row for row in value]
    return [bare(one) for one in value]


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
