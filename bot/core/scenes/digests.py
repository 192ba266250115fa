"""Digests of standings that follow one another: what did not change is not written down again."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from json.encoder import encode_basestring_ascii

from pydantic import BaseModel

from bot.core.records import Json

REMEMBERED = 8_192  # parts of standings
_WORDS = {None: "null", True: "true", False: "false"}
_SIMPLE = (int, str, bool, type(None))


def digest_of(stored: Mapping[str, Json]) -> str:
    """Give what two equal things that are stored have in common, and no others."""
    return _digest(_compact(stored))


class Digests:
    """Gives the digests of one scene's standings in turn, of which a step changes a few parts alone.

    A part is known by being the very same: states are frozen, and share what they have in common with the one before.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, str]] = {}  # kept with its text, so that no other gets its id

    def of(self, state: BaseModel, beside: Mapping[str, Json]) -> str:
        """Give the digest of a state with what is stored beside it: the same as of both as they are stored."""
        if len(self._known) > REMEMBERED:
            self._known.clear()
        parts = [
            (name, self._text(value) if type(value) in _SIMPLE else _compact(value)) for name, value in beside.items()
        ]
        return _digest(_object([*parts, ("state", self._text(state))]))

    def _text(self, value: object) -> str:
        kind = type(value)
        if kind is int:
            return str(value)
        if kind is str:
            return encode_basestring_ascii(value)  # type: ignore[arg-type]
        if kind is bool or value is None:
            return _WORDS[value]  # type: ignore[index]
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._written(value))
        return known[1]

    def _written(self, value: object) -> str:
        if isinstance(value, BaseModel):
            had = value.__dict__
            return "{" + ",".join([f"{key}{self._text(had[name])}" for name, key in _fields(type(value))]) + "}"
        if isinstance(value, Mapping):
            return self._named((str(key), one) for key, one in value.items())
        if isinstance(value, Enum):
            return _compact(value.value)
        if isinstance(value, tuple | list):
            if {*map(type, value)} == {int}:
                return _compact(value)  # a long trail, in a tenth of the time
            return f"[{','.join(map(self._text, value))}]"
        if dataclasses.is_dataclass(value):
            return self._named((one.name, getattr(value, one.name)) for one in dataclasses.fields(value))
        return _compact(value)

    def _named(self, items: Iterable[tuple[str, object]]) -> str:
        return _object((name, self._text(value)) for name, value in items)


@cache
def _fields(kind: type[BaseModel]) -> tuple[tuple[str, str], ...]:
    """Give the fields of a model in the order in which they are written, each with how its name is."""
    return tuple((name, f"{encode_basestring_ascii(name)}:") for name in sorted(kind.model_fields))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


_compact = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def _object(items: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join([f"{encode_basestring_ascii(name)}:{text}" for name, text in sorted(items)]) + "}"
