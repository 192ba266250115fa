"""What Discord adds to components that were sent without it."""

from collections.abc import Callable
from typing import Any

from bot.playground.writing import parts as kinds
from bot.playground.writing.components import walk

Json = dict[str, Any]

DEFAULTS: dict[int, Json] = {
    kinds.CONTAINER: {"accent_color": None, "spoiler": False},
    kinds.SEPARATOR: {"spacing": 1, "divider": True},
    kinds.THUMBNAIL: {"description": None, "spoiler": False},
    kinds.FILE: {"name": None, "size": None, "spoiler": False},
    **{kind: {"min_values": 1, "max_values": 1} for kind in kinds.SELECTS},
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
