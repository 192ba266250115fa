"""The search index of what came in at once: written in short transactions after it, and noted to go on after a kill.

The note says up to which message that has come. Until then the index neither takes in nor gives up later ones
(storage.talking): SQLite's would be damaged by words that leave it and were never in it.
"""

import asyncio
from collections.abc import Iterator

from sqlalchemy import ColumnElement, and_, delete, select

from storage.communities import HERE
from storage.database import Database
from storage.faults import Troubles, apart
from storage.owed import PAUSE_SECONDS
from storage.session import INSTALLATION, OneRow, Query, Rows, Session, owned
from storage.tables import COMMUNITIES, KEPT, MESSAGES
from storage.talking import NOT_YET, indexed, put_into_index

AT_A_TIME = 200
CHARACTERS_AT_A_TIME = 100_000


async def index_later(session: Session, community_id: int) -> None:
    """Note in the transaction that nothing of a community is in the index yet."""
    await session.upsert(KEPT, [{"scope": INSTALLATION, "name": f"{NOT_YET}{community_id}", "value": 0}])


async def index_rest(database: Database) -> Troubles:
    """Write all that is still to be written; gives what was in the way, by community."""
    begun = (KEPT.c.scope == INSTALLATION, KEPT.c.name.startswith(NOT_YET))
    async with database.reading() as connection:
        session = Session(connection)
        coming = {row[0] for row in await session.rows(select(COMMUNITIES.c.id).where(~HERE))}
        notes = {int(row[0].removeprefix(NOT_YET)) for row in await session.rows(select(KEPT.c.name).where(*begun))}
    troubles: dict[int, Exception] = {}
    for community_id in sorted(notes - coming):
        with apart(community_id, troubles):
            done = False
            while not done:
                done = await _some(database, community_id)
                await asyncio.sleep(0 if done else PAUSE_SECONDS)
    return troubles


async def _some(database: Database, community_id: int) -> bool:
    """Write some more of it; tells whether that was all. What the words are is worked out before anybody waits."""
    async with database.reading() as connection:
        session = Session(connection)
        mark = await session.value(select(KEPT.c.value).where(_note(community_id)))
        if mark is None:
            return True  # somebody else has ended it
        page = await session.rows(_after(community_id, mark))
    lines = list(_few(page))
    words = {row.id: row.content for row in lines}
    known = await asyncio.to_thread(lambda: {row.id: indexed(*row[:3]) for row in lines})
    async with database.writing() as connection:
        session = Session(connection)
        if await session.value(select(KEPT.c.value).where(_note(community_id))) != mark:
            return False  # somebody else went on with it
        is_all = len(lines) == len(page) < AT_A_TIME
        upto = () if is_all else (MESSAGES.c.id <= lines[-1].id,)
        now = await session.rows(_after(community_id, mark).where(*upto))
        same = [row for row in now if words.get(row.id) == row.content]
        fresh = [indexed(*row[:3]) for row in now if words.get(row.id) != row.content and row.shown]
        await put_into_index(session, community_id, [*(known[row.id] for row in same if row.shown), *fresh])
        if is_all and len(now) < AT_A_TIME:
            await session.run(delete(KEPT).where(_note(community_id)))
            return True
        await session.run(KEPT.update().where(_note(community_id)).values(value=now[-1].id if now else lines[-1].id))
    return False


def _note(community_id: int) -> ColumnElement[bool]:
    return and_(KEPT.c.scope == INSTALLATION, KEPT.c.name == f"{NOT_YET}{community_id}")


def _after(community_id: int, mark: int) -> Query:
    asked = select(MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.content, MESSAGES.c.shown)
    return asked.where(owned(MESSAGES, community_id), MESSAGES.c.id > mark).order_by(MESSAGES.c.id).limit(AT_A_TIME)


def _few(page: Rows) -> Iterator[OneRow]:
    """Give as many as are not too long together, but at least one."""
    left = CHARACTERS_AT_A_TIME
    for row in page:
        if left <= 0:
            return
        left -= len(row.content)
        yield row
