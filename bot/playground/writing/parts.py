"""The components there are: what each may say, and what may stand in what."""

from bot.playground.forms import Choice, Fields, Id, ListOf, OneOf, Spec, Text, Thing, Truth, Url, Whole
from bot.playground.kinds import ButtonStyle, Part

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
