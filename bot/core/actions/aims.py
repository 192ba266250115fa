"""What the ids that actions are given stand for: said by each parameter's type, never guessed from its name."""

from collections.abc import Iterator
from enum import Enum, StrEnum, auto
from types import UnionType
from typing import Annotated, Final, Union, get_args, get_origin

from pydantic.fields import FieldInfo


class Aim(StrEnum):
    """What an id stands for."""

    ROOM = "room"
    MESSAGE = "message"
    AGENT = "agent"
    PERSON = "person"
    REQUEST = "request"
    SCHEDULED = "scheduled message"
    SUMMARY = "summary"
    CHANGE = "change of knowledge"
    SCENE = "scene"
    POINT = "point in a room's talk"  # the message there is neither shown nor changed


class _Mark(Enum):
    ID = auto()


AN_ID: Final = _Mark.ID
"""Marks a type of ids, which needs an aim beside it."""


def aim_of(name: str, info: FieldInfo) -> Aim | None:
    """Give what a parameter's id stands for, None for what is no id; raises TypeError where that is not said."""
    found, is_id = set[Aim](), False
    for kind, marks in _kinds(info.annotation, tuple(info.metadata)):
        found |= {mark for mark in marks if isinstance(mark, Aim)}
        is_id |= AN_ID in marks or getattr(kind, "__supertype__", None) is int
        is_id |= kind is int and (name == "id" or name.endswith("_id"))
    if is_id and len(found) != 1:
        raise TypeError(f"{name} is an id: say by its type what it stands for, such as RoomRef or MessageRef.")
    return next(iter(found), None)


def _kinds(annotation: object, marks: tuple[object, ...]) -> Iterator[tuple[object, tuple[object, ...]]]:
    """Give the plain types within a type, each with what is marked on it."""
    origin = get_origin(annotation)
    if origin is Annotated:
        kind, *more = get_args(annotation)
        yield from _kinds(kind, (*marks, *more))
    elif origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from _kinds(part, marks)
    else:
        yield annotation, marks
