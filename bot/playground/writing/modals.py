"""Forms: their title, their inputs and the limits of both."""

import copy
from typing import Any

from bot.playground.errors import invalid
from bot.playground.rest.form import Form
from bot.playground.writing.components import SELECTS, TEXT_INPUT, check_select, check_unique, number, walk

Json = dict[str, Any]

MOST = 5
ROW, TEXT, LABEL, UPLOAD = 1, 10, 18, 19
TOP = (ROW, TEXT, LABEL)


def read_modal(data: Json) -> Json:
    """Give a form as it is kept; raises ApiError for a faulty one."""
    form = Form(data)
    custom_id = form.text("custom_id", low=1, high=100, required=True)
    title = form.text("title", low=1, high=45, required=True)
    given = form.items("components", high=MOST)
    form.check()
    if not given or any(not isinstance(part, dict) or part.get("type") not in TOP for part in given):
        raise invalid("data.components", "BASE_TYPE_REQUIRED", "A form needs 1 to 5 rows or labels with inputs")
    parts: list[Json] = copy.deepcopy(given)
    everything = list(walk(parts))
    for part in everything:
        _check(part)
    check_unique(everything, "data.components")
    number(everything)
    return {"custom_id": custom_id, "title": title, "components": parts}


def _check(part: Json) -> None:
    kind = part.get("type")
    if kind == TEXT_INPUT:
        _check_text(part)
    elif kind in SELECTS:
        check_select(part, "data.components")
    elif kind == LABEL:
        form = Form(part)
        form.text("label", low=1, high=45, required=True)
        form.text("description", high=100)
        form.check()


def _check_text(part: Json) -> None:
    form = Form(part)
    form.text("custom_id", low=1, high=100, required=True)
    form.text("label", high=45)
    form.text("placeholder", high=100)
    form.text("value", high=4000)
    form.number("min_length", low=0, high=4000)
    form.number("max_length", low=1, high=4000)
    form.choice("style", 1, 2)
    form.check()
