"""Digests of standings that follow one another: what did not change is not written down again."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from json.encoder import encode_basestring_ascii

from pydantic import BaseModel

from bot.core.records import Json

REMEMBERED = 8_192  # parts of standings


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
        parts = [(name, _compact(value)) for name, value in beside.items()]
        return _digest(_object([*parts, ("state", self._text(state))]))

    def _text(self, value: object) -> str:
        kind = type(value)
        if kind is int:
            return str(value)
        if kind is str or kind is bool or value is None:
            return _compact(value)
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._written(value))
        return known[1]

    def _written(self, value: object) -> str:
        if isinstance(value, BaseModel):
            return self._named((name, value.__dict__[name]) for name in type(value).model_fields)
        if isinstance(value, Mapping):
            return self._named((str(key), one) for key, one in value.items())
        if isinstance(value, Enum):
            return _compact(value.value)
        if isinstance(value, tuple | list):
            return f"[{','.join(map(self._text, value))}]"
        if dataclasses.is_dataclass(value):
            return self._named((one.name, getattr(value, one.name)) for one in dataclasses.fields(value))
        return _compact(value)

    def _named(self, items: Iterable[tuple[str, object]]) -> str:
        return _object((name, self._text(value)) for name, value in items)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


_compact = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def _object(items: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join([f"{encode_basestring_ascii(name)}:{text}" for name, text in sorted(items)]) + "}"
