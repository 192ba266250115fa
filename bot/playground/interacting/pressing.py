"""Buttons and selects as a person uses them, and forms as they are sent."""

from typing import Any

from bot.playground.errors import ApiError, invalid
from bot.playground.interacting.resolving import Resolved
from bot.playground.rest.call import Call
from bot.playground.writing.attachments import keep_file
from bot.playground.writing.components import walk

Json = dict[str, Any]

BUTTON, STRING, TEXT, USER, ROLE, MENTIONABLE, CHANNEL, UPLOAD = 2, 3, 4, 5, 6, 7, 8, 19
SELECTS = (STRING, USER, ROLE, MENTIONABLE, CHANNEL)
LABEL = 18


def read_press(call: Call, row: Json, channel: Json, data: Json) -> Json:
    """Give the data the bot gets for a button or select of a message."""
    custom_id = data.get("custom_id")
    part = next((p for p in walk(row.get("components", [])) if p.get("custom_id") == custom_id), None)
    if part is None or part.get("disabled") or part["type"] != data.get("component_type", part["type"]):
        raise invalid("data.custom_id", "COMPONENT_VALIDATION_FAILED", "Component validation failed")
    said: Json = {"custom_id": custom_id, "component_type": part["type"], "id": part["id"]}
    if part["type"] not in SELECTS:
        return said
    resolved = Resolved(call.world, channel, call.me)
    said["values"] = _values(part, [str(value) for value in data.get("values") or []], resolved)
    return said | ({"resolved": resolved.found} if resolved.found else {})


def _values(part: Json, values: list[str], resolved: Resolved) -> list[str]:
    low, high = part.get("min_values", 1), part.get("max_values", 1)
    fits = low <= len(values) <= high and len(set(values)) == len(values)
    if not fits or not all(_is_there(part, value, resolved) for value in values):
        raise invalid("data.values", "COMPONENT_VALIDATION_FAILED", "Component validation failed")
    return values


def _is_there(part: Json, value: str, resolved: Resolved) -> bool:
    match part["type"]:
        case 3:
            return value in [option["value"] for option in part["options"]]
        case 5:
            return resolved.user(value)
        case 6:
            return resolved.role(value)
        case 8:
            return resolved.channel(value, part.get("channel_types"))
    return resolved.user(value) or resolved.role(value)


def read_form(call: Call, modal: Json, channel: Json, data: Json) -> Json:
    """Give the data the bot gets for a form: every input of the form, checked."""
    given = {p["custom_id"]: p for p in walk(data.get("components") or []) if p.get("custom_id")}
    resolved = Resolved(call.world, channel, call.me)
    parts = [_filled(call, part, given, channel, resolved) for part in modal["components"]]
    said: Json = {"custom_id": modal["custom_id"], "components": parts}
    return said | ({"resolved": resolved.found} if resolved.found else {})


def _filled(call: Call, part: Json, given: dict[str, Json], channel: Json, resolved: Resolved) -> Json:
    said: Json = {"type": part["type"], "id": part["id"]}
    if "components" in part:
        inner = [_filled(call, p, given, channel, resolved) for p in part["components"]]
        return said | {"components": inner}
    if "component" in part:
        return said | {"component": _filled(call, part["component"], given, channel, resolved)}
    if "custom_id" not in part:
        return said
    said["custom_id"] = part["custom_id"]
    answer = given.get(part["custom_id"], {})
    match part["type"]:
        case 4:
            return said | {"value": _text(part, answer.get("value") or "")}
        case 19:
            return said | {"values": _files(call, part, answer.get("values") or [], channel, resolved)}
        case 3 | 5 | 6 | 7 | 8:
            return said | {"values": _chosen(part, answer.get("values") or [], resolved)}
    return said | {key: answer[key] for key in ("value", "values") if key in answer}


def _text(part: Json, value: object) -> str:
    low, high = part.get("min_length", 0), part.get("max_length", 4000)
    text = str(value)
    if not text and part.get("required", True):
        raise invalid(part["custom_id"], "BASE_TYPE_REQUIRED", "This field is required")
    if text and not low <= len(text) <= high:
        raise invalid(part["custom_id"], "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")
    return text


def _chosen(part: Json, values: list[Any], resolved: Resolved) -> list[str]:
    if not values and not part.get("required", True):
        return []
    return _values(part, [str(value) for value in values], resolved)


def _files(call: Call, part: Json, values: list[Any], channel: Json, resolved: Resolved) -> list[str]:
    wanted = [file for file in call.files if str(file.slot) in map(str, values)]
    if not part.get("min_values", 1) <= len(wanted) <= part.get("max_values", 1) and (
        wanted or part.get("required", True)
    ):
        raise ApiError(400, 50035)
    kept = [keep_file(call.world, channel["id"], file, {}) for file in wanted]
    for attachment in kept:
        resolved.attachment(attachment)
    return [attachment["id"] for attachment in kept]
