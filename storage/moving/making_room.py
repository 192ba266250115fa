"""An empty community makes room for one that comes into its server, and what was decided here goes on to hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select, update

from bot.core.errors import BadSetting
from bot.core.records import Community, CommunityId, Snowflake
from storage.forgetting import begin_forgetting
from storage.moving.rehoming import OVERRIDES as PLACES
from storage.session import Session, Values, owned
from storage.tables import COMMUNITIES, COUNTERS, NAMES, OVERRIDES, PEOPLE

NOT_EMPTY = (
    "Agents live here already, or did: a community can only come into a server in which none was ever made. "
    "Nothing was imported."
)


@dataclass(frozen=True, slots=True)
class WhatWasThere:
    """What an empty community holds: its server's places, and what people wished for themselves."""

    community_id: CommunityId
    places: Sequence[Values]
    people: Sequence[Values]
    names: Sequence[Values]

    async def put_back(self, session: Session, *, is_elsewhere: bool) -> None:
        """Let it hold for what came in: who was forgotten here is so again, and who is ignored or muted too."""
        if is_elsewhere:
            await session.upsert(OVERRIDES, self.places)
        for one in self.people:
            if one["forgotten_at"] is not None:
                await begin_forgetting(session, self.community_id, Snowflake(one["id"]), one["forgotten_at"], ())
        await session.upsert(PEOPLE, self.people)
        await session.run(session.insert(NAMES).on_conflict_do_nothing(), self.names)


async def emptied(session: Session, community: Community, *, paused: bool) -> WhatWasThere:
    """Take what an empty community has out of the way; raises BadSetting where agents live or lived.

    What was spent, who changed what and the server's own provider stay where they are.
    """
    its = community.id
    if await session.value(select(COUNTERS.c.agent).where(owned(COUNTERS, its))):
        raise BadSetting(NOT_EMPTY)
    places = select(OVERRIDES).where(owned(OVERRIDES, its), OVERRIDES.c.name.in_(PLACES))
    there = WhatWasThere(
        its,
        [dict(row) for row in await session.mappings(places)],
        [dict(row) for row in await session.mappings(select(PEOPLE).where(owned(PEOPLE, its)))],
        [dict(row) for row in await session.mappings(select(NAMES).where(owned(NAMES, its)))],
    )
    for table in (COUNTERS, OVERRIDES, PEOPLE, NAMES):
        await session.run(delete(table).where(owned(table, its)))
    await session.run(update(COMMUNITIES).where(COMMUNITIES.c.id == its).values(paused=paused))
    return there
