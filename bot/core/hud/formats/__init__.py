"""The four ways to write a HUD down."""

from typing import assert_never

from bot.core.hud.formats.compact import compact_format
from bot.core.hud.formats.json import json_format
from bot.core.hud.formats.text import TextFormat
from bot.core.hud.formats.toon import toon_format
from bot.core.hud.sheet import Format
from bot.core.kinds import InputFormat
from bot.core.ports import Tokenizer


def format_of(input_format: InputFormat, tokenizer: Tokenizer) -> Format:
    """Give the format that writes for a tokenizer."""
    match input_format:
        case InputFormat.TEXT:
            return TextFormat(tokenizer)
        case InputFormat.JSON:
            return json_format(tokenizer)
        case InputFormat.COMPACT_JSON:
            return compact_format(tokenizer)
        case InputFormat.TOON:
            return toon_format(tokenizer)
        case _:
            assert_never(input_format)
