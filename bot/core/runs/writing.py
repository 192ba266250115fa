"""A run's file, written: the TOML from which `reading` reads the very same run."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from bot.core.errors import BadSetting
from bot.core.runs.spec import RunSpec

ONE_OF_MANY: Final = ("agents", "events")  # tables that there may be several of
PARTS: Final = ("settings", "scene", *ONE_OF_MANY)
NO_NOTHING: Final = "`{}`: a file has no way to say null: leave that out."


def as_toml(spec: RunSpec) -> str:
    """Write a run without what is as ever; raises BadSetting for a value that TOML does not have (null)."""
    given = spec.model_dump(exclude_defaults=True)
    lines = [*_pairs({name: value for name, value in given.items() if name not in PARTS})]
    for part in PARTS:
        for one in given.get(part, ()) if part in ONE_OF_MANY else [given[part]] if part in given else ():
            lines += ["", f"[[{part}]]" if part in ONE_OF_MANY else f"[{part}]", *_pairs(one)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _pairs(values: Mapping[str, object]) -> Iterator[str]:
    for name, value in values.items():
        if value is not None:  # of what a run may leave out
            yield f"{_name(name)} = {_value(value, name)}"


def _name(name: str) -> str:
    is_bare = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if is_bare else _text(name)


def _value(value: object, name: str) -> str:
    match value:
        case bool():
            return str(value).lower()
        case datetime():
            return value.isoformat()
        case Decimal():
            return f'"{value}"'  # as it was said, to the last digit
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case Mapping():
            return "{" + ", ".join(f"{_name(key)} = {_value(one, key)}" for key, one in value.items()) + "}"
        case Sequence():
            return "[" + ", ".join(_value(one, name) for one in value) + "]"
        case _:
            raise BadSetting(NO_NOTHING.format(name))


def _text(text: str) -> str:
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")
