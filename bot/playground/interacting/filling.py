"""Forms as a person sends them: every input checked against the form that was opened."""

from collections.abc import Iterator

from bot.playground.call import Call
from bot.playground.errors import ApiError, invalid
from bot.playground.forms import fitted
from bot.playground.interacting.pressing import VALUES, chosen
from bot.playground.interacting.resolving import Resolved
from bot.playground.kinds import Part
from bot.playground.rows import Json
from bot.playground.writing.attachments import keep_file


def read_form(call: Call, modal: Json, channel: Json, data: Json) -> Json:
    """Give the data the bot gets for a form: every input of it, filled in or not."""
    given = {part["custom_id"]: part for part in _sent(data.get("components"))}
    filling = _Filling(call, channel, given)
    said: Json = {"custom_id": modal["custom_id"], "components": [filling.part(p) for p in modal["components"]]}
    return said | ({"resolved": filling.resolved.found} if filling.resolved.found else {})


def _sent(part: object) -> Iterator[Json]:
    """Give every input that was filled in, wherever it lies."""
    if isinstance(part, list):
        for inner in part:
            yield from _sent(inner)
    elif isinstance(part, dict):
        if isinstance(part.get("custom_id"), str):
            yield part
        yield from _sent([part.get("components"), part.get("component")])


class _Filling:
    """Puts a person's answers into the parts of a form."""

    def __init__(self, call: Call, channel: Json, given: dict[str, Json]) -> None:
        self._call = call
        self._channel = channel
        self._given = given
        self.resolved = Resolved(call.world, channel, call.me)

    def part(self, part: Json) -> Json:
        """Give one part as the bot gets it."""
        said: Json = {"type": part["type"], "id": part["id"]}
        if "components" in part:
            return said | {"components": [self.part(inner) for inner in part["components"]]}
        if "component" in part:
            return said | {"component": self.part(part["component"])}
        if "custom_id" not in part:
            return said
        return said | {"custom_id": part["custom_id"]} | self._answer(part)

    def _answer(self, part: Json) -> Json:
        given = self._given.get(part["custom_id"], {})
        match part["type"]:
            case Part.TEXT_INPUT:
                return {"value": _text(part, given.get("value"))}
            case Part.RADIO:
                return {"value": _one(part, given.get("value"))}
            case Part.CHECK:
                return {"value": bool(given.get("value"))}
        values = fitted(VALUES, given.get("values") or [], part["custom_id"])
        if not values and not part.get("required", True):
            return {"values": []}
        if part["type"] == Part.UPLOAD:
            return {"values": self._files(part, values)}
        return {"values": chosen(part, values, self.resolved)}

    def _files(self, part: Json, slots: list[str]) -> list[str]:
        files = [file for file in self._call.files if str(file.slot) in slots]
        if not part.get("min_values", 1) <= len(files) <= part.get("max_values", 1):
            raise ApiError(400, 50035)
        kept = [keep_file(self._call.world, self._channel["id"], file) for file in files]
        for attachment in kept:
            self.resolved.attachment(attachment)
        return [attachment["id"] for attachment in kept]


def _text(part: Json, value: object) -> str:
    low, high = part.get("min_length", 0), part.get("max_length", 4000)
    text = "" if value is None else str(value)
    if not text and part.get("required", True):
        raise invalid(part["custom_id"], "BASE_TYPE_REQUIRED", "This field is required")
    if text and not low <= len(text) <= high:
        raise invalid(part["custom_id"], "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")
    return text


def _one(part: Json, value: object) -> str | None:
    if value is None and not part.get("required", True):
        return None
    if value not in [option["value"] for option in part["options"]]:
        raise invalid(part["custom_id"], "COMPONENT_VALIDATION_FAILED", "Component validation failed")
    return str(value)
