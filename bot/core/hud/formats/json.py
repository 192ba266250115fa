"""The `json` format: indented, full names; the reference that the others read back to."""

import json

from bot.core.hud.formats.document import Document
from bot.core.hud.formats.written import WrittenFormat
from bot.core.ports import Tokenizer
from bot.core.records import Json

_PAD = "\n        "  # a message's place in the document: rooms, room, messages


def write(document: Document) -> str:
    """Write a document."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def read(text: str) -> Json:
    """Read a document back."""
    value: Json = json.loads(text)
    return value


def json_format(tokenizer: Tokenizer) -> WrittenFormat:
    """Give the format for a tokenizer."""
    return WrittenFormat(tokenizer, write, _message)


def _message(entry: Document) -> str:
    return f"        {json.dumps(entry, ensure_ascii=False, indent=2)},\n".replace("\n", _PAD)
