"""What the store has of one person, for that person to read: what their id did and said, where they may read now."""

from typing import Any

from sqlalchemy import Table, and_, or_, select, union

from bot.core.keeping import Readable
from bot.core.people import by_person
from bot.core.records import PUBLIC_SIDE, CommunityId, Json, Snowflake
from storage.columns import to_plain
from storage.names import Names
from storage.session import owned
from storage.tables import (
    ATTACHMENTS,
    AUDIT,
    BEATS,
    FAILURES,
    JOURNAL,
    MESSAGES,
    PEOPLE,
    REACTIONS,
    REQUESTS,
)

CAUSED = ("id", "agent_id", "at", "reason", "model", "cost_usd")  # of a beat: what it saw is not this person's alone
KNOCKED = ("id", "room_id", "state", "created_at", "closed_at")  # a key's label is the owner's
LEARNT = ("agent_id", "at", "path", "after")  # what was there before may be anybody's


class PersonalData(Names):
    """Personal data."""

    async def threads_of(self, community_id: CommunityId, person_id: Snowflake) -> list[Snowflake]:
        """Give the threads in which a person spoke or reacted, the newest first."""
        of_community, in_thread = owned(MESSAGES, community_id), MESSAGES.c.thread_id.is_not(None)
        spoke = select(MESSAGES.c.thread_id).where(of_community, in_thread, MESSAGES.c.sender_person_id == person_id)
        touched = MESSAGES.c.id.in_(self._reacted_to(community_id, person_id))
        reacted = select(MESSAGES.c.thread_id).where(of_community, in_thread, touched)
        return sorted((row[0] for row in await self.rows(union(spoke, reacted))), reverse=True)

    async def data_of(self, community_id: CommunityId, person_id: Snowflake, readable: Readable) -> dict[str, Json]:
        """Give what is stored of a person where they may read, ready for a JSON file; of the rest only how much it is.

        All of it is found by their id: a name is anybody's to choose.
        """
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
            "usernames": [*await self.usernames_of(community_id, person_id)],
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
        logged = await self.rows(
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
            "knowledge_changed": await self._all(community_id, JOURNAL, *learnt, only=LEARNT),
        }

    def _reacted_to(self, community_id: int, person_id: int) -> Any:  # noqa: ANN401  # SQL
        theirs = (owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
        return select(REACTIONS.c.message_id).where(*theirs)

    async def _all(
        self,
        community_id: int,
        table: Table,
        *conditions: Any,  # noqa: ANN401  # SQL
        only: tuple[str, ...] = (),
    ) -> list[Json]:
        columns = [table.c[name] for name in only or table.c.keys()]
        asked = select(*columns).where(owned(table, community_id), *conditions).order_by(*table.primary_key)
        return [{name: to_plain(value) for name, value in row.items()} for row in await self.mappings(asked)]
