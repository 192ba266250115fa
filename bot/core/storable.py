"""Data as every store, every model and Discord can take it, whoever wrote it."""

import math
import unicodedata

from bot.core.records import Json

LARGEST_NUMBER = 10**30


def cleaned(value: Json) -> Json:
    """Give the data without what cannot be stored: lone surrogates, control characters, endless numbers."""
    match value:
        case str():
            return clean_text(value)
        case bool() | None:
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case int():
            return value if abs(value) < LARGEST_NUMBER else "a very large number"
        case list():
            return [cleaned(each) for each in value]
        case dict():
            return {clean_text(str(key)): cleaned(each) for key, each in value.items()}


def clean_text(text: str) -> str:
    """Give text that every store and Discord can take."""
    if text.isascii() and text.isprintable():
        return text
    text = text.encode("utf-8", "replace").decode()
    return "".join(mark for mark in text if mark in "\n\t" or unicodedata.category(mark) != "Cc")
