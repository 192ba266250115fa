"""A knowledge store as a `text` HUD shows it, a leaf a line, read back into nested objects."""

import json
import re
from collections.abc import Iterable
from typing import Any

from bot.playground.model.marks import STRING

JsonObject = dict[str, Any]
SEGMENT = re.compile(rf"(?P<plain>\w[\w-]*)|(?P<quoted>{STRING})")
LEAF = re.compile(rf"^(?P<path>(?:\w[\w-]*|{STRING})(?:\.(?:\w[\w-]*|{STRING}))*): (?P<value>.+)$")
WEIGHT = re.compile(r" \(w [\d.e+-]+\)$")


def read_store(lines: Iterable[str]) -> JsonObject:
    """Read lines of `path: value (w weight)`, of the same path the first; other lines are passed over."""
    held: JsonObject = {}
    for line in lines:
        found = LEAF.match(line)
        if found:
            put(held, segments(found["path"]), value_of(found["value"]))
    return held


def segments(path: str) -> list[str]:
    return [found["plain"] or words_of(found["quoted"]) for found in SEGMENT.finditer(path)]


def words_of(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        return quoted.strip('"')


def put(held: JsonObject, path: list[str], value: object) -> None:
    for segment in path[:-1]:
        inner = held.setdefault(segment, {})
        if not isinstance(inner, dict):
            return
        held = inner
    held.setdefault(path[-1], value)


def value_of(text: str) -> object:
    """JSON where it is JSON, else the words as they stand."""
    text = WEIGHT.sub("", text)
    try:
        return json.loads(text)
    except ValueError:
        return text
