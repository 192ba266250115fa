"""The `compact_json` format: minified, with short keys whose table stands in the OS section."""

import json

from bot.core.hud.agent_hud import HudFormat, OsSection
from bot.core.hud.formats.document import Document
from bot.core.hud.formats.keys import KEYS, SHORT, lengthened, shortened
from bot.core.hud.formats.written import WrittenFormat, os_document, read_after
from bot.core.records import Json


def write(document: Document) -> str:
    """Write a document."""
    return json.dumps(shortened(document), ensure_ascii=False, separators=(",", ":"))


def read(text: str) -> Json:
    """Read a document back, its keys as they were."""
    return lengthened(json.loads(text))


def _constant(told: OsSection) -> str:
    document = os_document(told) | {KEYS: {short: name for name, short in SHORT.items()}}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


FORMAT = HudFormat(
    write=lambda tokenizer: WrittenFormat(tokenizer, write, lambda entry: f"{write(entry)},"),
    constant=_constant,
    read=lambda text: read_after(text, read, lambda constant, _: KEYS in constant),
)
