"""Whom a community knows."""

from dataclasses import dataclass

from sqlalchemy import select, update

from bot.core.records import (
    CommunityId,
    Person,
    Snowflake,
)
from storage.convert import (
    columns_of,
    person_of,
)
from storage.names import bear
from storage.session import Session, owned
from storage.tables import (
    PEOPLE,
)


@dataclass(frozen=True, slots=True)
class SqlPeople:
    """Whom a community knows, and whom its agents listen to."""

    session: Session

    async def find(self, community_id: CommunityId, person_id: Snowflake) -> Person | None:
        row = await self.session.first(select(PEOPLE).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id))
        return None if row is None else person_of(row)

    async def put(self, community_id: CommunityId, person: Person) -> None:
        """Store a person, or their new name and rights: whether agents listen to them stays as it was decided.

        Of a forgotten person only the id is kept.
        """
        statement = self.session.insert(PEOPLE)
        names = ("username", "display_name", "is_architect")
        change = statement.on_conflict_do_update(
            index_elements=PEOPLE.primary_key,
            set_={name: statement.excluded[name] for name in names},
            where=PEOPLE.c.forgotten_at.is_(None),
        )
        if await self.session.run(change, columns_of(person) | {"community_id": community_id}):
            await bear(self.session, community_id, {f"person:{person.id}": person.username})

    async def decide_about(self, community_id: CommunityId, person: Person) -> None:
        known = (owned(PEOPLE, community_id), PEOPLE.c.id == person.id, PEOPLE.c.forgotten_at.is_(None))
        await self.session.run(update(PEOPLE).where(*known).values(ignored=person.ignored, muted=person.muted))
