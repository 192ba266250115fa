"""A community moves in: in many short transactions, under a number that no server has, until the last one shows it.

Others write in between. What a kill leaves of it nobody ever sees; it goes at the next start, or at the next try.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from sqlalchemy import ColumnElement, Table, delete, or_, select, tuple_

from bot.core.errors import BadSetting
from bot.core.records import CommunityId, Snowflake
from storage.communities import HERE
from storage.database import Database
from storage.ids import CountedIds
from storage.late_indexing import index_later
from storage.moving.arrival import admitted
from storage.prepared import PlainRow
from storage.session import INSTALLATION, Field, Session, Values, key_of, owned
from storage.tables import COMMUNITIES, KEPT, MESSAGES, METADATA
from storage.talking import NOT_YET, unindex

AT_ONCE = 200  # rows that are written, changed or removed in one transaction
MOVES_IN = "A community is moving in here just now: try again in a minute."
NOTES = ("silence", "forgetting")  # kept for the installation about a community: silence:community:mark
Keys = list[PlainRow]


@asynccontextmanager
async def short_turn(database: Database, community_id: CommunityId | None = None) -> AsyncIterator[Session]:
    """Open a short transaction, and leave as much time again to others; ids are counted for that community."""
    async with database.writing() as connection:
        began = time.monotonic()
        ids = CountedIds(community_id)
        await ids.open(connection)
        yield Session(connection, ids)
        await ids.flush(connection)
    await asyncio.sleep(time.monotonic() - began)


async def keys_in(
    database: Database, community_id: CommunityId, table: Table, *which: ColumnElement[bool]
) -> AsyncGenerator[Keys, None]:
    """Give the keys of a community's rows, so many at a time, outside of any transaction."""
    key = _key(table)
    asked = select(*key).where(owned(table, community_id), *which).order_by(*key).limit(AT_ONCE)
    page: Keys = []
    while True:
        beyond = asked.where(tuple_(*key) > page[-1]) if page else asked
        async with database.reading() as connection:
            page = [tuple(row) for row in await Session(connection).rows(beyond)]
        if not page:
            return
        yield page


def among(table: Table, keys: Keys) -> ColumnElement[bool]:
    """Give the condition that a row's key is one of these."""
    return tuple_(*_key(table)).in_(keys)


def _key(table: Table) -> tuple[Field, ...]:
    return key_of(table) or tuple(table.primary_key)  # of counters there is one row


async def begin(database: Database, guild_id: Snowflake, told: Values) -> CommunityId:
    """Make the hidden community, whose index is written once it is there; raises BadSetting while one moves in."""
    if guild_id in database.arriving:
        raise BadSetting(MOVES_IN)
    database.arriving.add(guild_id)
    try:
        async with database.reading() as connection:
            asked = select(COMMUNITIES.c.id).where(COMMUNITIES.c.guild_id == -guild_id)
            left = await Session(connection).value(asked)
        if left is not None:
            await clear(database, left)
        hidden = admitted(COMMUNITIES, {"guild_id": guild_id, "name": told["name"], "paused": True})
        async with short_turn(database) as session:
            made = session.insert(COMMUNITIES).returning(COMMUNITIES.c.id)
            community_id = CommunityId(int(await session.value(made, {**hidden, "guild_id": -guild_id})))
            await session.run(delete(KEPT).where(KEPT.c.scope == community_id))  # of who had the number before
            if session.is_sqlite:
                await index_later(session, community_id)
    except BaseException:
        database.arriving.discard(guild_id)
        raise
    return community_id


async def clear(database: Database, community_id: CommunityId) -> None:
    """Take away a community that never came in, bit by bit."""
    for table in reversed(METADATA.sorted_tables):
        if "community_id" in table.c:
            await remove(database, community_id, table)
    noted = or_(
        KEPT.c.name.in_((f"{NOT_YET}{community_id}", f"seen:{community_id}")),
        *(KEPT.c.name.startswith(f"{kind}:{community_id}:") for kind in NOTES),
    )
    async with short_turn(database) as session:
        await session.run(delete(KEPT).where(KEPT.c.scope == INSTALLATION, noted))
        await session.run(delete(KEPT).where(KEPT.c.scope == community_id))
        await session.run(delete(COMMUNITIES).where(COMMUNITIES.c.id == community_id, ~HERE))


async def remove(database: Database, community_id: CommunityId, table: Table, *which: ColumnElement[bool]) -> None:
    """Remove rows of a community bit by bit; nothing of it may be in SQLite's index."""
    async with aclosing(keys_in(database, community_id, table, *which)) as pages:
        async for keys in pages:
            async with short_turn(database) as session:
                if table is MESSAGES:
                    await unindex(session, community_id, [(key[0], 0, "") for key in keys])
                await session.run(delete(table).where(owned(table, community_id), among(table, keys)))


async def clear_unfinished(database: Database) -> None:
    """Take away what a kill left of communities that moved in; nobody else may be at it."""
    async with database.reading() as connection:
        left = await Session(connection).rows(select(COMMUNITIES.c.id, COMMUNITIES.c.guild_id).where(~HERE))
    for community_id, number in left:
        if -number not in database.arriving:
            await clear(database, community_id)
