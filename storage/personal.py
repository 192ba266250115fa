"""What the store has of one person, all found by their id, to read or to forget; and where they may still be named."""

from collections.abc import Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement, Table, and_, func, or_, select, tuple_, union

from bot.core.keeping import CalledHere, ForgetReport, Readable, WriteText
from bot.core.people import by_person
from bot.core.records import PUBLIC_SIDE, CommunityId, Json, Room, Snowflake
from storage.columns import to_json, to_plain
from storage.convert import plain
from storage.forgetting import begin_forgetting, forget_on, forgetting
from storage.inline import unhurried
from storage.names import called_here, usernames_of
from storage.scenes import left_by, said_by
from storage.session import Query, Session, owned
from storage.tables import (
    ATTACHMENTS,
    AUDIT,
    BEATS,
    EVENTS,
    FAILURES,
    JOURNAL,
    MESSAGES,
    PEOPLE,
    REACTIONS,
    REQUESTS,
    ROOMS,
    SCENES,
    SEATS,
)
from storage.talk import SqlTalk

CAUSED = ("id", "agent_id", "at", "reason", "model", "cost_usd")  # of a beat: what it saw is not this person's alone
KNOCKED = ("id", "room_id", "state", "created_at", "closed_at")  # a key's label is the owner's
LEARNT = ("agent_id", "at", "path", "after")  # what was there before may be anybody's
DONE = ("at", "agent_id", "what")
AT_A_TIME, FEW = 50, 4  # rows
MOST_THREADS = 1_000  # of the newest, of which Discord is asked about fewer
WIDE = (ATTACHMENTS, JOURNAL)  # of which each may hold a whole file
LARGEST_FILE = 4_000_000  # characters
Row = dict[str, Json]


