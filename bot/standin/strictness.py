"""Which schemas a strict structured output accepts, and why it refuses one."""

from collections.abc import Iterator, Mapping
from typing import cast

from bot.standin.schema import Schema

FORBIDDEN = ("oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")
MAX_DEPTH = 10
MAX_PROPERTIES = 5_000


def complaint_about(given: Mapping[str, object]) -> str | None:
    """Say the first thing that is wrong with a strict schema, or None when it would be accepted."""
    schema = cast(Schema, given)
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


def fault_of(part: Schema) -> str | None:
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


def walk(part: Schema, where: tuple[str, ...], depth: int = 1) -> Iterator[tuple[tuple[str, ...], Schema, int]]:
    """Every schema inside a schema, with the path to it and how many objects and lists it is deep."""
    yield where, part, depth
    for key, child in part.get("properties", {}).items():
        yield from walk(child, (*where, "properties", key), depth + 1)
    for key, child in (part.get("$defs", {}) | part.get("definitions", {})).items():
        yield from walk(child, (*where, "$defs", key), 1)
    for index, child in enumerate(part.get("anyOf", [])):
        yield from walk(child, (*where, "anyOf", str(index)), depth)
    if isinstance(part.get("items"), dict):
        yield from walk(part["items"], (*where, "items"), depth)
