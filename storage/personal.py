"""What the store has of one person, all found by their id, to read or to forget; and where they may still be named."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Table, and_, or_, select, tuple_, union

from bot.core.keeping import ForgetReport, Readable
from bot.core.people import by_person
from bot.core.records import PUBLIC_SIDE, CommunityId, Json, Room, Snowflake
from storage.columns import to_plain
from storage.convert import room_of
from storage.forgetting import begin_forgetting, forget_on, forgetting
from storage.inline import unhurried
from storage.names import usernames_of
from storage.scenes import said_by
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
AT_A_TIME = 200


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
        return sorted((row[0] for row in await self.session.rows(union(spoke, reacted))), reverse=True)

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
        return await self.session.records(asked, ROOMS, room_of)

    async def data(self, community_id: CommunityId, person_id: Snowflake, readable: Readable) -> dict[str, Json]:
        """Give what is stored of a person where they may read, ready for a JSON file; of the rest only how much it is.

        All of it is found by their id: a name is anybody's to choose.
        """
        with unhurried():  # one who is talkative has said much
            return await self._data(community_id, person_id, readable)

    async def _data(self, community_id: CommunityId, person_id: Snowflake, readable: Readable) -> dict[str, Json]:
        here = and_(
            MESSAGES.c.room_id.in_(readable.rooms),
            or_(MESSAGES.c.thread_id.is_(None), MESSAGES.c.thread_id.in_(readable.threads)),
        )
        said = MESSAGES.c.sender_person_id == person_id
        shown = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), here)
        reacted = REACTIONS.c.reactor == f"person:{person_id}"
        person = await self._all(community_id, PEOPLE, PEOPLE.c.id == person_id)
        messages = await self._all(community_id, MESSAGES, said, here)
        reactions = await self._all(community_id, REACTIONS, reacted, REACTIONS.c.message_id.in_(shown))
        all_said = await self._all(community_id, MESSAGES, said, only=("id",))
        all_reacted = await self._all(community_id, REACTIONS, reacted, only=("message_id",))
        of_theirs = ATTACHMENTS.c.message_id.in_(shown.where(said))
        told: dict[str, Json] = {
            "person": person[0] if person else None,
            "usernames": [*await usernames_of(self.session, community_id, person_id)],
            "messages": messages,
            "attachments": await self._all(community_id, ATTACHMENTS, of_theirs),
            "reactions": reactions,
            "where_you_may_not_read": {
                "messages": len(all_said) - len(messages),
                "reactions": len(all_reacted) - len(reactions),
            },
        }
        return told | await self._done(community_id, person_id, readable)

    async def _done(self, community_id: int, person_id: int, readable: Readable) -> dict[str, Json]:
        """Give what they did beside talking."""
        knocks, failed = REQUESTS.c.requester_person_id == person_id, FAILURES.c.person_id == person_id
        sides = (PUBLIC_SIDE, *readable.rooms)
        by = [by_person(person_id, manager=manager) for manager in (False, True)]
        learnt = (JOURNAL.c.by.in_(by), JOURNAL.c.side.in_(sides))
        caused = (BEATS.c.person_id == person_id, BEATS.c.side.in_(sides))
        logged = await self.session.rows(
            select(AUDIT.c.at, AUDIT.c.agent_id, AUDIT.c.what)
            .where(owned(AUDIT, community_id), AUDIT.c.by.in_(by))
            .order_by(AUDIT.c.id)
        )
        return {
            "access_requests": await self._all(community_id, REQUESTS, knocks, only=KNOCKED),
            "keys_that_did_not_open": await self._all(community_id, FAILURES, failed),
            "beats_caused": await self._all(community_id, BEATS, *caused, only=CAUSED),
            # what came of it may tell of a private room, or of other people
            "changes_made": [
                {"at": to_plain(at), "agent_id": agent_id, "what": what.partition(":")[0]}
                for at, agent_id, what in logged
            ],
            "scenes": await self._played(community_id, person_id, readable),
            "knowledge_changed": await self._all(community_id, JOURNAL, *learnt, only=LEARNT),
        }

    async def _played(self, community_id: int, person_id: int, readable: Readable) -> list[Json]:
        """Give the seats they had in scenes of these rooms, and what they said there."""
        said, seat = said_by(community_id, person_id), tuple_(SEATS.c.scene_id, SEATS.c.seat)
        spoke = select(EVENTS.c.scene_id, EVENTS.c.seat).where(owned(EVENTS, community_id), said)
        theirs = or_(SEATS.c.person_id == person_id, seat.in_(spoke))
        here = SCENES.c.room_id.in_(readable.rooms)
        scenes = SEATS.c.scene_id.in_(select(SCENES.c.id).where(owned(SCENES, community_id), here))
        seats = select(SEATS.c.scene_id, SEATS.c.seat).where(owned(SEATS, community_id), theirs, scenes)
        found: list[Json] = []
        for scene_id, number in await self.session.rows(seats.order_by(SEATS.c.scene_id, SEATS.c.seat)):
            there = (EVENTS.c.scene_id == scene_id, EVENTS.c.seat == number, EVENTS.c.text.is_not(None))
            texts = await self._all(community_id, EVENTS, said, *there, only=("at", "text"))
            found.append({"scene_id": scene_id, "seat": number, "said": texts})
        return found

    def _reacted_to(self, community_id: int, person_id: int) -> Query:
        theirs = (owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
        return select(REACTIONS.c.message_id).where(*theirs)

    async def _all(
        self,
        community_id: int,
        table: Table,
        *conditions: ColumnElement[bool],
        only: tuple[str, ...] = (),
    ) -> list[Json]:
        columns = [table.c[name] for name in only or table.c.keys()]
        names = [column.name for column in columns]
        asked = select(*columns).where(owned(table, community_id), *conditions)
        found: list[Json] = []
        async for page in self.session.leafed(asked, table, AT_A_TIME):
            found += [{name: to_plain(value) for name, value in zip(names, row, strict=False)} for row in page]
        return found

    async def begin_forgetting(
        self, community_id: CommunityId, person_id: Snowflake, at: datetime, *, others: Collection[str] = ()
    ) -> None:
        with unhurried():  # the loop goes on meanwhile
            await begin_forgetting(self.session, community_id, person_id, at, others)

    async def forgetting(self) -> Sequence[tuple[CommunityId, Snowflake]]:
        return await forgetting(self.session)

    async def forget_on(self, community_id: CommunityId, person_id: Snowflake) -> ForgetReport | None:
        with unhurried():
            return await forget_on(self.session, self.talk, community_id, person_id)
