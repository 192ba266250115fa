"""Rooms that go with all that was said and kept there: bit by bit in short transactions, noted to go on after a kill.

Nobody sees any more of a deleted agent's room, or of a private thread that is no more, once that has begun; of a
thread that is not for the open the newest lines go first.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Table, and_, delete, or_, select, tuple_, union

from bot.core.cards import kept_with
from bot.core.records import AgentId
from storage.database import Database
from storage.erasing import erase
from storage.faults import Troubles, apart
from storage.owed import PAUSE_SECONDS
from storage.owed import work_off as work_off_debts
from storage.session import INSTALLATION, Query, Session, key_of, owned
from storage.tables import (
    ACTIONS,
    AGENTS,
    BEATS,
    CHECKPOINTS,
    DEPARTURES,
    EVENTS,
    FAILURES,
    JOURNAL,
    KEPT,
    LETTERS,
    LOOKUPS,
    MEMBERSHIPS,
    MESSAGES,
    MINDS,
    MOVES,
    REQUESTS,
    ROOMS,
    SCENES,
)

NOTE = "emptying"  # emptying:agent:1 or emptying:thread:1:77, among what is kept for a community
AT_ONCE = 100  # rows that go in one transaction
LOOKED_THROUGH = 1_000  # beats in one transaction: no index knows which are of a side
SIDED = (MINDS, JOURNAL, ACTIONS, LOOKUPS)  # beside beats: what agents keep apart on a side of the barrier
OF_ROOM = (LETTERS, CHECKPOINTS, FAILURES, REQUESTS)


def agent(agent_id: int) -> str:
    """Name an agent that goes, with its room and the private threads in it."""
    return f"{NOTE}:agent:{agent_id}"


def place(thread_id: int) -> str:
    """Name a private thread that is no more, with what is kept on its side."""
    return f"{NOTE}:place:{thread_id}"


def places_in(room_id: int) -> str:
    """Name all private threads of a room that are no more."""
    return f"{NOTE}:places:{room_id}"


def thread(room_id: int, thread_id: int) -> str:
    """Name what was said in a room in one of its public threads."""
    return f"{NOTE}:thread:{room_id}:{thread_id}"


async def empty(session: Session, community_id: int, what: str) -> bool:
    """Remove a bit of it and note the rest, if there is any, which goes on by itself; tells whether all is gone."""
    noted = and_(KEPT.c.scope == community_id, KEPT.c.name == what)
    seen = int(await session.value(select(KEPT.c.value).where(noted)) or 0)
    on_from = await Bit(session, community_id, *_read(what)).done(seen)
    if on_from is not None:
        await session.upsert(KEPT, [{"scope": community_id, "name": what, "value": on_from}])
        session.erased = True  # so that somebody goes on
        return False
    await session.run(delete(KEPT).where(noted))
    return True


async def is_begun(session: Session, community_id: int, what: str | None = None) -> bool:
    """Tell whether this is still going, or anything at all."""
    which = KEPT.c.name.startswith(f"{NOTE}:") if what is None else KEPT.c.name == what
    asked = select(KEPT.c.name).where(KEPT.c.scope == community_id, which)
    return await session.value(asked.limit(1)) is not None


async def work_off(database: Database) -> Troubles:
    """Carry on with all that is still to go, and then with what that and other deletions owe.

    Gives what was in the way, by community.
    """
    begun = and_(KEPT.c.scope != INSTALLATION, KEPT.c.name.startswith(f"{NOTE}:"))
    async with database.reading() as connection:
        notes = await Session(connection).rows(select(KEPT.c.scope, KEPT.c.name).where(begun))
    troubles: dict[int, Exception] = {}
    for community_id, what in notes:
        with apart(community_id, troubles):
            await _empty_all(database, community_id, what)
    return {**troubles, **await work_off_debts(database)}


async def _empty_all(database: Database, community_id: int, what: str) -> None:
    done = False
    while not done:
        async with database.writing() as connection:
            done = await empty(Session(connection), community_id, what)
        await asyncio.sleep(PAUSE_SECONDS)


def _read(what: str) -> tuple[str, int, int | None]:
    _, kind, room_id, *thread_id = what.split(":")
    return kind, int(room_id), int(thread_id[0]) if thread_id else None


@dataclass(frozen=True, slots=True)
class Bit:
    """One transaction's part of it."""

    session: Session
    community_id: int
    kind: str
    room_id: int
    thread_id: int | None

    @property
    def of_agent(self) -> bool:
        """Whether an agent goes, and not only a place."""
        return self.kind == "agent"

    @property
    def rooms(self) -> Query:
        """Which rooms go."""
        its, inside = ROOMS.c.id == self.room_id, ROOMS.c.thread_of == self.room_id
        which = {"agent": or_(its, inside), "places": inside}.get(self.kind, its)
        return select(ROOMS.c.id).where(owned(ROOMS, self.community_id), which)

    async def done(self, seen: int) -> int | None:
        """Do it; gives the last beat that was looked at, None where nothing is left."""
        left = AT_ONCE - await self._unsaid()
        if self.kind != "thread" and left > 0:
            left -= await self._forgotten(left)
            last = await self._beatless(seen) if left > 0 else None
            if last is not None:
                return last
        if left <= 0:
            return seen
        if self.of_agent:
            await self.session.run(delete(ROOMS).where(owned(ROOMS, self.community_id), ROOMS.c.id.in_(self.rooms)))
            its = AGENTS.c.id == self.room_id
            await self.session.run(delete(AGENTS).where(owned(AGENTS, self.community_id), its))
            card = and_(KEPT.c.scope == self.community_id, KEPT.c.name == kept_with(AgentId(self.room_id)))
            await self.session.run(delete(KEPT).where(card))
        return None

    async def _unsaid(self) -> int:
        """Erase some of what was said there; gives how much."""
        asked = select(MESSAGES.c.id).where(owned(MESSAGES, self.community_id))
        if self.thread_id is None:
            asked = asked.where(MESSAGES.c.room_id.in_(self.rooms))
        else:  # in the order of the index of rooms
            asked = asked.where(MESSAGES.c.room_id == self.room_id, MESSAGES.c.thread_id == self.thread_id)
            asked = asked.order_by(MESSAGES.c.shown.desc(), MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc())
        ids = [row[0] for row in await self.session.rows(asked.limit(AT_ONCE))]
        return await erase(self.session, self.community_id, MESSAGES.c.id.in_(ids))

    async def _forgotten(self, most: int) -> int:
        """Remove some of what is kept for these rooms and on their sides, of an agent all; gives how much."""
        gone = 0
        for table, which in self._kept():
            key, its = key_of(table), owned(table, self.community_id)
            keys = [tuple(row) for row in await self.session.rows(select(*key).where(its, which).limit(most - gone))]
            await self.session.run(delete(table).where(its, tuple_(*key).in_(keys)))
            gone += len(keys)
            if gone >= most:
                break
        return gone

    def _kept(self) -> Iterator[tuple[Table, ColumnElement[bool]]]:
        were_in = (
            select(table.c.agent_id).where(owned(table, self.community_id), table.c.room_id.in_(self.rooms))
            for table in (MEMBERSHIPS, DEPARTURES)
        )
        members = union(*were_in)
        for table in SIDED:  # found by their agents, as their indexes have it
            yield table, and_(table.c.agent_id.in_(members), table.c.side.in_(self.rooms))
            if self.of_agent:
                yield table, table.c.agent_id == self.room_id
        if self.of_agent:
            here = and_(owned(SCENES, self.community_id), SCENES.c.room_id.in_(self.rooms))
            scenes = select(SCENES.c.id).where(here)
            yield from ((table, table.c.scene_id.in_(scenes)) for table in (EVENTS, MOVES))
            yield from ((table, table.c.room_id.in_(self.rooms)) for table in OF_ROOM)

    async def _beatless(self, seen: int) -> int | None:
        """Remove beats on these sides, of an agent all, among the next; gives the last of those, None at the end."""
        sides = {row[0] for row in await self.session.rows(self.rooms)}
        its = owned(BEATS, self.community_id)
        asked = select(BEATS.c.id, BEATS.c.side, BEATS.c.agent_id).where(its, BEATS.c.id > seen)
        rows = await self.session.rows(asked.order_by(BEATS.c.id).limit(LOOKED_THROUGH))
        theirs = [id_ for id_, side, by in rows if side in sides or (self.of_agent and by == self.room_id)]
        gone, later = theirs[:AT_ONCE], theirs[AT_ONCE:]
        await self.session.run(delete(BEATS).where(its, BEATS.c.id.in_(gone)))
        if later:
            return int(gone[-1])
        return int(rows[-1].id) if len(rows) == LOOKED_THROUGH else None
