"""Agents, rooms and who may enter them, as they stand at one moment."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.core.circumstances import Circumstances, Inquiry
from bot.core.records import (
    AccessKey,
    AccessRequest,
    AgentId,
    CommunityId,
    MessageId,
    Mind,
    MindId,
    Room,
    Schedule,
    Snowflake,
)
from bot.core.view import Belongings, Glance, Roster, Subject, ToPost, View


class Agents(Protocol):
    """Agents, and what they will say later."""

    async def names(self, community_id: CommunityId) -> Mapping[AgentId, str]:
        """Give every agent's name, in the order of their ids: what can be asked at every key that is typed."""

    async def channels(self, community_id: CommunityId) -> Mapping[AgentId, Snowflake | None]:
        """Give the channel of every agent's own room; None where it is still to be made."""

    async def schedules(self, community_id: CommunityId, agent_id: AgentId) -> Sequence[Schedule]:
        """Give what an agent will say later, soonest first."""

    async def schedules_due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, Schedule]]:
        """Give scheduled messages of all communities whose time has come, the oldest first."""


class WritableAgents(Agents, Protocol):
    """Agents, and their end."""

    async def delete(self, community_id: CommunityId, agent_id: AgentId, at: datetime) -> None:
        """Delete an agent for good with its room and all that was said there; its id stays used.

        Where that is much, nobody sees the room from now on, and the rest goes in short transactions by itself.
        """

    async def is_going(self, community_id: CommunityId, agent_id: AgentId) -> bool:
        """Tell whether an agent was deleted of which not everything is gone yet."""


class Rooms(Protocol):
    """Rooms and the private threads in them."""

    async def of_channel(self, community_id: CommunityId, channel_id: Snowflake) -> AgentId | None:
        """Find a room by its channel."""

    async def unnamed_threads(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Snowflake]:
        """Give the threads of a room of which only the ids are known: whether they are private is not."""

    async def threads(self, community_id: CommunityId) -> Sequence[Room]:
        """Give all private threads that are known, those that were closed left out: there may be very many."""

    async def threads_told(self, community_id: CommunityId) -> Sequence[AgentId]:
        """Give the private threads in which a fault was told that lasts."""

    async def living_threads(self, community_id: CommunityId, room_id: AgentId) -> frozenset[AgentId]:
        """Give the private threads of a room in which anybody of us is."""

    async def heard(self, community_id: CommunityId, thread_ids: Collection[AgentId]) -> frozenset[AgentId]:
        """Give those of these private threads in which anybody of us is."""


class WritableRooms(Rooms, Protocol):
    """Rooms, and private threads that come and go."""

    async def add_thread(
        self, community_id: CommunityId, room_id: AgentId, channel_id: Snowflake, *, name: str, at: datetime
    ) -> AgentId:
        """Make a private thread a place of its own beside its room, and let the room's members into it; gives its id.

        One that is there gets its members back.
        """

    async def leave_thread(self, community_id: CommunityId, thread_id: AgentId) -> None:
        """Let all agents leave a private thread with what they would still say there; what was said stays."""

    async def name_thread(self, community_id: CommunityId, room_id: AgentId, thread_id: Snowflake, name: str) -> None:
        """Keep of what thread the messages of a room are that were said in it."""

    async def forget_thread(self, community_id: CommunityId, room_id: AgentId, thread_id: Snowflake) -> bool:
        """Remove some of what is stored in a room of one of its threads, everywhere; it may come in again.

        Tells whether all is gone; the rest goes on by itself.
        """

    async def close_thread(self, community_id: CommunityId, thread_id: AgentId) -> None:
        """Let all agents leave a private thread that is no more, and remove what they kept on its side."""

    async def close_threads_in(self, community_id: CommunityId, room_id: AgentId) -> None:
        """Do the same with all private threads of a room at once."""


class Access(Protocol):
    """Keys, and who knocks."""

    async def keys(self, community_id: CommunityId) -> Sequence[AccessKey]:
        """Give every key that there was in a community, without who holds it."""

    async def knocks(self, community_id: CommunityId) -> Sequence[AccessRequest]:
        """Give the pending access requests of a community, oldest first."""


class Views(Protocol):
    """A community as it stands at one moment."""

    async def whole(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId] = (),
        room_ids: Sequence[AgentId] = (),
        messages: int = 200,
        minds: Collection[MindId] | None = (),
    ) -> View:
        """Give what a slot needs of these agents (and their rooms) or of these rooms, in a fixed number of queries.

        `messages`: how many of the newest per room at most; `minds`: which are read too (None: all of these agents)
        """

    async def minds(self, community_id: CommunityId, minds: Collection[MindId]) -> Belongings:
        """Give some minds as `whole` gives them."""

    def each_mind(self, community_id: CommunityId, agent_ids: Collection[AgentId]) -> AsyncIterator[Mind]:
        """Give what agents know and have in view on every side, one mind after the other: many may be large."""

    async def mind_sizes(self, community_id: CommunityId, minds: Collection[MindId]) -> Mapping[MindId, int]:
        """Give how many characters there are to each of some minds, about; none of which nothing was written."""

    async def roster(
        self, community_id: CommunityId, *, agent_ids: Collection[AgentId] = (), room_ids: Collection[AgentId] = ()
    ) -> Roster:
        """Give no more than these agents, whole, and these rooms, as far as they are there."""

    async def to_post(self, community_id: CommunityId, *, message_id: MessageId, room_id: AgentId) -> ToPost | None:
        """Give what a message is posted with, in a room or a private thread; None for one that is gone."""

    async def glance(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId] = (),
        room_ids: Sequence[AgentId] = (),
        messages: int,
        letters: bool = True,
        summaries: bool = False,
    ) -> Glance:
        """Give only what gates, floors, reasons and plain talk need of these agents (and their rooms) and rooms.

        `letters`: with what is still to be posted; `summaries`: with the newest summary of each room.
        """

    async def action_view(
        self,
        community_id: CommunityId,
        *,
        agent_ids: Sequence[AgentId],
        room_ids: Sequence[AgentId],
        doors: bool,
        minds: Collection[MindId] | None = (),
    ) -> Subject:
        """Give what actions look at and change, with keys and requests if `doors`.

        `minds`: which are read too, without what was done and looked up last (None: all of these agents).
        """


class Inquiries(Protocol):
    """What actions depend on beside the view."""

    async def answer(self, community_id: CommunityId, inquiry: Inquiry) -> Circumstances:
        """Answer what a few actions depend on beside the view, all at once."""
