"""A community copied into a SQLite database in memory, to try things in."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Date, Table

from bot.core.records import CommunityId
from storage.columns import UtcTime, to_microseconds
from storage.database import Database, database_url
from storage.moving.contents import TABLES, counts_itself
from storage.session import Session
from storage.tables import COMMUNITIES, KEPT

AT_A_TIME = 5_000  # rows: what is copied is never twice in memory as a whole


async def clone_community(source: Database, community_id: CommunityId) -> Database:
    """Copy a community with its ids, as it stands at one moment; its full-text index is left to be made."""
    target = Database(database_url("sqlite:///:memory:"))
    async with source.reading() as reading, target.engine.begin() as writing:
        session, copy = Session(reading), Session(writing)
        await _copy(session, copy, COMMUNITIES, community_id)
        for table in (*TABLES, KEPT):
            await _copy(session, copy, table, community_id)
    return target


async def _copy(source: Session, target: Session, table: Table, community_id: int) -> None:
    key = {"communities": "id", "kept": "scope"}.get(table.name, "community_id")
    names = [column.name for column in table.columns if table is COMMUNITIES or not counts_itself(column)]
    columns, marks = ", ".join(names), ", ".join("?" for _ in names)
    order = ", ".join(column.name for column in table.primary_key)
    asked = f"SELECT {columns} FROM {table.name} WHERE {key} = :community_id ORDER BY {order}"  # noqa: S608  # our own names
    async for page in source.plainly(asked, {"community_id": community_id}, AT_A_TIME):
        rows = page if source.is_sqlite else _as_sqlite_has_them(table, names, page)
        await target.put_plainly(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", rows)  # noqa: S608


def _as_sqlite_has_them(table: Table, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[tuple[object, ...]]:
    """Change what PostgreSQL keeps in types of its own; all else is the same in both."""
    moments = [place for place, name in enumerate(names) if isinstance(table.c[name].type, UtcTime)]
    days = [place for place, name in enumerate(names) if isinstance(table.c[name].type, Date)]
    changed: list[tuple[object, ...]] = []
    for row in rows:
        values = list(row)
        for place in moments:
            values[place] = None if values[place] is None else to_microseconds(values[place])
        for place in days:
            values[place] = values[place].isoformat()
        changed.append(tuple(values))
    return changed
