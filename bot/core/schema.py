"""The strict JSON schema of an answer: constants made from the action vocabulary, with no id in them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bot.core.actions import BY_NAME, Definition, listed
from bot.core.records import Json

SCHEMA_NAME = "answer"
MOST_LEAN_ACTIONS = 3  # weak minds find no end
MOST_OPTIONAL = 20  # Anthropic takes 24, and 16 unions
LENGTHS = frozenset({"minItems", "maxItems"})
_KEPT = ("type", "enum", "const", "anyOf", "items", "format")
# Strict mode knows no free-form object, so a value is plain, and an object or a list is written as JSON text.
ANY_VALUE: dict[str, Json] = {
    "type": ["string", "number", "boolean", "null"],
    "description": "objects and lists as JSON text",
}


@dataclass(frozen=True, slots=True)
class LeanForm:
    """The answer of an agent that is shown little: these actions only, and (`in_one_room`) a message without a room."""

    actions: tuple[str, ...]
    in_one_room: bool


@cache
def answer_schema(*, alone: bool = False, lean: LeanForm | None = None, emotions: bool = False) -> dict[str, Json]:
    """Give the schema that holds a model to the answer's shape; every property is required, optional ones may be null.

    `alone`: of a call of one agent, which knows neither list nor id, so that nobody can answer for somebody else.
    """
    if lean is not None:
        return _lean_schema(lean)
    one: dict[str, Json] = {
        "thoughts": {"type": ["string", "null"]},
        "responses": RESPONSES,
        "actions": _list_of(action_schemas(listed(emotions=emotions))),
    }
    if alone:
        return _object(one)
    return _object({"agents": {"type": "array", "items": _object({"agent_id": {"type": "integer"}, **one})}})


def _lean_schema(lean: LeanForm) -> dict[str, Json]:
    said: dict[str, Json] = {"message": {"type": "string"}} if lean.in_one_room else {"responses": RESPONSES}
    shapes: list[Json] = [action_schema(BY_NAME[name]) for name in lean.actions]  # as weak minds were measured with
    return _object({**said, "actions": {**_list_of(shapes), "maxItems": MOST_LEAN_ACTIONS}})


def _list_of(shapes: Sequence[Json]) -> dict[str, Json]:
    return {"type": "array", "items": {"anyOf": list(shapes)}}


def action_schemas(definitions: Iterable[Definition]) -> list[dict[str, Json]]:
    """Give the strict schemas of actions; those that take the same share one, which holds to no less."""
    alike: dict[str, tuple[list[Json], dict[str, Json]]] = {}
    for each in definitions:
        taken = _parameters(each)
        alike.setdefault(json.dumps(taken), ([], taken))[0].append(each.name)
    return [_object({"type": {"type": "string", "enum": names}, **taken}) for names, taken in alike.values()]


def action_schema(definition: Definition) -> dict[str, Json]:
    """Give the strict schema of one action as agents may write it."""
    (schema,) = action_schemas([definition])
    return schema


def _parameters(definition: Definition) -> dict[str, Json]:
    whole = definition.model.model_json_schema()
    shared = whole.get("$defs", {})
    properties: dict[str, Json] = {}
    for name, info in definition.agent_parameters.items():
        strict = _strict(whole["properties"][name], shared)
        properties[name] = strict if info.is_required() else _nullable(strict)
    return properties


def of_few_unions(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Give a schema for servers that take few unions and no lengths of lists: what may be null may be left out.

    Anthropic's are such. They take as few parameters that may be left out, so those beyond stay as they are.
    """
    return _rid(schema, [MOST_OPTIONAL])


def _rid(part: Mapping[str, Json], left: list[int]) -> dict[str, Json]:
    kept: dict[str, Json] = {}
    for key, value in part.items():
        if key in LENGTHS:
            continue
        if key == "properties" and isinstance(value, dict):
            kept |= _rid_of_null(value, part.get("required"), left)
        elif key == "items" and isinstance(value, dict):
            kept[key] = _rid(value, left)
        elif key == "anyOf" and isinstance(value, list):
            kept[key] = [_rid(one, left) if isinstance(one, dict) else one for one in value]
        else:
            kept.setdefault(key, value)
    return kept


def _rid_of_null(properties: Mapping[str, Json], required: Json, left: list[int]) -> dict[str, Json]:
    """Give an object's properties, and which of them are required."""
    given: dict[str, Json] = {}
    needed = [*required] if isinstance(required, list) else []
    for name, shape in properties.items():
        one = _rid(shape, left) if isinstance(shape, dict) else {}
        kinds = one.get("type")
        if isinstance(kinds, list) and len(kinds) == 2 and "null" in kinds and left[0]:
            left[0] -= 1
            one["type"] = next(kind for kind in kinds if kind != "null")
            if isinstance(choices := one.get("enum"), list):
                one["enum"] = [choice for choice in choices if choice is not None]
            needed.remove(name)
        given[name] = one
    return {"properties": given, "required": list(needed)}


def _object(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


# what pydantic tells of a model, which has no type narrower than JSON
def _strict(part: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Json]:
    """Keep a parameter's shape and leave its limits to validation, which can explain them."""
    if "$ref" in part:
        part = shared[part["$ref"].rsplit("/", 1)[-1]]
    kept = {key: part[key] for key in _KEPT if key in part}
    if not kept:
        return dict(ANY_VALUE)
    if "anyOf" in kept:
        choices = [_strict(each, shared) for each in kept["anyOf"] if each != {"type": "null"}]
        return choices[0] if len(choices) == 1 else {"anyOf": list(choices)}
    kept.pop("format", None)
    return kept


def _nullable(part: dict[str, Json]) -> dict[str, Json]:
    shape = {**part, "type": [part["type"], "null"]}
    choices = part.get("enum")
    return {**shape, "enum": [*choices, None]} if isinstance(choices, list) else shape


RESPONSES: dict[str, Json] = {
    "type": "array",
    "items": _object({"room_id": {"type": "integer"}, "message": {"type": "string"}}),
}
