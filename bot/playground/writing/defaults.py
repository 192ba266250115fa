"""What Discord adds to components that were sent without it."""

from collections.abc import Callable

from bot.playground.kinds import SELECTS, Part
from bot.playground.rows import Json
from bot.playground.writing.components import walk

DEFAULTS: dict[int, Json] = {
    Part.CONTAINER: {"accent_color": None, "spoiler": False},
    Part.SEPARATOR: {"spacing": 1, "divider": True},
    Part.THUMBNAIL: {"description": None, "spoiler": False},
    Part.FILE: {"name": None, "size": None, "spoiler": False},
    **{kind: {"min_values": 1, "max_values": 1} for kind in SELECTS},
}
ITEM: Json = {"description": None, "spoiler": False}


def complete(parts: list[Json], new_id: Callable[[], str]) -> None:
    """Fill in what is missing, in place; media get ids of their own."""
    for part in walk(parts):
        _add(part, DEFAULTS.get(part["type"], {}))
        for item in part.get("items", ()):
            _add(item, ITEM)
            _complete_media(item["media"], new_id)
        for name in ("media", "file"):
            if name in part:
                _complete_media(part[name], new_id)


def _add(part: Json, missing: Json) -> None:
    for name, value in missing.items():
        part.setdefault(name, value)


def _complete_media(media: Json, new_id: Callable[[], str]) -> None:
    _add(media, {"id": new_id(), "proxy_url": media["url"]})
