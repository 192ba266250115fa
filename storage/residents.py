"""Agents, what they will say later, who may enter their rooms, and the people whom a community knows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, bindparam, func, select, update

from bot.core.records import AccessKey, AccessRequest, AgentId, CommunityId, Person, Schedule, Snowflake
from storage.communities import arrived
from storage.convert import columns_of, key_of, plain
from storage.emptying import agent, is_begun
from storage.names import bear
from storage.prepared import Prepared, Question
from storage.questions import PENDING, questions
from storage.rooms import SqlRooms
from storage.session import Session, owned
from storage.tables import (
    AGENTS,
    KEYS,
    PEOPLE,
    REQUESTS,
    ROOMS,
    SCHEDULES,
)

ALL_KEYS = Prepared(select(KEYS).where(KEYS.c.community_id == bindparam("its")).order_by(KEYS.c.id))


NAMES_OF_AGENTS = Prepared(
    select(AGENTS.c.id, AGENTS.c.name).where(AGENTS.c.community_id == bindparam("its")).order_by(AGENTS.c.id)
)

OWN_CHANNELS = Prepared(
    select(ROOMS.c.id, ROOMS.c.channel_id).where(ROOMS.c.community_id == bindparam("its"), ROOMS.c.thread_of.is_(None))
)


def _is_as_known(person: Person, known: Person | None) -> bool:
    """Tell whether there is nothing to be written of a person: most who do something did so a moment ago."""
    names = ("username", "display_name", "is_architect")
    return known is not None and all(getattr(person, name) == getattr(known, name) for name in names)


@dataclass(frozen=True, slots=True)
class SqlAgents:
    """Agents, and their end."""

    session: Session

    async def names(self, community_id: CommunityId) -> Mapping[AgentId, str]:
        """Give everyone's name, in the order of their ids."""
        return {id_: name for id_, name in await self.session.rows(NAMES_OF_AGENTS, {"its": community_id})}

    async def channels(self, community_id: CommunityId) -> Mapping[AgentId, Snowflake | None]:
        """Give the channel of everyone's own room."""
        return {id_: channel_id for id_, channel_id in await self.session.rows(OWN_CHANNELS, {"its": community_id})}

    async def schedules(self, community_id: CommunityId, agent_id: AgentId) -> Sequence[Schedule]:
        its = select(SCHEDULES).where(owned(SCHEDULES, community_id), SCHEDULES.c.agent_id == agent_id)
        return [
            plain(Schedule, row) for row in await self.session.mappings(its.order_by(SCHEDULES.c.at, SCHEDULES.c.id))
        ]

    async def schedules_due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, Schedule]]:
        by = and_(AGENTS.c.community_id == SCHEDULES.c.community_id, AGENTS.c.id == SCHEDULES.c.agent_id)
        order = (SCHEDULES.c.at, SCHEDULES.c.id)
        turn = func.row_number().over(partition_by=SCHEDULES.c.community_id, order_by=order)
        due = select(SCHEDULES).join(AGENTS, by).where(SCHEDULES.c.at <= now, AGENTS.c.paused_reason.is_(None))
        due = due.where(arrived(SCHEDULES)).order_by(turn, *order).limit(limit)
        return await self.session.records(due, SCHEDULES, lambda row: (row["community_id"], plain(Schedule, row)))

    async def delete(self, community_id: CommunityId, agent_id: AgentId, at: datetime) -> None:
        this = and_(owned(AGENTS, community_id), AGENTS.c.id == agent_id, AGENTS.c.retired_at.is_(None))
        await self.session.run(update(AGENTS).where(this).values(retired_at=at, next_beat_at=None))
        await SqlRooms(self.session).delete(community_id, agent_id)

    async def is_going(self, community_id: CommunityId, agent_id: AgentId) -> bool:
        return await is_begun(self.session, community_id, agent(agent_id))


@dataclass(frozen=True, slots=True)
class SqlAccess:
    """Keys, and who knocks."""

    session: Session

    async def keys(self, community_id: CommunityId) -> Sequence[AccessKey]:
        rows = await self.session.mappings(ALL_KEYS, {"its": community_id})
        return [key_of(row, ()) for row in rows]

    async def knocks(self, community_id: CommunityId) -> Sequence[AccessRequest]:
        pending = select(REQUESTS).where(owned(REQUESTS, community_id), PENDING).order_by(REQUESTS.c.id)
        return await self.session.records(pending, REQUESTS, lambda row: plain(AccessRequest, row))


def people_known(session: Session, community_id: CommunityId, ids: Collection[Snowflake]) -> Question:
    """Ask who of these is known."""
    of = {"community_id": community_id, "people": session.many(ids)}
    return questions(is_sqlite=session.is_sqlite).people, of


@dataclass(frozen=True, slots=True)
class SqlPeople:
    """Whom a community knows, and whom its agents listen to."""

    session: Session

    async def find(self, community_id: CommunityId, person_id: Snowflake) -> Person | None:
        row = await self.session.first(select(PEOPLE).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id))
        return None if row is None else plain(Person, row)

    async def known(self, community_id: CommunityId, ids: Collection[Snowflake]) -> Mapping[Snowflake, Person]:
        rows = await self.session.mappings(*people_known(self.session, community_id, ids))
        return {row["id"]: plain(Person, row) for row in rows}

    async def put(self, community_id: CommunityId, *people: Person) -> None:
        """Store people, or their new names and rights: whether agents listen to them stays as it was decided.

        Of a forgotten person only the id is kept.
        """
        there = await self.known(community_id, [person.id for person in people]) if people else {}
        people = tuple(person for person in people if not _is_as_known(person, there.get(person.id)))
        if not people:
            return
        here = (owned(PEOPLE, community_id), PEOPLE.c.id.in_([person.id for person in people]))
        asked = select(PEOPLE.c.id).where(*here, PEOPLE.c.forgotten_at.is_not(None))
        forgotten = {row[0] for row in await self.session.rows(asked)}
        known = [person for person in people if person.id not in forgotten]
        statement = self.session.insert(PEOPLE)
        names = ("username", "display_name", "is_architect")
        change = statement.on_conflict_do_update(
            index_elements=PEOPLE.primary_key, set_={name: statement.excluded[name] for name in names}
        )
        await self.session.run(change, [columns_of(person) | {"community_id": community_id} for person in known])
        await bear(self.session, community_id, {f"person:{person.id}": person.username for person in known})

    async def decide_about(self, community_id: CommunityId, person: Person) -> None:
        known = (owned(PEOPLE, community_id), PEOPLE.c.id == person.id, PEOPLE.c.forgotten_at.is_(None))
        await self.session.run(update(PEOPLE).where(*known).values(ignored=person.ignored, muted=person.muted))
