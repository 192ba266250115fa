"""Forms: their title, their inputs and the limits of both."""

import copy
from typing import Any

from bot.playground.errors import invalid
from bot.playground.rest.form import Form
from bot.playground.writing.components import number, walk

Json = dict[str, Any]

MOST = 5
INPUTS = (3, 4, 5, 6, 7, 8, 19, 21, 22, 23)


def read_modal(data: Json) -> Json:
    """Give a form as it is kept; raises ApiError for a faulty one."""
    form = Form(data)
    custom_id = form.text("custom_id", low=1, high=100, required=True)
    title = form.text("title", low=1, high=45, required=True)
    parts = form.items("components", high=MOST)
    form.check()
    if not parts:
        raise invalid("data.components", "BASE_TYPE_REQUIRED", "This field is required")
    parts = copy.deepcopy(parts)
    everything = list(walk(parts))
    for part in everything:
        if part.get("type") in INPUTS:
            _check_input(part)
    ids = [part["custom_id"] for part in everything if part.get("custom_id")]
    if len(set(ids)) < len(ids):
        message = "Component custom id cannot be duplicated"
        raise invalid("data.components", "COMPONENT_CUSTOM_ID_DUPLICATED", message)
    number(everything)
    return {"custom_id": custom_id, "title": title, "components": parts}


def _check_input(part: Json) -> None:
    form = Form(part)
    form.text("custom_id", low=1, high=100, required=True)
    form.text("label", high=45)
    form.text("placeholder", high=100)
    form.text("value", high=4000)
    form.number("min_length", low=0, high=4000)
    form.number("max_length", low=1, high=4000)
    form.check()
