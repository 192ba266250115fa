"""The `json` format: indented, full names; the reference that the others read back to."""

import json

from bot.core.hud.agent_hud import HudFormat
from bot.core.hud.formats.document import Document
from bot.core.hud.formats.keys import KEYS
from bot.core.hud.formats.written import WrittenFormat, os_json, read_after
from bot.core.records import Json

_PAD = "\n        "  # a message's place in the document: rooms, room, messages


def write(document: Document) -> str:
    """Write a document."""
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def read(text: str) -> Json:
    """Read a document back."""
    value: Json = json.loads(text)
    return value


def _message(entry: Document) -> str:
    return f"        {json.dumps(entry, ensure_ascii=False, indent=2)},\n".replace("\n", _PAD)


FORMAT = HudFormat(
    write=lambda tokenizer: WrittenFormat(tokenizer, write, _message),
    constant=os_json,
    read=lambda text: read_after(text, read, lambda constant, rest: KEYS not in constant and rest.startswith("{")),
)
