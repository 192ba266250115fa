"""Buttons, selects, layouts: what may stand in what, how many there may be, and the ids Discord gives them."""

import copy
from collections.abc import Iterator
from typing import Any

from bot.playground.errors import invalid
from bot.playground.rest.form import Form

Json = dict[str, Any]

ROW, BUTTON, STRING, TEXT_INPUT, USER, ROLE, MENTIONABLE, CHANNEL = range(1, 9)
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER = 9, 10, 11, 12, 13, 14, 17
SELECTS = (STRING, USER, ROLE, MENTIONABLE, CHANNEL)
LAYOUT = (ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR)
# What may stand in what, and how many of it.
INSIDE = {ROW: (BUTTON, *SELECTS), SECTION: (TEXT,), CONTAINER: LAYOUT}
MOST_INSIDE = {ROW: 5, SECTION: 3, CONTAINER: 39}

MOST_V1_ROWS = 5
MOST_V2 = 40
MOST_TEXT = 4000
LINK, PREMIUM = 5, 6


def read_components(given: object, *, v2: bool) -> list[Json]:
    """Give the components as they are kept, each with an id; raises ApiError for what Discord refuses."""
    if not isinstance(given, list) or not all(isinstance(part, dict) for part in given):
        raise invalid("components", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    parts: list[Json] = copy.deepcopy(given)
    most = MOST_V2 if v2 else MOST_V1_ROWS
    if len(parts) > most:
        raise invalid("components", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {most} in length.")
    for index, part in enumerate(parts):
        _check(part, f"components.{index}", (*LAYOUT, CONTAINER) if v2 else (ROW,))
    everything = list(walk(parts))
    _check_whole(everything, v2=v2)
    number(everything)
    return parts


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
    free = (n for n in range(1, 1000) if n not in taken)
    for part in everything:
        part["id"] = part.get("id") or next(free)


def _check_whole(everything: list[Json], *, v2: bool) -> None:
    if v2 and len(everything) > MOST_V2:
        words = f"The total number of components cannot exceed {MOST_V2}"
        raise invalid("components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", words)
    if sum(len(part.get("content") or "") for part in everything) > MOST_TEXT:
        words = f"The total text of all components cannot exceed {MOST_TEXT} characters"
        raise invalid("components", "COMPONENT_MAX_TOTAL_TEXT_EXCEEDED", words)
    check_unique(everything, "components")


def check_unique(everything: list[Json], path: str) -> None:
    """Refuse two components with the same custom_id."""
    ids = [part["custom_id"] for part in everything if part.get("custom_id")]
    if len(set(ids)) < len(ids):
        raise invalid(path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")


def _check(part: Json, path: str, allowed: tuple[int, ...]) -> None:
    kind = part.get("type")
    if kind not in allowed:
        known = ", ".join(map(str, allowed))
        raise invalid(f"{path}.type", "BASE_TYPE_CHOICES", f"Value must be one of ({known}).")
    if kind in INSIDE:
        _check_inside(part, path, kind)
    if kind == BUTTON:
        _check_button(part, path)
    elif kind in SELECTS:
        check_select(part, path)
    elif kind == TEXT and not 1 <= len(part.get("content") or "") <= MOST_TEXT:
        raise invalid(f"{path}.content", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {MOST_TEXT} in length.")
    elif kind == GALLERY and not 1 <= len(part.get("items") or []) <= 10:
        raise invalid(f"{path}.items", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 10 in length.")


def _check_inside(part: Json, path: str, kind: int) -> None:
    inner = part.get("components")
    most = MOST_INSIDE[kind]
    if not isinstance(inner, list) or not 1 <= len(inner) <= most:
        raise invalid(f"{path}.components", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {most} in length.")
    for index, child in enumerate(inner):
        _check(child, f"{path}.components.{index}", INSIDE[kind])
    if kind == ROW and len(inner) > 1 and any(child["type"] in SELECTS for child in inner):
        words = "A row holds one select, or buttons."
        raise invalid(f"{path}.components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", words)
    if kind == SECTION:
        accessory = part.get("accessory")
        if not isinstance(accessory, dict):
            raise invalid(f"{path}.accessory", "BASE_TYPE_REQUIRED", "This field is required")
        _check(accessory, f"{path}.accessory", (BUTTON, THUMBNAIL))


def _check_button(part: Json, path: str) -> None:
    style: int = part.get("style") or 0
    if style not in range(1, 7):
        raise invalid(f"{path}.style", "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6).")
    needs = {LINK: "url", PREMIUM: "sku_id"}.get(style, "custom_id")
    if not 1 <= len(str(part.get(needs) or "")) <= (512 if needs == "url" else 100):
        raise invalid(f"{path}.{needs}", "BASE_TYPE_REQUIRED", "This field is required")
    if style != PREMIUM and not part.get("label") and not part.get("emoji"):
        words = "A button needs a label or an emoji"
        raise invalid(path, "BUTTON_COMPONENT_MISSING_LABEL_OR_EMOJI", words)
    if len(part.get("label") or "") > 80:
        raise invalid(f"{path}.label", "BASE_TYPE_BAD_LENGTH", "Must be 80 or fewer in length.")


def check_select(part: Json, path: str) -> None:
    """Refuse a select whose id, numbers or options Discord would not take."""
    form = Form(part)
    form.text("custom_id", low=1, high=100, required=True)
    form.text("placeholder", high=150)
    form.number("min_values", low=0, high=25)
    form.number("max_values", low=1, high=25)
    options = form.items("options", high=25)
    if form.faults:
        name, fault = next(iter(form.faults.items()))
        raise invalid(f"{path}.{name}", **_words(fault))
    if part["type"] == STRING:
        _check_options(options or [], f"{path}.options")


def _words(fault: Json) -> dict[str, str]:
    words: dict[str, str] = fault["_errors"][0]
    return words


def _check_options(options: list[Json], path: str) -> None:
    if not options:
        raise invalid(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.")
    for index, option in enumerate(options):
        for name, least in (("label", 1), ("value", 1), ("description", 0)):
            if not least <= len(option.get(name) or "") <= 100:
                where = f"{path}.{index}.{name}"
                raise invalid(where, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and 100 in length.")
    values = [option["value"] for option in options]
    if len(set(values)) < len(values):
        raise invalid(path, "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "Option values must be unique")
