"""How much of which rooms a view holds: what its agents could be shown, divided by their attention."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bot.core.attention import allot, shares
from bot.core.records import AgentId, CommunityId, Membership, Message

Pair = tuple[AgentId, AgentId]  # agent, room
Counts = Mapping[AgentId, int]  # of all messages, by room
# Of a view, in all its rooms: no HUD shows more, and many full rooms would take seconds and hundreds of megabytes.
MOST_MESSAGES, MOST_CHARACTERS = 8_000, 2_000_000
LEAST_OF_A_ROOM = 50  # or as many as are asked for
SPARE = 3  # times what fills an agent's budget is read of all its rooms together: most lines are short


@dataclass(frozen=True, slots=True)
class Asked:
    """What a view is asked for: agents, and all rooms that come with them."""

    community_id: CommunityId
    agents: Collection[AgentId]
    rooms: Collection[AgentId]
    messages: int


def is_even(asked: Asked) -> bool:
    """Tell whether as many messages of each room are read as are asked for, whatever there is."""
    few = not asked.agents and len(asked.rooms) * asked.messages <= MOST_MESSAGES
    return few or asked.messages <= LEAST_OF_A_ROOM


def most_of_each(asked: Asked, counts: Counts, memberships: Mapping[Pair, Membership]) -> dict[AgentId, int]:
    """Give how many messages of each room are read: what an agent can be shown is divided by its attention.

    A room has as many as it may need for all of an agent's budget where the others leave theirs.
    """
    bound = of_each((counts[room] for room in asked.rooms), asked.messages)
    mine: dict[AgentId, list[Membership]] = {agent: [] for agent in asked.agents}
    for (agent, room), one in memberships.items():
        if agent in mine and room in asked.rooms:
            mine[agent].append(one)
    alone = set(asked.rooms).difference(one.room_id for seats in mine.values() for one in seats)
    most = dict.fromkeys(alone, bound)
    for seats in mine.values():
        all_of_it = {one.room_id: min(counts[one.room_id], bound) for one in seats}
        nothing = dict.fromkeys(all_of_it, 0)
        for room, number in allot(SPARE * asked.messages, shares(seats), nothing, all_of_it).items():
            most[room] = max(most.get(room, 0), number, min(all_of_it[room], LEAST_OF_A_ROOM))
    return most


def alike(most: Mapping[AgentId, int], counts: Counts) -> list[tuple[int, list[AgentId]]]:
    """Give the rooms by how many messages are read of each, so that few statements read them; the fewest first.

    Those that are read whole come with those of which most is read: they have no more.
    """
    largest = max(most.values(), default=0)
    found: dict[int, list[AgentId]] = {}
    for room in sorted(most):
        rounded = LEAST_OF_A_ROOM if most[room] < counts[room] else largest
        while rounded < most[room]:
            rounded *= 2
        found.setdefault(min(rounded, largest), []).append(room)
    return sorted(found.items())


def size(message: Message) -> int:
    """Give what a message counts for among the characters of a view, about as its statement has it."""
    return len(message.content) + sum(len(one.name) + len(one.url) + len(one.text or "") for one in message.attachments)


def of_each(counts: Iterable[int], wanted: int) -> int:
    """Give how many messages of each room are read so that all rooms together have no more than a view may hold."""
    left, rooms = MOST_MESSAGES, sorted(counts)
    for place, count in enumerate(rooms):
        share = left // (len(rooms) - place)
        if count > share:
            return min(wanted, max(LEAST_OF_A_ROOM, share))
        left -= min(count, wanted)
    return wanted
