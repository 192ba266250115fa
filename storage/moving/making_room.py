"""An empty community makes room for one that comes into its server, and what was decided here goes on to hold."""

from sqlalchemy import delete, or_, select, update

from bot.core.errors import BadSetting
from bot.core.ports import Cipher
from bot.core.records import Community, CommunityId, Snowflake
from storage.forgetting import begin_forgetting
from storage.moving.rehoming import PLACES
from storage.moving.staging import NOTES
from storage.resealing import take_provider_along
from storage.session import INSTALLATION, Session, owned
from storage.tables import AUDIT, COMMUNITIES, COUNTERS, KEPT, NAMES, OVERRIDES, PEOPLE, RESERVATIONS, USAGE

NOT_EMPTY = (
    "Agents live here already, or did: a community can only come into a server in which none was ever made. "
    "Nothing was imported."
)
STAY = (AUDIT, RESERVATIONS, USAGE)  # who changed what here, and what was spent


async def check_empty(session: Session, community: Community, *, hold: bool = False) -> None:
    """Raise BadSetting where agents live or lived, or a community moved in already; `hold`: none is made meanwhile."""
    there = await session.value(select(COMMUNITIES.c.id).where(COMMUNITIES.c.guild_id == community.guild_id))
    agents = select(COUNTERS.c.agent).where(owned(COUNTERS, community.id))
    if there != community.id or await session.value(agents.with_for_update() if hold else agents):
        raise BadSetting(NOT_EMPTY)


async def take_over(
    session: Session, empty: CommunityId, community_id: CommunityId, cipher: Cipher | None, *, is_elsewhere: bool
) -> None:
    """Give what an empty community holds to the one that takes its place, and take it away.

    Who was forgotten here is so again, and who is ignored or muted too; its server's places hold where it came from
    elsewhere. What was spent, who changed what and the server's own provider go along.
    """
    its = {"community_id": community_id}
    if is_elsewhere:
        places = select(OVERRIDES).where(owned(OVERRIDES, empty), OVERRIDES.c.name.in_(PLACES))
        await session.upsert(OVERRIDES, [{**row, **its} for row in await session.mappings(places)])
    people = [{**row, **its} for row in await session.mappings(select(PEOPLE).where(owned(PEOPLE, empty)))]
    for one in people:
        if one["forgotten_at"] is not None:
            await begin_forgetting(session, community_id, Snowflake(one["id"]), one["forgotten_at"], ())
    await session.upsert(PEOPLE, people)
    names = [{**row, **its} for row in await session.mappings(select(NAMES).where(owned(NAMES, empty)))]
    await session.run(session.insert(NAMES).on_conflict_do_nothing(), names)
    for table in STAY:
        await session.run(update(table).where(owned(table, empty)).values(community_id=community_id))
    await take_provider_along(session, cipher, empty, community_id)
    kept = await session.mappings(select(KEPT).where(KEPT.c.scope == empty))
    await session.upsert(KEPT, [{**row, "scope": community_id} for row in kept])
    about_it = or_(*(KEPT.c.name.startswith(f"{kind}:{empty}:") for kind in NOTES))
    await session.run(delete(KEPT).where(or_(KEPT.c.scope == empty, (KEPT.c.scope == INSTALLATION) & about_it)))
    await session.run(delete(COMMUNITIES).where(COMMUNITIES.c.id == empty))
