"""Buttons, selects, layouts: how many there may be, and the ids that Discord gives them."""

import copy
from collections.abc import Iterator
from typing import Any

from bot.playground.errors import invalid

Json = dict[str, Any]

MOST_V1_ROWS = 5
MOST_V2 = 40
ROW = 1
BUTTON = 2


def read_components(given: object, *, v2: bool) -> list[Json]:
    """Give the components as they are kept, each with an id; raises ApiError for what Discord refuses."""
    if not isinstance(given, list):
        raise invalid("components", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    most = MOST_V2 if v2 else MOST_V1_ROWS
    if len(given) > most:
        raise invalid("components", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {most} in length.")
    given = copy.deepcopy(given)
    everything = list(walk(given))
    if v2 and len(everything) > MOST_V2:
        raise invalid(
            "components",
            "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
            f"The total number of components cannot exceed {MOST_V2}",
        )
    number(everything)
    return given


def walk(parts: list[Json]) -> Iterator[Json]:
    """Give every component, the outer ones first."""
    for part in parts:
        yield part
        yield from walk(part.get("components") or [])
        for inner in ("accessory", "component"):
            if isinstance(part.get(inner), dict):
                yield from walk([part[inner]])


def number(everything: list[Json]) -> None:
    """Give an id to every component that has none."""
    taken = {part["id"] for part in everything if part.get("id")}
    free = (number for number in range(1, 1000) if number not in taken)
    for part in everything:
        part["id"] = part.get("id") or next(free)
