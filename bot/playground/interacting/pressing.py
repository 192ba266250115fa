"""Buttons and selects of messages, as a person uses them."""

from bot.playground.call import Call
from bot.playground.errors import invalid
from bot.playground.forms import ListOf, Text, fitted
from bot.playground.interacting.resolving import Resolved
from bot.playground.kinds import SELECTS, Part
from bot.playground.rows import Json
from bot.playground.writing.components import walk

VALUES = ListOf(item=Text(0, 100))


def read_press(call: Call, row: Json, channel: Json, data: Json) -> Json:
    """Give the data the bot gets for a button or select of a message."""
    custom_id = fitted(Text(1, 100), data.get("custom_id"), "data", "custom_id")
    part = next((p for p in walk(row.get("components", [])) if p.get("custom_id") == custom_id), None)
    if part is None or part.get("disabled") or part["type"] != data.get("component_type", part["type"]):
        raise invalid("data.custom_id", "COMPONENT_VALIDATION_FAILED", "Component validation failed")
    said: Json = {"custom_id": custom_id, "component_type": part["type"], "id": part["id"]}
    if part["type"] not in SELECTS:
        return said
    resolved = Resolved(call.world, channel, call.me)
    said["values"] = chosen(part, fitted(VALUES, data.get("values") or [], "data", "values"), resolved)
    return said | ({"resolved": resolved.found} if resolved.found else {})


def chosen(part: Json, values: list[str], resolved: Resolved) -> list[str]:
    """Give the values, when they can be chosen from this select."""
    most = len(part["options"]) if part["type"] == Part.CHECKS else 1
    low, high = part.get("min_values", 1), part.get("max_values", most)
    fits = low <= len(values) <= high and len(set(values)) == len(values)
    if not fits or not all(_is_there(part, value, resolved) for value in values):
        raise invalid("data.values", "COMPONENT_VALIDATION_FAILED", "Component validation failed")
    return values


def _is_there(part: Json, value: str, resolved: Resolved) -> bool:
    match part["type"]:
        case Part.STRING | Part.CHECKS:
            return value in [option["value"] for option in part["options"]]
        case Part.USER:
            return resolved.user(value)
        case Part.ROLE:
            return resolved.role(value)
        case Part.CHANNEL:
            return resolved.channel(value, part.get("channel_types"))
    return resolved.user(value) or resolved.role(value)
