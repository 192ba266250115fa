"""All that is in a database, in another and empty one of either kind: the same rows, with the same ids."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Select, Table, func, select, text

from bot.core.errors import BadSetting
from storage.database import Database
from storage.late_indexing import index_later
from storage.moving.archive import rows_at_a_time
from storage.session import Session
from storage.tables import COMMUNITIES, METADATA

NOT_EMPTY: Final = "There is something in that database already: name an empty one; nothing was copied."
_NEXT_ID = text(
    "SELECT setval(pg_get_serial_sequence('communities', 'id'), greatest(1, (SELECT max(id) FROM communities)))"
)


async def copy_whole(source: Database, target: Database, progress: Callable[[int, int], None]) -> int:
    """Copy every row into a database that is up to date and empty, in one transaction; gives how many there were.

    `progress` is told how many of how many are done. The full-text index is noted to be written afterwards. Raises
    BadSetting where something is there already.
    """
    async with source.reading() as given, target.writing() as taken:
        there, here = Session(given), Session(taken)
        tables = METADATA.sorted_tables
        if any([await _count(here, table) for table in tables]):
            raise BadSetting(NOT_EMPTY)
        total, done = sum([await _count(there, table) for table in tables]), 0
        for table in tables:
            async for rows in there.pages(_in_order(table), rows_at_a_time(table)):
                await here.put(table, [dict(row) for row in rows])
                progress(done := done + len(rows), total)
        for (community_id,) in await here.rows(select(COMMUNITIES.c.id)):
            await index_later(here, community_id)
        if not target.is_sqlite:
            await here.run(_NEXT_ID)
    return done


async def _count(session: Session, table: Table) -> int:
    return int(await session.value(select(func.count()).select_from(table)) or 0)


def _in_order(table: Table) -> Select[tuple[object, ...]]:
    """Ask for all rows, those first that others of the table stand on."""
    key = set(table.primary_key.columns)
    own = {fk.parent for fk in table.foreign_keys if fk.column.table is table and fk.parent not in key}
    return select(table).order_by(*(column.is_not(None) for column in own), *table.primary_key)
