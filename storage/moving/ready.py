"""Rows as SQLite's driver takes them: made so before anybody waits for who writes them, and beside everything else."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import LargeBinary, Table
from sqlalchemy.engine import Dialect

from storage.columns import Packed
from storage.moving.contents import OWNERS, counts_itself
from storage.session import Field, Session, Values

Plain = tuple[object, ...]  # values as they lie in the database, in the order of the table's columns
Way = Callable[[Any], object] | None  # of values of one column


def ready(table: Table, rows: Sequence[Values], dialect: Dialect) -> list[Plain]:
    """Give rows as the driver takes them: to pack and word their values takes longer than to write them."""
    ways = _ways(table, dialect)
    return [tuple(row[name] if way is None else way(row[name]) for name, way in ways) for row in rows]


async def put(session: Session, table: Table, rows: Sequence[Values | Plain], community_id: int) -> None:
    """Write rows of a community, which are ready for SQLite."""
    if not rows:
        return
    owner = next(name for name in OWNERS if name in table.c)
    if not session.is_sqlite:
        its = {owner: community_id}
        await session.run(session.insert(table), [{**cast(Values, row), **its} for row in rows])
        return
    names = [name for name, _ in _ways(table, session.dialect)]
    columns, values = ", ".join([owner, *names]), ", ".join([str(int(community_id)), *("?" for _ in names)])
    await session.put_plainly(f"INSERT INTO {table.name} ({columns}) VALUES ({values})", cast(list[Plain], rows))  # noqa: S608


@lru_cache(maxsize=128)
def _ways(table: Table, dialect: Dialect) -> tuple[tuple[str, Way], ...]:
    """Give the columns that come in, each with how its values are made ready."""
    columns = [one for one in table.columns if one.name not in OWNERS and not counts_itself(one)]
    return tuple((one.name, _way(one, dialect)) for one in columns)


def _way(column: Field, dialect: Dialect) -> Way:
    way = cast(Way, column.type.dialect_impl(dialect).bind_processor(dialect))
    if way is None or not isinstance(column.type, Packed | LargeBinary):
        return way
    return lambda value: (
        None if (made := way(value)) is None else bytes(cast(bytes, made))
    )  # no view, which no file holds
