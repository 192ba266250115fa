"""What a person has been called here, and which of that is looked for in texts."""

from typing import Any

from sqlalchemy import Column, ColumnElement, Text, false, or_, select, true, type_coerce

from bot.core.forgetting import SHORTEST_WORD, SOMEONE, Forgotten
from storage.session import Session, owned
from storage.tables import AGENTS, MESSAGES, PEOPLE, REACTIONS, REQUESTS

COMMON_WORD = 0.02  # a shown name that stands in more of the messages than this is a word of the language
ALWAYS_RARE = 10  # messages in which any name may stand
LOOKED_AT = 10_000


class Names(Session):
    """Names of people."""

    async def names_of(self, community_id: int, person_id: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Give all names that a person has had here, and those of them that are looked for as bare words.

        No word counts that is too short, an agent's name too, or (chosen freely as a shown name) a common one.
        """
        of_person = (
            select(PEOPLE.c.username).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id),
            select(MESSAGES.c.sender_name)
            .where(owned(MESSAGES, community_id), MESSAGES.c.sender_person_id == person_id)
            .distinct(),
            select(REACTIONS.c.reactor_name)
            .where(owned(REACTIONS, community_id), REACTIONS.c.reactor == f"person:{person_id}")
            .distinct(),
            select(REQUESTS.c.requester_name)
            .where(owned(REQUESTS, community_id), REQUESTS.c.requester_person_id == person_id)
            .distinct(),
        )
        own = {row[0] for asked in of_person for row in await self.rows(asked)} - {"", SOMEONE}
        shown_as = select(PEOPLE.c.display_name).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id)
        shown = {row[0] for row in await self.rows(shown_as)} - {"", *own}
        agents = await self._names_of_agents(community_id)
        words = {name for name in own | shown if len(name) >= SHORTEST_WORD and name.casefold() not in agents}
        words -= {name for name in words & shown if await self._is_common(community_id, name)}
        return tuple(sorted(own | shown)), tuple(sorted(words))

    async def _names_of_agents(self, community_id: int) -> set[str]:
        rows = await self.rows(select(AGENTS.c.name, AGENTS.c.aliases).where(owned(AGENTS, community_id)))
        return {name.casefold() for own, aliases in rows for name in (own, *(aliases or ()))}

    async def _is_common(self, community_id: int, name: str) -> bool:
        asked = select(MESSAGES.c.content.icontains(name, autoescape=True)).where(owned(MESSAGES, community_id))
        found = [row[0] for row in await self.rows(asked.order_by(MESSAGES.c.id.desc()).limit(LOOKED_AT))]
        return sum(map(bool, found)) > max(ALWAYS_RARE, COMMON_WORD * len(found))


def may_name(named: Forgotten, column: Column[Any]) -> ColumnElement[bool]:
    """Give the condition that a column holds one of the names, roughly: databases know the case of ASCII alone."""
    if not all(name.isascii() for name in named.names):
        return true()
    text = type_coerce(column, Text())
    return or_(false(), *(text.icontains(name, autoescape=True) for name in named.names))
