"""The components there are: what each may say, and what may stand in what."""

from bot.playground.writing.spec import Choice, Fields, Id, ListOf, OneOf, Text, Thing, Truth, Url, Whole

ROW, BUTTON, STRING, TEXT_INPUT, USER, ROLE, MENTIONABLE, CHANNEL = range(1, 9)
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR = range(9, 15)
CONTAINER, LABEL, UPLOAD = 17, 18, 19
RADIO, CHECKS, CHECK = 21, 22, 23
SELECTS = (STRING, USER, ROLE, MENTIONABLE, CHANNEL)

LINK, PREMIUM = 5, 6
MOST_V1_ROWS = 5
MOST_V2 = 40
MOST_IN_FORM = 5

NUMBER: Fields = {"id": Whole()}
CUSTOM_ID: Fields = {**NUMBER, "custom_id": Text(1, 100)}
EMOJI = Thing({"name": Text(1, 100), "id": Id(), "animated": Truth()})
MEDIA = Thing({"url": Url()}, ("url",))
SPOILER: Fields = {"description": Text(0, 1024), "spoiler": Truth()}

button = Thing(
    {
        **CUSTOM_ID,
        "style": Choice((1, 2, 3, 4, LINK, PREMIUM)),
        "label": Text(0, 80),
        "emoji": EMOJI,
        "url": Text(1, 512),
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
chosen = ListOf(Thing({"id": Id(), "type": Text(1, 20)}, ("id", "type")))
selects = {
    STRING: Thing({**choosing, "options": ListOf(option, 1, 25)}, ("custom_id", "options")),
    USER: Thing({**choosing, "default_values": chosen}, ("custom_id",)),
    ROLE: Thing({**choosing, "default_values": chosen}, ("custom_id",)),
    MENTIONABLE: Thing({**choosing, "default_values": chosen}, ("custom_id",)),
    CHANNEL: Thing({**choosing, "default_values": chosen, "channel_types": ListOf(Whole(0, 20))}, ("custom_id",)),
}
text = Thing({**NUMBER, "content": Text(1, 4000)}, ("content",))
thumbnail = Thing({**NUMBER, **SPOILER, "media": MEDIA}, ("media",))
section = Thing(
    {
        **NUMBER,
        "components": ListOf(OneOf({TEXT: text}), 1, 3),
        "accessory": OneOf({BUTTON: button, THUMBNAIL: thumbnail}),
    },
    ("components", "accessory"),
)
gallery = Thing({**NUMBER, "items": ListOf(Thing({**SPOILER, "media": MEDIA}, ("media",)), 1, 10)}, ("items",))
row = Thing({**NUMBER, "components": ListOf(OneOf({BUTTON: button, **selects}), 1, 5)}, ("components",))
layout = {
    ROW: row,
    SECTION: section,
    TEXT: text,
    GALLERY: gallery,
    FILE: Thing({**NUMBER, "file": MEDIA, "spoiler": Truth()}, ("file",)),
    SEPARATOR: Thing({**NUMBER, "divider": Truth(), "spacing": Choice((1, 2))}),
}
container = Thing(
    {
        **NUMBER,
        "components": ListOf(OneOf(layout), 1, MOST_V2 - 1),
        "accent_color": Whole(0, 0xFFFFFF),
        "spoiler": Truth(),
    },
    ("components",),
)

text_input = Thing(
    {
        **CUSTOM_ID,
        "style": Choice((1, 2)),
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
inputs = {
    TEXT_INPUT: text_input,
    **selects,
    UPLOAD: Thing(counted, ("custom_id",)),
    RADIO: Thing({**CUSTOM_ID, "required": Truth(), "options": ListOf(option, 2, 10)}, ("custom_id", "options")),
    CHECKS: Thing({**counted, "options": ListOf(option, 1, 10)}, ("custom_id", "options")),
    CHECK: Thing({**CUSTOM_ID, "default": Truth()}, ("custom_id",)),
}
label = Thing(
    {**NUMBER, "label": Text(1, 45), "description": Text(0, 100), "component": OneOf(inputs)}, ("label", "component")
)
input_row = Thing({**NUMBER, "components": ListOf(OneOf({TEXT_INPUT: text_input}), 1, 1)}, ("components",))

IN_MESSAGE = ListOf(OneOf({ROW: row}), 0, MOST_V1_ROWS)
IN_LAYOUT = ListOf(OneOf({**layout, CONTAINER: container}), 0, MOST_V2)
FORM = Thing(
    {
        "custom_id": Text(1, 100),
        "title": Text(1, 45),
        "components": ListOf(OneOf({ROW: input_row, TEXT: text, LABEL: label}), 1, MOST_IN_FORM),
    },
    ("custom_id", "title", "components"),
)
