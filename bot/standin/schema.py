"""Making an answer fit the JSON schema that was sent with the question."""

import re
from collections.abc import Mapping
from typing import TypedDict, cast

from bot.core.hud.formats.document import Document
from bot.core.hud.values import fields
from bot.core.records import Json

Schema = TypedDict(
    "Schema",
    {
        "$ref": str,
        "$defs": dict[str, "Schema"],
        "definitions": dict[str, "Schema"],
        "type": str | list[str],
        "const": Json,
        "enum": list[Json],
        "anyOf": list["Schema"],
        "properties": dict[str, "Schema"],
        "required": list[str],
        "additionalProperties": bool,
        "items": "Schema",
        "minItems": int,
        "maxItems": int,
        "minimum": float,
        "maximum": float,
        "minLength": int,
        "maxLength": int,
        "pattern": str,
    },
    total=False,
)
MAX_DEPTH = 40
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class Misfit(Exception):
    """The value cannot be made to fit its part of the schema."""


class Fitter:
    """Knows one schema, with its definitions."""

    def __init__(self, schema: Mapping[str, object]) -> None:
        self.schema = cast(Schema, schema)

    def fitted(self, value: Json) -> Json:
        """The value as the schema wants it: gaps become null, what can't be said in it is left out."""
        try:
            return self._fit(value, self.schema)
        except Misfit:
            return self.blank(self.schema)

    def filled(self, value: Json, part: Schema | None = None) -> Json:
        """The value with absent nullable properties added as null and nothing else changed."""
        part = self.resolve(self.schema if part is None else part)
        if isinstance(value, list):
            return [self.filled(item, part.get("items", {})) for item in value]
        if not isinstance(value, dict):
            return value
        properties = self._object_for(value, part).get("properties", {})
        absent = {name: None for name, sub in properties.items() if name not in value and self.nullable(sub)}
        return {name: self.filled(held, properties.get(name, {})) for name, held in value.items()} | absent

    def blank(self, part: Schema, depth: int = 0) -> Json:
        """The plainest value that this part of the schema allows."""
        part = self.resolve(part)
        if depth > MAX_DEPTH or self.nullable(part):
            return None
        if "const" in part or part.get("enum"):
            return part["const"] if "const" in part else part["enum"][0]
        if "anyOf" in part:
            return self.blank(part["anyOf"][0], depth + 1)
        if kind_of(part) == "object":
            names = part.get("required", [])
            return {name: self.blank(part["properties"].get(name, {}), depth + 1) for name in names}
        if kind_of(part) == "array":
            return [self.blank(part.get("items", {}), depth + 1)] * part.get("minItems", 0)
        plain: Document = {"string": "", "boolean": False}
        return plain.get(kind_of(part), part.get("minimum", 0))

    def resolve(self, part: Schema) -> Schema:
        for _ in range(MAX_DEPTH):
            if "$ref" not in part:
                return part
            found = cast(dict[str, Json], self.schema)
            for name in part["$ref"].removeprefix("#").strip("/").split("/"):
                found = fields(found.get(name)) if name else found
            part = cast(Schema, found)
        return part

    def nullable(self, part: Schema) -> bool:
        part = self.resolve(part)
        kinds = part.get("type")
        if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
            return True
        return any(self.nullable(option) for option in part.get("anyOf", []))

    def _fit(self, value: Json, part: Schema) -> Json:
        part = self.resolve(part)
        if "anyOf" in part:
            return self._fit_any(value, part["anyOf"])
        if isinstance(part.get("type"), list):
            return self._fit_any(value, by_kind(part))
        if "const" in part or "enum" in part:
            return one_of(value, [part["const"]] if "const" in part else part["enum"])
        if kind_of(part) == "object":
            return self._fit_object(value, part)
        if kind_of(part) == "array":
            return self._fit_list(value, part)
        return fit_scalar(value, part)

    def _fit_any(self, value: Json, options: list[Schema]) -> Json:
        known = [self.resolve(option) for option in options]
        exact = [option for option in known if holds(value, option)]
        looser = [option for option in known if not holds(value, option)]
        for option in exact + looser:
            try:
                return self._fit(value, option)
            except Misfit:
                continue
        raise Misfit

    def _fit_object(self, value: Json, part: Schema) -> Document:
        if not isinstance(value, dict):
            raise Misfit
        properties = part.get("properties", {})
        fitted: Document = {}
        for name, sub in properties.items():
            if value.get(name) is not None:
                fitted[name] = self._fit(value[name], sub)
            elif self.nullable(sub):
                fitted[name] = None
            elif name in part.get("required", []):
                fitted[name] = self._gap(sub)
        extra = {} if part.get("additionalProperties") is False or properties else value
        return fitted | {name: held for name, held in extra.items() if name not in fitted}

    def _gap(self, part: Schema) -> Json:
        """An absent list or object may be empty; an absent word or number would be made up."""
        if kind_of(self.resolve(part)) in ("array", "object"):
            return self.blank(part)
        raise Misfit

    def _fit_list(self, value: Json, part: Schema) -> list[Json]:
        fitted = []
        for item in value if isinstance(value, list) else [value]:
            try:
                fitted.append(self._fit(item, part.get("items", {})))
            except Misfit:
                continue
        if len(fitted) < part.get("minItems", 0):
            raise Misfit
        return fitted[: part.get("maxItems", len(fitted))]

    def _object_for(self, value: Json, part: Schema) -> Schema:
        options = [self.resolve(option) for option in part.get("anyOf", [part])]
        empty: Schema = {}
        return next((option for option in options if holds(value, option)), empty)


