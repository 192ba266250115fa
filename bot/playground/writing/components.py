"""Components of messages and forms: checked as a whole, and numbered as Discord does it."""

from collections.abc import Iterator

from bot.playground.errors import invalid
from bot.playground.forms import Choice, Fields, Id, ListOf, OneOf, Spec, Text, Thing, Truth, Url, Whole, fitted
from bot.playground.kinds import SELECTS, ButtonStyle, Part
from bot.playground.rows import Json

MOST_V1_ROWS = 5
MOST_V2 = 40
MOST_IN_FORM = 5

Kinds = dict[int, Spec]
NUMBER: Fields = {"id": Whole()}
CUSTOM_ID: Fields = {**NUMBER, "custom_id": Text(1, 100)}
EMOJI = Thing({"name": Text(1, 100), "id": Id(), "animated": Truth()})
MEDIA = Thing({"url": Url()}, ("url",))
SPOILER: Fields = {"description": Text(0, 1024), "spoiler": Truth()}

button = Thing(
    {
        **CUSTOM_ID,
        "style": Choice(*ButtonStyle),
        "label": Text(0, 80),
        "emoji": EMOJI,
        "url": Url(("http://", "https://", "discord://")),
        "sku_id": Id(),
        "disabled": Truth(),
    },
    ("style",),
)
option = Thing(
    {
        "label": Text(1, 100),
        "value": Text(1, 100),
        "description": Text(0, 100),
        "emoji": EMOJI,
        "default": Truth(),
    },
    ("label", "value"),
)
choosing: Fields = {
    **CUSTOM_ID,
    "placeholder": Text(0, 150),
    "min_values": Whole(0, 25),
    "max_values": Whole(1, 25),
    "disabled": Truth(),
    "required": Truth(),
}
chosen = ListOf(item=Thing({"id": Id(), "type": Text(1, 20)}, ("id", "type")))
selects: Kinds = {
    Part.STRING: Thing({**choosing, "options": ListOf(1, 25, option)}, ("custom_id", "options")),
    Part.USER: Thing({**choosing, "default_values": chosen}, ("custom_id",)),
    Part.ROLE: Thing({**choosing, "default_values": chosen}, ("custom_id",)),
    Part.MENTIONABLE: Thing({**choosing, "default_values": chosen}, ("custom_id",)),
    Part.CHANNEL: Thing(
        {**choosing, "default_values": chosen, "channel_types": ListOf(item=Whole(0, 20))}, ("custom_id",)
    ),
}
text = Thing({**NUMBER, "content": Text(1, 4000)}, ("content",))
thumbnail = Thing({**NUMBER, **SPOILER, "media": MEDIA}, ("media",))
section = Thing(
    {
        **NUMBER,
        "components": ListOf(1, 3, OneOf({Part.TEXT: text})),
        "accessory": OneOf({Part.BUTTON: button, Part.THUMBNAIL: thumbnail}),
    },
    ("components", "accessory"),
)
gallery = Thing({**NUMBER, "items": ListOf(1, 10, Thing({**SPOILER, "media": MEDIA}, ("media",)))}, ("items",))
row = Thing({**NUMBER, "components": ListOf(1, 5, OneOf({Part.BUTTON: button, **selects}))}, ("components",))
layout: Kinds = {
    Part.ROW: row,
    Part.SECTION: section,
    Part.TEXT: text,
    Part.GALLERY: gallery,
    Part.FILE: Thing({**NUMBER, "file": MEDIA, "spoiler": Truth()}, ("file",)),
    Part.SEPARATOR: Thing({**NUMBER, "divider": Truth(), "spacing": Choice(1, 2)}),
}
container = Thing(
    {
        **NUMBER,
        "components": ListOf(1, MOST_V2 - 1, OneOf(layout)),
        "accent_color": Whole(0, 0xFFFFFF),
        "spoiler": Truth(),
    },
    ("components",),
)

text_input = Thing(
    {
        **CUSTOM_ID,
        "style": Choice(1, 2),
        "label": Text(1, 45),
        "min_length": Whole(0, 4000),
        "max_length": Whole(1, 4000),
        "required": Truth(),
        "value": Text(0, 4000),
        "placeholder": Text(0, 100),
    },
    ("custom_id", "style"),
)
counted: Fields = {**CUSTOM_ID, "min_values": Whole(0, 10), "max_values": Whole(1, 10), "required": Truth()}
inputs: Kinds = {
    Part.TEXT_INPUT: text_input,
    **selects,
    Part.UPLOAD: Thing(counted, ("custom_id",)),
    Part.RADIO: Thing({**CUSTOM_ID, "required": Truth(), "options": ListOf(2, 10, option)}, ("custom_id", "options")),
    Part.CHECKS: Thing({**counted, "options": ListOf(1, 10, option)}, ("custom_id", "options")),
    Part.CHECK: Thing({**CUSTOM_ID, "default": Truth()}, ("custom_id",)),
}
label = Thing(
    {**NUMBER, "label": Text(1, 45), "description": Text(0, 100), "component": OneOf(inputs)}, ("label", "component")
)
input_row = Thing({**NUMBER, "components": ListOf(1, 1, OneOf({Part.TEXT_INPUT: text_input}))}, ("components",))

IN_MESSAGE = ListOf(0, MOST_V1_ROWS, OneOf({Part.ROW: row}))
IN_LAYOUT = ListOf(0, MOST_V2, OneOf({**layout, Part.CONTAINER: container}))
FORM = Thing(
    {
        "custom_id": Text(1, 100),
        "title": Text(1, 45),
        "components": ListOf(1, MOST_IN_FORM, OneOf({Part.ROW: input_row, Part.TEXT: text, Part.LABEL: label})),
    },
    ("custom_id", "title", "components"),
)


MOST_TEXT = 4000


def read_components(given: object, *, v2: bool) -> list[Json]:
    """Give the components as they are kept, each with an id; raises ApiError for what Discord refuses."""
    spec = IN_LAYOUT if v2 else IN_MESSAGE
    parts: list[Json] = fitted(spec, given, "components")
    everything = list(walk(parts))
    if v2 and len(everything) > MOST_V2:
        words = f"The total number of components cannot exceed {MOST_V2}"
        raise invalid("components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", words)
    if sum(len(part.get("content", "")) for part in everything) > MOST_TEXT:
        words = f"The total text of all components cannot exceed {MOST_TEXT} characters"
        raise invalid("components", "COMPONENT_MAX_TOTAL_TEXT_EXCEEDED", words)
    _check_together(everything)
    return parts


def read_modal(data: Json) -> Json:
    """Give a form as it is kept; raises ApiError for a faulty one."""
    modal: Json = fitted(FORM, data, "data")
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
