"""A knowledge store as a HUD shows it, read back into nested objects."""

import json
import re
from typing import Any

JsonObject = dict[str, Any]
ENTRY = re.compile(r'^(?P<indent>\s*)(?P<path>(?:"[^"]*"|[^\s":=]|(?<=\w) (?=\w))+?)\s*[:=]\s*(?P<value>.*)$')
SEGMENT = re.compile(r'"(?P<quoted>[^"]*)"|(?P<plain>[^."\[\]]+)|\[(?P<index>\d+)\]')
WEIGHT = re.compile(r"\s*[(\[](?:w|weight)[ :=]+[\d.]+[)\]]\s*$")


def read_store(text: str) -> JsonObject:
    """Read JSON, or lines of `path: value` with dot paths, indented under their parents."""
    try:
        whole = json.loads(text)
    except ValueError:
        return read_lines(text.splitlines())
    return whole if isinstance(whole, dict) else {}


def read_lines(lines: list[str]) -> JsonObject:
    held: JsonObject = {}
    parents: list[tuple[int, list[str]]] = []
    for line in lines:
        found = ENTRY.match(line)
        if not found:
            continue
        indent = len(found["indent"])
        parents = [parent for parent in parents if parent[0] < indent]
        path = [*(parents[-1][1] if parents else []), *segments(found["path"])]
        if found["value"]:
            put(held, path, value_of(found["value"]))
        else:
            parents.append((indent, path))
    return held


def segments(path: str) -> list[str]:
    return [found[found.lastgroup or 0].strip() for found in SEGMENT.finditer(path.strip("- "))]


def put(held: JsonObject, path: list[str], value: object) -> None:
    for segment in path[:-1]:
        inner = held.setdefault(segment, {})
        if not isinstance(inner, dict):
            return
        held = inner
    if path:
        held[path[-1]] = value


def value_of(text: str) -> object:
    """JSON where it is JSON, else the words as they stand; a weight behind it is left out."""
    text = WEIGHT.sub("", text).strip()
    try:
        return json.loads(text)
    except ValueError:
        return text
