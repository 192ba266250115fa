"""The `compact_json` format: minified, with short keys whose table stands in the OS section."""

import json

from bot.core.hud.formats.document import Document
from bot.core.hud.formats.keys import lengthened, shortened
from bot.core.hud.formats.written import WrittenFormat
from bot.core.ports import Tokenizer
from bot.core.records import Json


def write(document: Document) -> str:
    """Write a document."""
    return json.dumps(shortened(document), ensure_ascii=False, separators=(",", ":"))


def read(text: str) -> Json:
    """Read a document back, its keys as they were."""
    return lengthened(json.loads(text))


def compact_format(tokenizer: Tokenizer) -> WrittenFormat:
    """Give the format for a tokenizer."""
    return WrittenFormat(tokenizer, write, lambda entry: f"{write(entry)},")
