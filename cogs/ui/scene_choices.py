"""What may be chosen for a move: as it is named to people, and as what they typed or chose is read."""

import re
from collections.abc import Mapping
from itertools import islice, product

from bot.core.records import Json
from bot.core.scenes.moves import Parameter
from bot.core.scenes.showing import ShownMove, Turn
from bot.core.wording import choice_of
from cogs.ui.again import MOST_OPTIONS


def combinations(move: ShownMove) -> list[dict[str, int | str]]:
    """Give every way to choose all of a move's parameters; none where one of them is no choice of one."""
    if any(one.what != "one" for one in move.parameters):
        return []
    names = [one.name for one in move.parameters]
    every = product(*(move.values.get(name, ()) for name in names))
    return [dict(zip(names, values, strict=True)) for values in islice(every, MOST_OPTIONS + 1)]


def combined(turn: Turn, move: ShownMove, chosen: Mapping[str, int | str]) -> str:
    """Name a choice of several: how many of something stands at its end."""
    parts = [named(turn, one, chosen[one.name]) for one in move.parameters if one.name != "n"]
    return ": ".join(parts) + (f" × {chosen['n']}" if "n" in chosen else "")


def named(turn: Turn, one: Parameter, value: int | str) -> str:
    """Name a seat beside its number; other values stand for themselves."""
    if not (one.name.startswith("seat") and isinstance(value, int)):
        return str(value)
    return f"{value}. {turn.names.get(value, '')}" if value else "nobody"


def asked(move: ShownMove, one: Parameter) -> str:
    """Word what a form asks for."""
    if one.what == "text":
        return f"{one.name} (at most {one.words} words)"
    return f"{one.name}: {choice_of(move.values.get(one.name, ()))}"


def read(one: Parameter, typed: str) -> Json:
    """Read what was typed for a parameter."""
    match one.what:
        case "text":
            return typed
        case "many":
            return [number(value) for value in re.split(r"[,\s]+", typed.strip())]
        case "one":
            return number(typed.strip())


def number(value: str) -> Json:
    """Read a number where one is written; else the text itself."""
    return int(value) if re.fullmatch(r"-?\d{1,9}", value) else value
