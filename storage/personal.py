"""What the store has of one person, for that person to read."""

from typing import Any

from sqlalchemy import Table, select

from bot.core.records import CommunityId, Json, Snowflake
from storage.columns import to_plain
from storage.session import Session, owned
from storage.tables import ATTACHMENTS, MESSAGES, PEOPLE, REACTIONS, REQUESTS


class PersonalData(Session):
    """Personal data."""

    async def data_of(self, community_id: CommunityId, person_id: Snowflake) -> dict[str, Json]:
        """Give all that is stored of a person, ready for a JSON file."""
        mark = f"person:{person_id}"
        said = MESSAGES.c.sender_person_id == person_id
        theirs = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), said)
        person = await self._all(community_id, PEOPLE, PEOPLE.c.id == person_id)
        return {
            "person": person[0] if person else None,
            "messages": await self._all(community_id, MESSAGES, said),
            "attachments": await self._all(community_id, ATTACHMENTS, ATTACHMENTS.c.message_id.in_(theirs)),
            "reactions": await self._all(community_id, REACTIONS, REACTIONS.c.reactor == mark),
            "access_requests": await self._all(community_id, REQUESTS, REQUESTS.c.requester_person_id == person_id),
        }

    async def _all(self, community_id: int, table: Table, condition: Any) -> list[Json]:  # noqa: ANN401  # SQL
        asked = select(table).where(owned(table, community_id), condition).order_by(*table.primary_key)
        return [{name: to_plain(value) for name, value in row.items()} for row in await self.mappings(asked)]
