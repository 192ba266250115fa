"""What several agents of one call see together: each room once, each entry of the directory once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from bot.core.hud.agent_hud import AgentHud, ShownRoom
from bot.core.hud.values import entries
from bot.core.records import Json, Message, MessageId


def seen_once(agent_huds: Sequence[AgentHud]) -> list[ShownRoom]:
    """Give each room that one of the agents sees, with all that any of them sees of it."""
    seen: dict[int, list[ShownRoom]] = {}
    for agent_hud in agent_huds:
        for place in agent_hud.shown_rooms:
            seen.setdefault(place.id, []).append(place)
    return [_together(seen[id_]) for id_ in sorted(seen)]


def _together(shown_rooms: Sequence[ShownRoom]) -> ShownRoom:
    """Windows all end with the newest message, so the longest holds the others; long messages are least cut."""
    longest = max(shown_rooms, key=lambda place: len(place.messages))
    fullest: dict[MessageId, Message] = {}
    for place in shown_rooms:
        for message in place.messages:
            if message.id not in fullest or len(message.content) > len(fullest[message.id].content):
                fullest[message.id] = message
    shown = tuple(fullest[message.id] for message in longest.messages)
    view = longest.view
    if any(place.view.checkpoint is None for place in shown_rooms):  # it covers what one of them may not know
        view = replace(view, checkpoint=None)
    return replace(longest, view=view, messages=shown, detail=min(place.detail for place in shown_rooms))


def joined_directory(agent_huds: Sequence[AgentHud]) -> list[Json]:
    """Give every entry that one of the agents sees, by id, as fully as any sees it."""
    joined: dict[int, dict[str, Json]] = {}
    for agent_hud in agent_huds:
        for entry in entries(agent_hud.sections["directory"]):
            id_ = cast(int, entry["id"])
            if len(entry) >= len(joined.get(id_, {})):
                joined[id_] = entry
    return [joined[id_] for id_ in sorted(joined)]
