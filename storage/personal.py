"""What the store has of one person, for that person to read."""

from typing import Any

from sqlalchemy import Table, select

from bot.core.forgetting import Forgotten
from bot.core.records import ARCHITECT_NAME, PUBLIC_SIDE, CommunityId, Json, Snowflake
from storage.columns import to_plain
from storage.names import Names, may_name
from storage.session import owned
from storage.tables import (
    ATTACHMENTS,
    AUDIT,
    BEATS,
    FAILURES,
    JOURNAL,
    MESSAGES,
    MINDS,
    PEOPLE,
    REACTIONS,
    REQUESTS,
)

CAUSED = ("id", "agent_id", "at", "reason", "model", "cost_usd")  # of a beat: what it saw is not this person's alone


class PersonalData(Names):
    """Personal data."""

    async def data_of(self, community_id: CommunityId, person_id: Snowflake) -> dict[str, Json]:
        """Give all that is stored of a person, ready for a JSON file.

        What agents know from private rooms is only counted: it is not for whoever is not let in there.
        """
        mark = f"person:{person_id}"
        said = MESSAGES.c.sender_person_id == person_id
        theirs = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), said)
        person = await self._all(community_id, PEOPLE, PEOPLE.c.id == person_id)
        caused = await self._all(community_id, BEATS, BEATS.c.person_id == person_id, only=CAUSED)
        return {
            "person": person[0] if person else None,
            "messages": await self._all(community_id, MESSAGES, said),
            "attachments": await self._all(community_id, ATTACHMENTS, ATTACHMENTS.c.message_id.in_(theirs)),
            "reactions": await self._all(community_id, REACTIONS, REACTIONS.c.reactor == mark),
            "access_requests": await self._all(community_id, REQUESTS, REQUESTS.c.requester_person_id == person_id),
            "keys_that_did_not_open": await self._all(community_id, FAILURES, FAILURES.c.person_id == person_id),
            "beats_caused": caused,
        } | await self._named(community_id, person_id)

    async def _named(self, community_id: int, person_id: int) -> dict[str, Json]:
        """Give where others and agents name them."""
        names, words = await self.names_of(community_id, person_id)
        named = Forgotten(names, words)
        contents = select(MESSAGES.c.content).where(owned(MESSAGES, community_id), may_name(named, MESSAGES.c.content))
        others = contents.where(MESSAGES.c.sender_person_id.is_distinct_from(person_id))
        knows, private = await self._known(community_id, named)
        by = [worded for name in names for worded in (f"@{name}", f"{ARCHITECT_NAME} (@{name})")]
        return {
            "names": list(names),
            "known_by_agents": knows,
            "known_in_private_rooms": private,
            "named_in_messages_of_others": sum(named.found_in(row[0]) for row in await self.rows(others)),
            "changes_made": await self._all(community_id, AUDIT, AUDIT.c.by.in_(by)),
            "knowledge_changed": await self._all(community_id, JOURNAL, JOURNAL.c.by.in_(by)),
        }

    async def _known(self, community_id: int, named: Forgotten) -> tuple[list[Json], int]:
        asked = select(MINDS.c.agent_id, MINDS.c.side, MINDS.c.knowledge).where(owned(MINDS, community_id))
        knows: list[Json] = []
        private = 0
        for agent_id, side, knowledge in await self.rows(asked.order_by(MINDS.c.agent_id, MINDS.c.side)):
            about = named.about(knowledge or {})
            if about and side == PUBLIC_SIDE:
                knows.append({"agent_id": agent_id, "knowledge": about})
            private += len(about) if side != PUBLIC_SIDE else 0
        return knows, private

    async def _all(
        self,
        community_id: int,
        table: Table,
        condition: Any,  # noqa: ANN401  # SQL
        *,
        only: tuple[str, ...] = (),
    ) -> list[Json]:
        columns = [table.c[name] for name in only or table.c.keys()]
        asked = select(*columns).where(owned(table, community_id), condition).order_by(*table.primary_key)
        return [{name: to_plain(value) for name, value in row.items()} for row in await self.mappings(asked)]