@dataclass(frozen=True, slots=True)
class SqlPersonal:
    """What is stored of one person, and the right to be forgotten."""

    session: Session
    talk: SqlTalk

    async def threads(self, community_id: CommunityId, person_id: Snowflake) -> list[Snowflake]:
        of_community, in_thread = owned(MESSAGES, community_id), MESSAGES.c.thread_id.is_not(None)
        spoke = select(MESSAGES.c.thread_id).where(of_community, in_thread, MESSAGES.c.sender_person_id == person_id)
        touched = MESSAGES.c.id.in_(self._reacted_to(community_id, person_id))
        reacted = select(MESSAGES.c.thread_id).where(of_community, in_thread, touched)
        both = union(spoke, reacted).subquery()
        newest = select(both).order_by(*(column.desc() for column in both.c)).limit(MOST_THREADS)
        return [Snowflake(row[0]) for row in await self.session.rows(newest)]

    async def secluded(self, community_id: CommunityId, person_id: Snowflake) -> list[Room]:
        by = [by_person(person_id, manager=manager) for manager in (False, True)]
        of_messages = select(MESSAGES.c.room_id).where(owned(MESSAGES, community_id))
        here = union(
            of_messages.where(MESSAGES.c.sender_person_id == person_id),
            of_messages.where(MESSAGES.c.id.in_(self._reacted_to(community_id, person_id))),
            select(JOURNAL.c.side).where(owned(JOURNAL, community_id), JOURNAL.c.by.in_(by)),
            select(BEATS.c.side).where(owned(BEATS, community_id), BEATS.c.person_id == person_id),
        )
        threads = (ROOMS.c.thread_of.is_not(None), ROOMS.c.channel_id.is_not(None), ROOMS.c.id.in_(here))
        asked = select(ROOMS).where(owned(ROOMS, community_id), *threads).order_by(ROOMS.c.id.desc())
        return await self.session.records(asked, ROOMS, lambda row: plain(Room, row))

    async def write_down(
        self, community_id: CommunityId, person_id: Snowflake, readable: Readable, write: WriteText
    ) -> None:
        """Write down what is stored of a person where they may read, as JSON; of the rest only how much it is.

        All of it is found by their id: a name is anybody's to choose.
        """
        with unhurried():  # one who is talkative has said much
            await self._write_down(_File(self.session, community_id, write, LARGEST_FILE), person_id, readable)

    async def _write_down(self, file: "_File", person_id: Snowflake, readable: Readable) -> None:
        community_id = file.community_id
        here = and_(
            MESSAGES.c.room_id.in_(readable.rooms),
            or_(MESSAGES.c.thread_id.is_(None), MESSAGES.c.thread_id.in_(readable.threads)),
        )
        said = MESSAGES.c.sender_person_id == person_id
        shown = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), here)
        reacted = REACTIONS.c.reactor == f"person:{person_id}"
        reacted_here = REACTIONS.c.message_id.in_(shown)
        file.write("{")
        person = await self.session.first(select(PEOPLE).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id))
        file.say("person", {name: to_plain(value) for name, value in person.items()} if person else None)
        file.say("usernames", [*await usernames_of(self.session, community_id, person_id)])
        await self._done(file, person_id, readable)
        await file.take("reactions", REACTIONS, reacted, reacted_here)
        await file.take("messages", MESSAGES, said, here)
        await file.take("attachments", ATTACHMENTS, ATTACHMENTS.c.message_id.in_(shown.where(said)))
        elsewhere: dict[str, Json] = {
            "messages": await file.count(MESSAGES, said) - await file.count(MESSAGES, said, here),
            "reactions": await file.count(REACTIONS, reacted) - await file.count(REACTIONS, reacted, reacted_here),
        }
        file.say("where_you_may_not_read", elsewhere)
        if file.left_out:
            file.say("more_than_fits_into_a_file", {**file.left_out})
        file.write("}")

    async def _done(self, file: "_File", person_id: int, readable: Readable) -> None:
        """Write down what they did beside talking."""
        knocks, failed = REQUESTS.c.requester_person_id == person_id, FAILURES.c.person_id == person_id
        sides = (PUBLIC_SIDE, *readable.rooms)
        by = [by_person(person_id, manager=manager) for manager in (False, True)]
        learnt = (JOURNAL.c.by.in_(by), JOURNAL.c.side.in_(sides))
        caused = (BEATS.c.person_id == person_id, BEATS.c.side.in_(sides))
        await file.take("access_requests", REQUESTS, knocks, only=KNOCKED)
        await file.take("keys_that_did_not_open", FAILURES, failed)
        await file.take("beats_caused", BEATS, *caused, only=CAUSED)
        # what came of it may tell of a private room, or of other people
        await file.take("changes_made", AUDIT, AUDIT.c.by.in_(by), only=DONE, shown=_begun)
        await self._played(file, person_id, readable)
        await file.take("knowledge_changed", JOURNAL, *learnt, only=LEARNT)

    async def _played(self, file: "_File", person_id: int, readable: Readable) -> None:
        """Write down the seats they had in scenes of these rooms, and what they said there."""
        community_id = file.community_id
        said, seat = said_by(community_id, person_id), tuple_(SEATS.c.scene_id, SEATS.c.seat)
        spoke = select(EVENTS.c.scene_id, EVENTS.c.seat).where(owned(EVENTS, community_id), said)
        theirs = or_(SEATS.c.person_id == person_id, left_by(person_id), seat.in_(spoke))
        here = SCENES.c.room_id.in_(readable.rooms)
        scenes = SEATS.c.scene_id.in_(select(SCENES.c.id).where(owned(SCENES, community_id), here))
        seats = select(SEATS.c.scene_id, SEATS.c.seat).where(owned(SEATS, community_id), theirs, scenes)
        file.name("scenes")
        file.write("[")
        found = await self.session.rows(seats.order_by(SEATS.c.scene_id, SEATS.c.seat))
        for place, (scene_id, number) in enumerate(found):
            there = (EVENTS.c.scene_id == scene_id, EVENTS.c.seat == number, EVENTS.c.text.is_not(None))
            file.write(f'{"," if place else ""}{{"scene_id":{scene_id},"seat":{number},"said":')
            await file.rows("scenes", EVENTS, said, *there, only=("at", "text"))
            file.write("}")
        file.write("]")

    def _reacted_to(self, community_id: int, person_id: int) -> Query:
        theirs = (owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
        return select(REACTIONS.c.message_id).where(*theirs)

    async def begin_forgetting(
        self,
        community_id: CommunityId,
        person_id: Snowflake,
        at: datetime,
        *,
        others: Collection[str] = (),
        called: CalledHere | None = None,
    ) -> None:
        with unhurried():  # the loop goes on meanwhile
            await begin_forgetting(self.session, community_id, person_id, at, others, called)

    async def called(self, community_id: CommunityId, person_id: Snowflake) -> CalledHere:
        with unhurried():
            return await called_here(self.session, community_id, person_id)

    async def forgetting(self, *, until: datetime | None = None) -> Sequence[tuple[CommunityId, Snowflake]]:
        return await forgetting(self.session, until=until)

    async def forget_on(self, community_id: CommunityId, person_id: Snowflake) -> ForgetReport | None:
        with unhurried():
            return await forget_on(self.session, self.talk, community_id, person_id)


def _begun(row: Row) -> Row:
    return {**row, "what": str(row["what"]).partition(":")[0]}


@dataclass(slots=True)
class _File:
    """Somebody's file, of which no more than a page of rows is held at a time, and no more written than can be sent."""

    session: Session
    community_id: CommunityId
    write: WriteText
    left: int  # characters
    left_out: dict[str, int] = field(default_factory=dict)  # how many of what are there beside
    is_begun: bool = False

    def name(self, what: str) -> None:
        """Begin a part of it."""
        self.write(f"{',' if self.is_begun else ''}{to_json(what)}:")
        self.is_begun = True

    def say(self, what: str, value: Json) -> None:
        """Write a small part."""
        self.name(what)
        self.write(to_json(value))

    async def take(
        self,
        what: str,
        table: Table,
        *conditions: ColumnElement[bool],
        only: tuple[str, ...] = (),
        shown: Callable[[Row], Row] | None = None,
    ) -> None:
        """Write a part that is rows."""
        self.name(what)
        await self.rows(what, table, *conditions, only=only, shown=shown)

    async def rows(
        self,
        what: str,
        table: Table,
        *conditions: ColumnElement[bool],
        only: tuple[str, ...] = (),
        shown: Callable[[Row], Row] | None = None,
    ) -> None:
        """Write rows as long as there is room for them, the oldest first."""
        columns = [table.c[name] for name in only or table.c.keys()]
        names = [column.name for column in columns]
        asked = select(*columns).where(owned(table, self.community_id), *conditions)
        self.write("[")
        written = 0
        async with aclosing(self.session.leafed(asked, table, FEW if table in WIDE else AT_A_TIME)) as pages:
            async for page in pages:
                for row in page:
                    one: Row = {name: to_plain(value) for name, value in zip(names, row, strict=False)}
                    text = to_json(shown(one) if shown else one)
                    self.left -= len(text)
                    if self.left < 0:
                        more = await self.count(table, *conditions) - written
                        self.left_out[what] = self.left_out.get(what, 0) + more
                        self.write("]")
                        return
                    self.write(f"{',' if written else ''}{text}")
                    written += 1
        self.write("]")

    async def count(self, table: Table, *conditions: ColumnElement[bool]) -> int:
        """Count rows."""
        asked = select(func.count()).select_from(table).where(owned(table, self.community_id), *conditions)
        return int(await self.session.value(asked))
