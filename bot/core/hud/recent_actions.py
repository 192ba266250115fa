"""Recent actions as they are shown: shortened, the newest last."""

from collections.abc import Mapping
from typing import Final

from bot.core.hud.escape import one_line
from bot.core.hud.knowledge import inline
from bot.core.hud.wording import timestamp
from bot.core.records import ActionRecord, Json

CHARACTERS: Final = 120  # of one value
PARAMETERS: Final = 6


def shown_action(record: ActionRecord, characters: int = CHARACTERS) -> dict[str, Json]:
    """Give an action as it is shown: type, time, key parameters, result or why it was rejected."""
    parameters: dict[str, Json] = {
        str(key): _short(value, characters) for key, value in list(record.parameters.items())[:PARAMETERS]
    }
    entry: dict[str, Json] = {"type": record.type, "time": timestamp(record.at), "parameters": parameters}
    if not record.accepted:
        return entry | {"rejected": _short(record.why or "not allowed", characters * 2)}
    return entry | {"result": _short(record.result, characters)} if record.result else entry


def _short(value: Json, characters: int) -> Json:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else inline(value)
    return text if len(text) <= characters else f"{text[: characters - 1]}…"


def action_line(entry: Mapping[str, Json]) -> str:
    """Give a shown action as its line: `[2026-11-20 10:31:22] set: people.Bob.trust = 0.8`."""
    parameters = entry.get("parameters")
    what = _worded(parameters) if isinstance(parameters, dict) and parameters else ""
    rejected, result = entry.get("rejected"), entry.get("result")
    end = f" -> rejected: {one_line(str(rejected))}" if rejected else f" -> {one_line(str(result))}" if result else ""
    return f"[{entry['time']}] {one_line(str(entry['type']))}{f': {what}' if what else ''}{end}\n"


def _worded(parameters: Mapping[str, Json]) -> str:
    if "path" in parameters and "value" in parameters:
        rest = {key: value for key, value in parameters.items() if key not in ("path", "value")}
        first = f"{one_line(str(parameters['path']))} = {inline(parameters['value'])}"
        return ", ".join([first, *([_worded(rest)] if rest else [])])
    return ", ".join(f"{one_line(key)} {inline(value)}" for key, value in parameters.items())
