"""The `compact_json` format: minified, with short keys whose table stands in the OS section.

Who is shown little is shown whole names: the table is longer than what it saves, and a weak mind would have to heed it.
"""

import json

from bot.core.hud.agent_hud import HudFormat, OsSection
from bot.core.hud.formats.document import Document
from bot.core.hud.formats.keys import KEYS, SHORT, lengthened, shortened
from bot.core.hud.formats.written import WrittenFormat, os_document, read_after
from bot.core.records import Json


def write(document: Document) -> str:
    """Write a document."""
    return json.dumps(shortened(document), ensure_ascii=False, separators=(",", ":"))


def write_lean(document: Document) -> str:
    """Write a document with its keys as they are."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def read(text: str) -> Json:
    """Read a document back, its keys as they were."""
    return lengthened(json.loads(text))


def _constant(told: OsSection) -> str:
    table: Document = {KEYS: {short: name for name, short in SHORT.items()}}
    document = os_document(told) | (table if told.instructions else {})
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


FORMAT = HudFormat(
    write=lambda tokenizer: WrittenFormat(tokenizer, write, lambda entry: f"{write(entry)},"),
    write_lean=lambda tokenizer: WrittenFormat(tokenizer, write_lean, lambda entry: f"{write_lean(entry)},"),
    constant=_constant,
    read=lambda text: read_after(text, read, lambda constant, _: KEYS in constant),
)
