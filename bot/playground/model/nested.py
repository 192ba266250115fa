"""Reading the formats that nest: `json`, `compact_json` and `toon`."""

from bot.playground.model.view import Hud


def read_nested(text: str) -> Hud | None:
    """Everything a nested HUD tells; None when the text holds none."""
    return None
