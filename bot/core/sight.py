"""What of a community a person may see: nothing of rooms that Discord hides from them, nor of what goes on there."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from bot.core.ports.scenes import Scenes
from bot.core.records import Agent, AgentId, CommunityId
from bot.core.scenes.records import OPEN
from bot.core.view import Doors, Outline

Value = TypeVar("Value")
Look = TypeVar("Look", bound=Outline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """The rooms that are hidden from somebody, and the agents that are in one of them."""

    hidden_rooms: frozenset[AgentId] = frozenset()
    hidden_agents: frozenset[AgentId] = frozenset()

    def of(self, view: Look) -> Look:
        """Give a view without who is in hidden rooms, where those are, and what their members do."""
        if not self.hidden_rooms:
            return view
        seen = replace(
            view,
            agents={id_: self.of_agent(agent) for id_, agent in view.agents.items()},
            all_rooms={
                id_: replace(room, channel_id=None, topic="", billboard="") if id_ in self.hidden_rooms else room
                for id_, room in view.all_rooms.items()
            },
            rooms=self._shown(view.rooms),
            memberships={at: one for at, one in view.memberships.items() if at[1] not in self.hidden_rooms},
        )
        if isinstance(seen, Doors):
            return replace(seen, keys=self._shown(seen.keys), requests=self._shown(seen.requests))
        return seen

    def of_agent(self, agent: Agent) -> Agent:
        """Give an agent, at rest if it is in a hidden room: its pace and its beats would tell of what is said there."""
        return at_rest(agent) if agent.id in self.hidden_agents else agent

    def _shown(self, by_room: Mapping[AgentId, Value]) -> dict[AgentId, Value]:
        return {id_: value for id_, value in by_room.items() if id_ not in self.hidden_rooms}


def at_rest(agent: Agent) -> Agent:
    """Give an agent as if it were at rest."""
    return replace(
        agent,
        interval_seconds=agent.resting_interval_seconds,
        asleep_until=None,
        next_beat_at=None,
        last_beat_at=None,
        last_reason=None,
        beat_id=None,
        lease_until=None,
        failures_in_a_row=0,
        unusable_in_a_row=0,
        fault_told_at=None,
        backs_off_until=None,
    )


def members_of(view: Outline, rooms: Iterable[AgentId]) -> frozenset[AgentId]:
    """Give the agents that are in one of these rooms, of those that the view tells of."""
    wanted = frozenset(rooms)
    return frozenset(agent for agent, room in view.memberships if room in wanted)


async def insiders(
    scenes: Scenes, community_id: CommunityId, view: Outline, rooms: Collection[AgentId]
) -> frozenset[AgentId]:
    """Give the agents that are in one of these rooms, or sit in a scene that takes place there."""
    if not rooms:
        return frozenset()
    there = [scene for scene in await scenes.all(community_id, OPEN) if scene.room_id in rooms]
    sitting = (one for scene in there for one in (*scene.seats, *scene.watchers))
    seated = {one.agent_id for one in sitting if one.agent_id is not None}
    return members_of(view, rooms) | seated
