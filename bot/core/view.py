"""What one read gives a slot: all that its gates, plans and HUDs need, and nothing is asked for afterwards."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound
from bot.core.kinds import ReasonKind, Visibility
from bot.core.records import (
    ARCHITECT_ID,
    ARCHITECT_NAME,
    PUBLIC_SIDE,
    AccessKey,
    AccessRequest,
    Agent,
    AgentId,
    Checkpoint,
    Community,
    KeyId,
    Letter,
    Membership,
    Message,
    Mind,
    MindId,
    Reason,
    Room,
    Schedule,
    Side,
    Snowflake,
    Usage,
    WholeAgent,
)
from bot.core.sentences import Sentence

WHO_THEY_ARE = Sentence("the people who may manage this server, members of every room")
MayRead = Callable[[Room], Awaitable[bool]]  # whether who asks may read a private thread now


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomView:
    """A room with its newest messages (oldest first; those not yet posted are left out)."""

    room: Room
    members: tuple[AgentId, ...]  # the owner first, then by id
    messages: tuple[Message, ...] = ()
    older: int = 0  # how many stored messages come before `messages`
    checkpoint: Checkpoint | None = None  # the newest
    checkpoints: int = 0
    uncovered_tokens: int | None = None  # by no summary, about; None: as many as the messages tell


# What a look holds is told by its type: nothing that was not read can be mistaken for what is not there.
@dataclass(frozen=True, kw_only=True)
class Roster:
    """Agents and rooms: those that were asked for, at least."""

    community: Community
    config: CommunityConfig
    agents: Mapping[AgentId, Agent]
    all_rooms: Mapping[AgentId, Room]

    def whole_agent(self, agent_id: AgentId) -> WholeAgent:
        """Give an agent with its prompt; a LookupError where that was not read, for it was not asked for."""
        agent = self.agents[agent_id]
        if not isinstance(agent, WholeAgent):
            raise LookupError(f"the prompt of agent {agent_id} was not read")
        return agent

    def is_thread(self, side: Side) -> bool:
        """Tell whether a side is that of a private thread; one that is not in view may be."""
        if side == PUBLIC_SIDE:
            return False
        place = self.all_rooms.get(AgentId(side))
        return place is None or place.thread_of is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToPost:
    """What is to be posted, with who speaks and where.

    `last_posted`: the newest confirmed id there; `earlier_at`: when the agents' post was confirmed that is as many back
    as the room takes in a minute.
    """

    view: Roster
    message: Message
    answered: Message | None = None
    last_posted: Snowflake | None = None
    earlier_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Outline(Roster):
    """Who is where: the rooms that were asked for, and those of the agents that were, are in `rooms`.

    Of private threads `all_rooms` has only those that were asked for and those in which the asked agents are.
    """

    rooms: Mapping[AgentId, RoomView]
    memberships: Mapping[tuple[AgentId, AgentId], Membership]  # (agent, room)

    @cached_property
    def _joined(self) -> Mapping[AgentId, Sequence[AgentId]]:
        """The rooms in which each agent is: asked of everyone, they are looked through once."""
        joined: dict[AgentId, list[AgentId]] = {}
        for agent_id, room_id in self.memberships:
            joined.setdefault(agent_id, []).append(room_id)
        return joined

    def joined(self, agent_id: AgentId) -> Sequence[AgentId]:
        """Give the rooms in which an agent is, on all sides."""
        return self._joined.get(agent_id, ())

    def rooms_of(self, agent_id: AgentId, side: Side = PUBLIC_SIDE) -> tuple[RoomView, ...]:
        """Give the rooms an agent is in on one side of the barrier, its own first, then by id."""
        mine = (view for room in self.joined(agent_id) if (view := self.rooms.get(room)))
        shown = [view for view in mine if view.room.side == side]
        return tuple(sorted(shown, key=lambda view: (view.room.id != agent_id, view.room.id)))

    def visible(self, agent_id: AgentId, room: RoomView) -> tuple[Message, ...]:
        """Give the loaded messages the agent may see: in a private room only those since it joined."""
        membership = self.memberships[agent_id, room.room.id]
        if room.room.visibility is Visibility.PUBLIC or room.room.id == agent_id:
            return room.messages
        return tuple(message for message in room.messages if message.id > membership.joined_after)


@dataclass(frozen=True, kw_only=True)
class Glance(Outline):
    """What gates, floors and reasons need of some agents and rooms, and all members of these."""

    unposted: Mapping[AgentId, tuple[Letter, ...]] = field(default_factory=dict)  # by room
    being_posted: Mapping[AgentId, tuple[Message, ...]] = field(default_factory=dict)  # the words of `unposted`
    reasons: Mapping[AgentId, tuple[Reason, ...]] = field(default_factory=dict)  # waiting or claimed, of all members

    @cached_property
    def _speaking(self) -> Mapping[AgentId, Collection[AgentId]]:
        """The rooms in which words of each agent are still to be posted: asked of everyone, looked through once."""
        rooms: dict[AgentId, dict[AgentId, None]] = {}
        for room_id, messages in self.being_posted.items():
            for one in messages:
                if one.sender.agent_id is not None:
                    rooms.setdefault(one.sender.agent_id, {})[room_id] = None
        return rooms

    def speaking_in(self, agent_id: AgentId) -> Collection[AgentId]:
        """Give the rooms in which the agent said something that is still to be posted."""
        return self._speaking.get(agent_id, ())

    def own_words(self, agent_id: AgentId, room_id: AgentId) -> tuple[Message, ...]:
        """Give what the agent said in a room that is still to be posted there, oldest first."""
        return tuple(one for one in self.being_posted.get(room_id, ()) if one.sender.agent_id == agent_id)


@dataclass(frozen=True, kw_only=True)
class Doors:
    """Keys (by room and by holder) and pending requests (by room)."""

    keys: Mapping[AgentId, tuple[AccessKey, ...]] = field(default_factory=dict)
    held_keys: Mapping[AgentId, tuple[AccessKey, ...]] = field(default_factory=dict)
    requests: Mapping[AgentId, tuple[AccessRequest, ...]] = field(default_factory=dict)


def carried_by(agent_id: AgentId, side: Side) -> frozenset[MindId]:
    """Name what an agent carries into a beat: what belongs to its side, and what it knows in the open."""
    return frozenset({(agent_id, side), (agent_id, PUBLIC_SIDE)})


@dataclass(frozen=True, kw_only=True)
class Belongings:
    """What agents carry: the minds that were `looked_into` (None: all of the agents that were asked for)."""

    minds: Mapping[MindId, Mind] = field(default_factory=dict)
    looked_into: frozenset[MindId] | None = None

    def mind_of(self, agent_id: AgentId, side: Side = PUBLIC_SIDE) -> Mind:
        """Give what the agent carries on that side; an empty mind when nothing was written yet.

        Raises LookupError where nobody looked.
        """
        if self.looked_into is not None and (agent_id, side) not in self.looked_into:
            raise LookupError(f"what agent {agent_id} carries on side {side} was not read")
        return self.minds.get((agent_id, side)) or Mind(agent_id=agent_id, side=side)


@dataclass(frozen=True, kw_only=True)
class Subject(Outline, Belongings):
    """What actions look at and change: everyone, what some agents carry, and the doors when they were asked for."""

    doors: Doors | None = None

    @property
    def opened(self) -> Doors:
        """The doors; a LookupError where they were not asked for."""
        if self.doors is None:
            raise LookupError("the doors were not asked for")
        return self.doors


@dataclass(frozen=True, kw_only=True)
class View(Glance, Doors, Belongings):
    """One community as it stands at one moment, with all that HUDs show.

    `agents` and `all_rooms` hold everyone's, for the directory; secrets only of rooms whose owners are asked alone.
    Agents that were asked for, by their rooms too, are whole.
    """

    schedules: Mapping[AgentId, tuple[Schedule, ...]] = field(default_factory=dict)  # by agent, soonest first
    secrets: Mapping[KeyId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What some agents did in a stretch of time; `calls` are model calls, `answers` the messages they said."""

    beats: Mapping[ReasonKind, int]
    silent: int
    calls: int
    answers: int
    usage: Usage


def agent_named(agents: Iterable[Agent], typed: str) -> Agent:
    """Find an agent by its id or its name, ignoring case; raises NotFound when there is none."""
    wanted = typed.strip().removeprefix("#").casefold()
    if wanted in (str(ARCHITECT_ID), ARCHITECT_NAME.casefold()):
        raise NotFound(
            Sentence(
                "{architect_id} is {architect_name}: {who_they_are}. Name an agent.",
                architect_id=ARCHITECT_ID,
                architect_name=ARCHITECT_NAME,
                who_they_are=WHO_THEY_ARE,
            )
        )
    for agent in agents:
        if wanted in (str(agent.id), agent.name.casefold()):
            return agent
    raise NotFound(
        Sentence("There is no agent {typed} here: give the name or the id of one that is.", typed=repr(typed))
    )
