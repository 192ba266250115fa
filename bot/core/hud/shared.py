"""What several agents of one call see together: each room once, each entry of the directory once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from bot.core.hud.sheet import Place, Sheet
from bot.core.hud.values import entries
from bot.core.records import Json, Message, MessageId


def seen_once(sheets: Sequence[Sheet]) -> list[Place]:
    """Give each room that one of the agents sees, with all that any of them sees of it."""
    seen: dict[int, list[Place]] = {}
    for sheet in sheets:
        for place in sheet.places:
            seen.setdefault(place.id, []).append(place)
    return [_together(seen[id]) for id in sorted(seen)]


def _together(places: Sequence[Place]) -> Place:
    """Windows all end with the newest message, so the longest holds the others; long messages are least cut."""
    longest = max(places, key=lambda place: len(place.messages))
    fullest: dict[MessageId, Message] = {}
    for place in places:
        for message in place.messages:
            if message.id not in fullest or len(message.content) > len(fullest[message.id].content):
                fullest[message.id] = message
    shown = tuple(fullest[message.id] for message in longest.messages)
    view = longest.view
    if any(place.view.checkpoint is None for place in places):  # it covers what one of them may not know
        view = replace(view, checkpoint=None)
    return replace(longest, view=view, messages=shown, detail=min(place.detail for place in places))


def joined_directory(sheets: Sequence[Sheet]) -> list[Json]:
    """Give every entry that one of the agents sees, by id, as fully as any sees it."""
    joined: dict[int, dict[str, Json]] = {}
    for sheet in sheets:
        for entry in entries(sheet.sections["directory"]):
            id = cast(int, entry["id"])
            if len(entry) >= len(joined.get(id, {})):
                joined[id] = entry
    return [joined[id] for id in sorted(joined)]
