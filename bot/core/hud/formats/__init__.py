"""The ways to write a HUD down, and to read it back: a format is a module here, named as in `InputFormat`."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from bot.core.hud.agent_hud import HudFormat
from bot.core.kinds import InputFormat
from bot.core.records import Json

FORMATS: Final[Mapping[InputFormat, HudFormat]] = {
    name: import_module(f"{__name__}.{name}").FORMAT for name in InputFormat
}
"""What each of the modules has under the name FORMAT."""


def read_document(text: str) -> dict[str, Json] | None:
    """Read a HUD with its constant part in whichever format it is; None when the text is none."""
    for hud_format in FORMATS.values():
        if (document := hud_format.read(text)) and document.keys() & {"self", "agents"}:
            return document
    return None
