"""Components of messages and forms: checked as a whole, and numbered as Discord does it."""

from collections.abc import Iterator

from bot.playground.errors import invalid
from bot.playground.forms import fitted
from bot.playground.kinds import SELECTS, ButtonStyle, Part
from bot.playground.rows import Json
from bot.playground.writing import parts as kinds

MOST_TEXT = 4000


def read_components(given: object, *, v2: bool) -> list[Json]:
    """Give the components as they are kept, each with an id; raises ApiError for what Discord refuses."""
    spec = kinds.IN_LAYOUT if v2 else kinds.IN_MESSAGE
    parts: list[Json] = fitted(spec, given, "components")
    everything = list(walk(parts))
    if v2 and len(everything) > kinds.MOST_V2:
        words = f"The total number of components cannot exceed {kinds.MOST_V2}"
        raise invalid("components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", words)
    if sum(len(part.get("content", "")) for part in everything) > MOST_TEXT:
        words = f"The total text of all components cannot exceed {MOST_TEXT} characters"
        raise invalid("components", "COMPONENT_MAX_TOTAL_TEXT_EXCEEDED", words)
    _check_together(everything)
    return parts


def read_modal(data: Json) -> Json:
    """Give a form as it is kept; raises ApiError for a faulty one."""
    modal: Json = fitted(kinds.FORM, data, "data")
    _check_together(list(walk(modal["components"])))
    return modal


def walk(parts: list[Json]) -> Iterator[Json]:
    """Give every component, the outer ones first."""
    for part in parts:
        yield part
        yield from walk(part.get("components", []))
        for inner in ("accessory", "component"):
            if inner in part:
                yield from walk([part[inner]])


def _check_together(everything: list[Json]) -> None:
    """Check what no part can know of itself, and give an id to every part that has none."""
    for part in everything:
        if part["type"] == Part.BUTTON:
            _check_button(part)
        elif part["type"] == Part.ROW:
            _check_row(part["components"])
        elif "options" in part:
            _check_unique([option["value"] for option in part["options"]], "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED")
    _check_unique([p["custom_id"] for p in everything if "custom_id" in p], "COMPONENT_CUSTOM_ID_DUPLICATED")
    taken = {part["id"] for part in everything if part.get("id")}
    free = (number for number in range(1, 1000) if number not in taken)
    for part in everything:
        part["id"] = part.get("id") or next(free)


def _check_unique(values: list[str], code: str) -> None:
    if len(set(values)) < len(values):
        raise invalid("components", code, "Component custom ids and option values cannot be duplicated")


def _check_row(inner: list[Json]) -> None:
    if len(inner) > 1 and any(part["type"] in SELECTS for part in inner):
        words = "A row holds one select, or buttons."
        raise invalid("components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", words)


def _check_button(part: Json) -> None:
    needs = {ButtonStyle.LINK: "url", ButtonStyle.PREMIUM: "sku_id"}.get(part["style"], "custom_id")
    if needs not in part:
        raise invalid(f"components.{needs}", "BASE_TYPE_REQUIRED", "This field is required")
    if part["style"] != ButtonStyle.PREMIUM and not part.get("label") and "emoji" not in part:
        words = "A button needs a label or an emoji"
        raise invalid("components", "BUTTON_COMPONENT_MISSING_LABEL_OR_EMOJI", words)
