"""One open transaction: statements in, columns out."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

Values = Mapping[str, Any]
Insert = sqlite.Insert | postgresql.Insert


class Session:
    """The ground of all reading and writing: a connection in a transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self.is_sqlite = connection.dialect.name == "sqlite"
        self.erased = False  # messages went: their words must leave the full-text index for good

    async def rows(self, statement: Executable, values: Values | None = None) -> Sequence[Any]:
        """Give all rows, to be read by position."""
        return (await self._connection.execute(statement, values)).all()

    async def mappings(self, statement: Executable, values: Values | None = None) -> Sequence[Values]:
        """Give all rows, to be read by column name."""
        return cast(Sequence[Values], (await self._connection.execute(statement, values)).mappings().all())

    async def first(self, statement: Executable, values: Values | None = None) -> Values | None:
        """Give the first row by column name, if there is one."""
        return cast(Values | None, (await self._connection.execute(statement, values)).mappings().first())

    async def value(self, statement: Executable, values: Values | None = None) -> Any:  # noqa: ANN401  # a column
        """Give the first column of the first row, None without one."""
        return (await self._connection.execute(statement, values)).scalar()

    async def run(self, statement: Executable, values: Values | Sequence[Values] | None = None) -> int:
        """Execute once, or once for each of several sets of values; gives how many rows it touched."""
        if values is not None and not values:
            return 0
        return (await self._connection.execute(statement, values)).rowcount

    def insert(self, table: Table) -> Insert:
        """Give an INSERT of the dialect in use, which can be made an upsert."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    async def upsert(self, table: Table, rows: Sequence[Values], *, keep: Sequence[str] = ()) -> None:
        """Insert rows, or set all their columns but the key and `keep` where the key is there already."""
        if not rows:
            return
        statement = self.insert(table)
        key = [column.name for column in table.primary_key]
        new = {name: statement.excluded[name] for name in rows[0] if name not in key and name not in keep}
        await self.run(statement.on_conflict_do_update(index_elements=key, set_=new), list(rows))


def owned(table: Table, community_id: int) -> ColumnElement[bool]:
    """Give the condition that a row is of this community."""
    return table.c.community_id == community_id
