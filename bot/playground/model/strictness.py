"""Which schemas a strict structured output accepts, and why it refuses one."""

from collections.abc import Iterator
from typing import Any

FORBIDDEN = ("oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")
MAX_DEPTH = 10
MAX_PROPERTIES = 5_000


def complaint_about(schema: dict[str, Any]) -> str | None:
    """Say the first thing that is wrong with a strict schema, or None when it would be accepted."""
    if schema.get("type") != "object":
        return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'."
    properties = 0
    for where, part, depth in walk(schema, ()):
        wrong = fault_of(part)
        if wrong:
            return f"In context={where!r}, {wrong}"
        properties += len(part.get("properties", {}))
        if depth > MAX_DEPTH:
            return f"In context={where!r}, schema exceeds the limit of {MAX_DEPTH} levels of nesting."
    if properties > MAX_PROPERTIES:
        return f"schema has more than {MAX_PROPERTIES} properties."
    return None


def fault_of(part: dict[str, Any]) -> str | None:
    for word in FORBIDDEN:
        if word in part:
            return f"'{word}' is not permitted."
    if "$ref" in part and len(part) > 1:
        return f"$ref cannot have keywords {sorted(set(part) - {'$ref'})}."
    if "properties" not in part and part.get("type") != "object":
        return None
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    absent = [name for name in part.get("properties", {}) if name not in part.get("required", [])]
    if absent:
        return f"'required' is required to be an array with every key in properties. Missing '{absent[0]}'."
    return None


def walk(
    part: dict[str, Any], where: tuple[str, ...], depth: int = 1
) -> Iterator[tuple[tuple[str, ...], dict[str, Any], int]]:
    """Every schema inside a schema, with the path to it and how many objects and lists it is deep."""
    yield where, part, depth
    for name in ("properties", "$defs", "definitions"):
        for key, child in part.get(name, {}).items():
            inner = depth + 1 if name == "properties" else 1
            yield from walk(child, (*where, name, key), inner)
    for index, child in enumerate(part.get("anyOf", [])):
        yield from walk(child, (*where, "anyOf", str(index)), depth)
    if isinstance(part.get("items"), dict):
        yield from walk(part["items"], (*where, "items"), depth)
