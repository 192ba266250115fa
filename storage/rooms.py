"""Rooms by channel, and private threads: places in a room, whose members hear them while the bot is in them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, or_, select, update

from bot.core.kinds import Access, LetterState, Visibility
from bot.core.records import AgentId, CommunityId, Membership, MessageId, Room, Snowflake
from storage.beats import recount
from storage.convert import columns_of, plain
from storage.emptying import agent, empty, place, places_in, thread
from storage.inline import unhurried
from storage.prepared import Prepared, Question
from storage.session import Session, owned
from storage.tables import (
    DEPARTURES,
    LETTERS,
    MEMBERSHIPS,
    MESSAGES,
    REASONS,
    ROOMS,
    SCHEDULES,
)

THREADS_AT_A_TIME = 200  # that become records between two turns of the loop
OPEN = (LetterState.WAITING.value, LetterState.SENDING.value, LetterState.HELD.value)
OF_CHANNEL = Prepared(
    select(ROOMS.c.id).where(ROOMS.c.community_id == bindparam("its"), ROOMS.c.channel_id == bindparam("channel"))
)
SEAT = ("community_id", "room_id", "agent_id")


def of_channel(community_id: CommunityId, channel_id: Snowflake) -> Question:
    """Ask which room a channel is."""
    return OF_CHANNEL, {"its": community_id, "channel": channel_id}


@dataclass(frozen=True, slots=True)
class SqlRooms:
    """Rooms, and private threads that come and go."""

    session: Session

    async def of_channel(self, community_id: CommunityId, channel_id: Snowflake) -> AgentId | None:
        found: AgentId | None = await self.session.value(*of_channel(community_id, channel_id))
        return found

    async def unnamed_threads(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Snowflake]:
        said = (owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, MESSAGES.c.thread_id.is_not(None))
        asked = select(MESSAGES.c.thread_id).distinct().where(*said, MESSAGES.c.thread_name.is_(None))
        return [Snowflake(row[0]) for row in await self.session.rows(asked.order_by(MESSAGES.c.thread_id))]

    async def threads(self, community_id: CommunityId) -> Sequence[Room]:
        known = (owned(ROOMS, community_id), ROOMS.c.thread_of.is_not(None), ROOMS.c.channel_id.is_not(None))
        found: list[Room] = []
        async for page in self.session.pages(select(ROOMS).where(*known).order_by(ROOMS.c.id), THREADS_AT_A_TIME):
            found += [plain(Room, row) for row in page]
        return found

    async def threads_told(self, community_id: CommunityId) -> Sequence[AgentId]:
        told = (ROOMS.c.thread_of.is_not(None), ROOMS.c.channel_id.is_not(None), ROOMS.c.fault_told_at.is_not(None))
        asked = select(ROOMS.c.id).where(owned(ROOMS, community_id), *told)
        return [AgentId(row[0]) for row in await self.session.rows(asked.order_by(ROOMS.c.id))]

    async def living_threads(self, community_id: CommunityId, room_id: AgentId) -> frozenset[AgentId]:
        there = (ROOMS.c.thread_of == room_id, ROOMS.c.channel_id.is_not(None))
        asked = select(ROOMS.c.id).where(owned(ROOMS, community_id), *there)
        return await self.heard(community_id, [row[0] for row in await self.session.rows(asked)])

    async def heard(self, community_id: CommunityId, thread_ids: Collection[AgentId]) -> frozenset[AgentId]:
        within = self.session.is_one_of(MEMBERSHIPS.c.room_id, thread_ids)
        asked = select(MEMBERSHIPS.c.room_id).distinct().where(owned(MEMBERSHIPS, community_id), within)
        return frozenset(row[0] for row in await self.session.rows(asked))

    async def add_thread(
        self, community_id: CommunityId, room_id: AgentId, channel_id: Snowflake, *, name: str, at: datetime
    ) -> AgentId:
        known = await self.session.value(
            select(ROOMS.c.id).where(owned(ROOMS, community_id), ROOMS.c.channel_id == channel_id)
        )
        thread_id = AgentId(known if known is not None else self.session.ids.take("agent"))
        if known is not None:
            this = and_(owned(ROOMS, community_id), ROOMS.c.id == known, ROOMS.c.thread_name != name)
            await self.session.run(update(ROOMS).where(this).values(thread_name=name))
        else:
            thread = Room(
                community_id=community_id,
                id=thread_id,
                thread_of=room_id,
                thread_name=name,
                channel_id=channel_id,
                access=Access.CLOSED,
                visibility=Visibility.PRIVATE,
            )
            await self.session.run(self.session.insert(ROOMS), columns_of(thread))
        await self._let_in(community_id, room_id, thread_id, at)
        return thread_id

    async def _let_in(self, community_id: int, room_id: int, thread_id: int, at: datetime) -> None:
        """The members of the room hear from now on what is said there, unless its owner does so already."""
        here = (owned(MEMBERSHIPS, community_id), MEMBERSHIPS.c.room_id.in_((room_id, thread_id)))
        seats = {
            (row[0], row[1])
            for row in await self.session.rows(select(MEMBERSHIPS.c.room_id, MEMBERSHIPS.c.agent_id).where(*here))
        }
        if (thread_id, room_id) in seats:
            return
        asked = select(func.max(MESSAGES.c.id)).where(owned(MESSAGES, community_id))
        newest = MessageId(await self.session.value(asked) or 0)
        seated = [
            Membership(
                agent_id=agent_id, room_id=AgentId(thread_id), joined_at=at, joined_after=newest, seen_until=newest
            )
            for place, agent_id in sorted(seats)
            if place == room_id
        ]
        rows = [columns_of(one) | {"community_id": community_id} for one in seated]
        await self.session.run(self.session.insert(MEMBERSHIPS).on_conflict_do_nothing(), rows)

    async def leave_thread(self, community_id: CommunityId, thread_id: AgentId) -> None:
        """Let all agents leave a private thread with what they would still say there.

        What was said stays for the people who may read it.
        """
        await self._leave(community_id, ROOMS.c.id == thread_id)

    async def leave_threads(self, community_id: CommunityId, threads: Collection[int]) -> None:
        """Let all agents leave these private threads."""
        await self._leave(community_id, ROOMS.c.id.in_(threads))

    async def _leave(self, community_id: CommunityId, which: ColumnElement[bool]) -> None:
        these = select(ROOMS.c.id).where(owned(ROOMS, community_id), which)
        here = and_(owned(MEMBERSHIPS, community_id), MEMBERSHIPS.c.room_id.in_(these))
        whose = await self.session.rows(select(MEMBERSHIPS.c.agent_id).distinct().where(here))
        seats = select(*(MEMBERSHIPS.c[name] for name in SEAT)).where(here)  # a room may have very many threads
        left = self.session.insert(DEPARTURES).from_select(SEAT, seats)
        await self.session.run(left.on_conflict_do_nothing())
        for table in (MEMBERSHIPS, REASONS, SCHEDULES):
            await self.session.run(delete(table).where(owned(table, community_id), table.c.room_id.in_(these)))
        waiting = and_(owned(LETTERS, community_id), LETTERS.c.room_id.in_(these), LETTERS.c.state.in_(OPEN))
        await self.session.run(update(LETTERS).where(waiting).values(state=LetterState.FAILED.value))
        await recount(self.session, community_id, self.session.to_recount | {row[0] for row in whose})
        self.session.to_recount.clear()

    async def name_thread(self, community_id: CommunityId, room_id: AgentId, thread_id: Snowflake, name: str) -> None:
        these = and_(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, MESSAGES.c.thread_id == thread_id)
        await self.session.run(update(MESSAGES).where(these).values(thread_name=name))

    async def forget_thread(self, community_id: CommunityId, room_id: AgentId, thread_id: Snowflake) -> bool:
        with unhurried():
            return await empty(self.session, community_id, thread(room_id, thread_id))

    async def close_thread(self, community_id: CommunityId, thread_id: AgentId) -> None:
        await self._close(community_id, ROOMS.c.id == thread_id, place(thread_id))

    async def close_threads_in(self, community_id: CommunityId, room_id: AgentId) -> None:
        await self._close(community_id, ROOMS.c.thread_of == room_id, places_in(room_id))

    async def _close(self, community_id: CommunityId, which: ColumnElement[bool], what: str) -> None:
        threads = and_(which, ROOMS.c.thread_of.is_not(None))
        with unhurried():  # there may be very many
            await self._leave(community_id, threads)
            this = and_(owned(ROOMS, community_id), threads)
            await self.session.run(update(ROOMS).where(this).values(channel_id=None, thread_name=""))  # ids stay used
            await empty(self.session, community_id, what)

    async def delete(self, community_id: CommunityId, agent_id: AgentId) -> None:
        """Let nobody see an agent's room any more, nor the private threads in it, and remove them with the agent."""
        here = or_(ROOMS.c.id == agent_id, ROOMS.c.thread_of == agent_id)
        with unhurried():
            await self._leave(community_id, here)
            this = and_(owned(ROOMS, community_id), here)
            await self.session.run(update(ROOMS).where(this).values(channel_id=None))
            await empty(self.session, community_id, agent(agent_id))
