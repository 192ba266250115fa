"""A community copied into a SQLite database in memory, to try things in."""

from sqlalchemy import Connection, Table, insert, select, text

from bot.core.records import CommunityId
from storage.database import Database, database_url
from storage.moving.contents import TABLES, counts_itself
from storage.planning import tell_planner
from storage.session import Session
from storage.tables import COMMUNITIES, KEPT, METADATA
from storage.talking import INDEX_SQLITE

AT_A_TIME = 5_000


async def clone_community(source: Database, community_id: CommunityId) -> Database:
    """Copy a community with its ids, as it stands at one moment; its full-text index is left to be made."""
    target = Database(database_url("sqlite:///:memory:"))
    async with source.reading() as reading, target.engine.begin() as writing:
        await writing.run_sync(_make_tables)
        session, copy = Session(reading), Session(writing)
        await _copy(session, copy, COMMUNITIES, community_id)
        for table in (*TABLES, KEPT):
            await _copy(session, copy, table, community_id)
    return target


def _make_tables(connection: Connection) -> None:
    """Make the newest schema at once: running every migration would take longer than the copy."""
    METADATA.create_all(connection)
    connection.execute(text(INDEX_SQLITE))
    tell_planner(connection)


async def _copy(source: Session, target: Session, table: Table, community_id: int) -> None:
    key = {"communities": "id", "kept": "scope"}.get(table.name, "community_id")
    names = [column.name for column in table.columns if table is COMMUNITIES or not counts_itself(column)]
    if not source.is_sqlite:
        asked = select(*(table.c[name] for name in names)).where(table.c[key] == community_id)
        async for rows in source.pages(asked.order_by(*table.primary_key), AT_A_TIME):
            await target.run(insert(table), [dict(row) for row in rows])
        return
    columns, marks = ", ".join(names), ", ".join("?" for _ in names)
    order = ", ".join(column.name for column in table.primary_key)
    asked_plainly = f"SELECT {columns} FROM {table.name} WHERE {key} = ? ORDER BY {order}"  # noqa: S608  # our own names
    found = await source.plainly(asked_plainly, (community_id,))
    if found:
        await target.plainly(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", found)  # noqa: S608
