"""Who lives here: the directory of agents and their rooms."""

from collections.abc import Collection, Iterable
from typing import Final

from bot.core.hud.escape import whole
from bot.core.kinds import Visibility
from bot.core.records import ARCHITECT_ID, ARCHITECT_NAME, AgentId, Json
from bot.core.view import Outline

EVERYONE, NEIGHBOURS, NAMES, NOBODY = 0, 1, 2, 3
MOST_NAMES: Final = 100
LAST_LINES, MOST_SPEAKERS = 30, 12


def neighbours(view: Outline, room_ids: Iterable[AgentId]) -> set[AgentId]:
    """Give the agents that are in one of these rooms."""
    return {member for room in room_ids if room in view.rooms for member in view.rooms[room].members}


def shown_directory(view: Outline, agent_id: AgentId, room_ids: Iterable[AgentId], level: int) -> list[Json]:
    """Give the directory's entries by id: of everyone, of agents of shared rooms, with their names only, or none.

    Retired agents stand in it only where they are still in a room, so that their words have a name.
    """
    if level == NOBODY:
        return []
    inside = frozenset(room_ids)
    near = neighbours(view, inside) | {agent_id}
    shown: list[Json] = [architect(level)]
    shown += [
        entry(view, id_, level, inside)
        for id_ in sorted(view.agents)
        if id_ in near or (level == EVERYONE and view.agents[id_].retired_at is None)
    ]
    return shown[:MOST_NAMES] if level == NAMES else shown


def speakers(view: Outline, agent_id: AgentId, room_ids: Iterable[AgentId]) -> list[Json]:
    """Give the names of the other agents that spoke last in these rooms, so that their words have one."""
    rooms = [view.rooms[room_id] for room_id in room_ids if room_id in view.rooms]
    said = (one for room in rooms for one in view.visible(agent_id, room)[-LAST_LINES:])
    ids = {one.sender.agent_id for one in said if one.sender.agent_id in view.agents} - {agent_id, None}
    shown: list[Json] = [entry(view, id_, NAMES) for id_ in sorted(id_ for id_ in ids if id_ is not None)]
    return shown[:MOST_SPEAKERS]


def architect(level: int = EVERYONE) -> dict[str, Json]:
    """Give the entry of the id that stands for all who run the server."""
    named: dict[str, Json] = {"id": ARCHITECT_ID, "name": ARCHITECT_NAME}
    return named if level == NAMES else named | {"type": "people", "topic": "", "access": "every room"}


def entry(
    view: Outline, agent_id: AgentId, level: int = EVERYONE, inside: Collection[AgentId] = frozenset()
) -> dict[str, Json]:
    """Give one agent's entry: id, name, type, topic, access.

    What a private room talks about stands only where the room itself is shown: `inside` are those rooms.
    """
    agent, room = view.agents[agent_id], view.all_rooms.get(agent_id)
    shown: dict[str, Json] = {"id": agent_id, "name": whole(agent.name)}
    if level == NAMES:
        return shown
    is_told = room is not None and (room.visibility is Visibility.PUBLIC or agent_id in inside)
    topic = whole(room.topic[:120]) if room and is_told else ""
    access = "retired" if agent.retired_at else room.access.value if room else ""
    return shown | {"type": agent.type.value, "topic": topic, "access": access}