def by_kind(part: Schema) -> list[Schema]:
    """A part of several types as one part for each."""
    kinds = part.get("type")
    return [{**part, "type": kind} for kind in kinds] if isinstance(kinds, list) else [part]


def kind_of(part: Schema) -> str:
    kind = part.get("type")
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in part else "any"


def holds(value: Json, part: Schema) -> bool:
    """Whether a value is of the part's own kind: for objects, whether its constants agree."""
    if isinstance(value, bool) and kind_of(part) != "boolean":
        return False
    if not isinstance(value, KINDS.get(kind_of(part), (object,))):
        return False
    if not isinstance(value, dict):
        return True
    for name, sub in part.get("properties", {}).items():
        if name in value and "const" in sub and value[name] != sub["const"]:
            return False
        if name in value and "enum" in sub and value[name] not in sub["enum"]:
            return False
    return set(value) <= set(part.get("properties", value))


def one_of(value: Json, allowed: list[Json]) -> Json:
    for choice in allowed:
        if choice == value or str(choice).lower() == str(value).lower():
            return choice
    raise Misfit


def fit_scalar(value: Json, part: Schema) -> Json:
    kind = kind_of(part)
    if kind == "null" and value is not None:
        raise Misfit
    if kind in ("integer", "number"):
        return fit_number(value, part, whole=kind == "integer")
    if kind == "boolean" and not isinstance(value, bool):
        raise Misfit
    return fit_text(value, part) if kind == "string" else value


def fit_number(value: Json, part: Schema, *, whole: bool) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Misfit
    try:
        number = int(value) if whole else float(value)
    except (ValueError, OverflowError):
        raise Misfit from None
    least, most = part.get("minimum", number), part.get("maximum", number)
    clamped: int | float = max(least, min(most, number))
    return clamped


def fit_text(value: Json, part: Schema) -> str:
    if isinstance(value, dict | list) or value is None:
        raise Misfit
    text = str(value)[: part.get("maxLength", None)]
    if len(text) < part.get("minLength", 0):
        raise Misfit
    if "pattern" in part and not re.search(part["pattern"], text):
        raise Misfit
    return text
