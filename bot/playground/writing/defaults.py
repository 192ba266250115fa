"""What Discord adds to components that were sent without it."""

from collections.abc import Callable
from typing import Any

from bot.playground.writing import components as kinds

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
    for part in kinds.walk(parts):
        for name, value in DEFAULTS.get(part["type"], {}).items():
            part.setdefault(name, value)
        for item in part.get("items", ()):
            for name, value in ITEM.items():
                item.setdefault(name, value)
            _complete_media(item["media"], new_id)
        for name in ("media", "file"):
            if name in part:
                _complete_media(part[name], new_id)
        for option in (part, *part.get("options", ())):
            if option.get("emoji"):
                option["emoji"] = {key: value for key, value in option["emoji"].items() if value is not None}


def _complete_media(media: Json, new_id: Callable[[], str]) -> None:
    media.setdefault("id", new_id())
    media.setdefault("proxy_url", media["url"])
