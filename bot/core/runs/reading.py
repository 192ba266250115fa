"""A run's file, read: TOML whose every fault is one sentence with its line and what to do."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ValidationError

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.core.runs.spec import MONEY_AND_PLACES, RunAgent, RunEvent, RunScene, RunSpec

LARGEST_FILE: Final = 256_000  # bytes
LONGEST_SHOWN: Final = 60  # characters of a name that somebody gave: a sentence says where it stands
Location = tuple[int | str, ...]  # where something stands: ("agents", 1, "name")
_PARTS: Final[Mapping[str, type[BaseModel]]] = {"agents": RunAgent, "events": RunEvent, "scene": RunScene}
_HEAD = re.compile(r"^\s*(\[\[?)\s*([\w.\"' -]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*([\w.\"' -]+?)\s*=")
_MARKS = re.compile(r"\"\"\"|'''")


def read_run(data: bytes, name: str, over: Mapping[str, object] | None = None) -> RunSpec:
    """Read a run from a file's content, with what the command line says on top; raises BadSetting.

    `name`: what the file is called, in sentences about it.
    """
    if len(data) > LARGEST_FILE:
        raise BadSetting(f"{name} is larger than {LARGEST_FILE:,} bytes: no run needs so much.")
    try:
        text = data.decode("utf-8-sig")
        given = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise BadSetting(f"{name} is no UTF-8 text: save it as that.") from error
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{name} is no TOML: {_lower(str(error))}.") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise BadSetting(f"{name} is no TOML that can be read: a value in it is too long or too deep.") from error
    return _checked(given | dict(over or {}), name, text)


def read_given(given: object) -> RunSpec:
    """Read a run from values, as a program gives them; raises BadSetting."""
    return _checked(given, "The run", "")


def _checked(given: object, name: str, text: str) -> RunSpec:
    try:
        spec = RunSpec.model_validate(given)
        _check_options(spec)
        _check_settings(spec)
    except ValidationError as error:
        raise BadSetting(f"{name}{_worded(error, text, ())}") from error
    except _Fault as fault:
        raise BadSetting(f"{name}{_worded(fault.error, text, fault.place, fault.names)}") from fault.error
    except RecursionError as error:
        raise BadSetting(f"{name} holds values in one another too deep to be read.") from error
    return spec


class _Fault(Exception):
    """What is wrong in a part that has a model of its own."""

    def __init__(self, error: ValidationError, place: Location, names: Iterable[str]) -> None:
        super().__init__(place)
        self.error, self.place, self.names = error, place, tuple(names)


def _check_options(spec: RunSpec) -> None:
    if spec.scene is None:
        return
    model = spec.scene.played.options
    try:
        model.model_validate(spec.scene.chosen)
    except ValidationError as error:
        raise _Fault(error, ("scene", "options"), model.model_fields) from error


def _check_settings(spec: RunSpec) -> None:
    names = [name for name in CommunityConfig.model_fields if name not in MONEY_AND_PLACES]
    known = {name: value for name, value in spec.settings.items() if name not in MONEY_AND_PLACES}
    for name in spec.settings:
        if name in MONEY_AND_PLACES:
            error = ValidationError.from_exception_data(
                "settings", [{"type": "value_error", "loc": (name,), "input": None, "ctx": {"error": _NOT_HERE}}]
            )
            raise _Fault(error, ("settings",), names)
    try:
        spec.config.tried(known)
    except ValidationError as error:
        raise _Fault(error, ("settings",), names) from error


_NOT_HERE = ValueError("is not set in a run: its `model` and `budget` stand at the top, and it is on no server")


def _worded(error: ValidationError, text: str, before: Location, names: Sequence[str] = ()) -> str:
    """Word the first thing that is wrong: where it stands, and what to do."""
    first = error.errors(include_url=False, include_input=False)[0]
    place: Location = (*before, *first["loc"])
    line = line_of(text, place)
    where = f", line {line}: " if line else ": "
    what = f"`{shown(place)}` " if place else ""
    if first["type"] == "extra_forbidden":
        wanted = str(place[-1])
        near = difflib.get_close_matches(wanted[:LONGEST_SHOWN], names or _names_at(place[:-1]), 1)
        hint = f"did you mean `{near[0]}`?" if near else "take it out."
        return f"{where}there is no `{shown(place)}` in a run: {hint}"
    if first["type"] == "missing":
        return f"{where}{what}is missing: add it."
    said = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error":
        return f"{where}{'' if not place or not before else what}{said}."
    return f"{where}{what}{_lower(said).removeprefix('input ')}."


def _lower(said: str) -> str:
    return said[:1].lower() + said[1:]


def shown(place: Location) -> str:
    """Give a place as people count: `agents 2 name`."""
    return " ".join(str(one + 1) if isinstance(one, int) else _short(one) for one in place)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"


def _names_at(place: Location) -> list[str]:
    part = _PARTS.get(str(place[0])) if place else RunSpec
    return list(part.model_fields) if part is not None else []


def line_of(text: str, place: Location) -> int | None:
    """Find the line on which a key stands, or else what is nearest around it; None: nothing of it is written."""
    counts: dict[str, int] = {}
    table: Location = ()
    best: tuple[int, int | None] = (0, None)
    is_inside = False  # a text over several lines
    for number, line in enumerate(text.splitlines(), 1):
        at: Location | None = None
        if not is_inside and (head := _HEAD.match(line)):
            table = at = _table(head[2], counts, begins=head[1] == "[[")
        elif not is_inside and (key := _KEY.match(line)):
            at = (*table, *_names(key[1]))
        if at is not None and len(at) > best[0] and place[: len(at)] == at:
            best = (len(at), number)
        is_inside ^= len(_MARKS.findall(line)) % 2 == 1
    return best[1]


def _table(written: str, counts: dict[str, int], *, begins: bool) -> Location:
    first, *rest = _names(written)
    if begins and not rest:
        counts[first] = counts.get(first, -1) + 1
    inside = (counts[first],) if first in counts else ()
    return (first, *inside, *rest)


def _names(written: str) -> list[str]:
    return [one.strip().strip("\"'") for one in written.split(".")]
