"""One open transaction: statements in, columns out."""

import json
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, lru_cache
from typing import Any, TypeVar, cast

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Executable,
    Select,
    String,
    Table,
    any_,
    literal,
    literal_column,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.errors import Unreadable
from bot.core.happenings import Happening
from bot.core.records import Community
from storage.ids import CountedIds
from storage.prepared import (
    Answer,
    Answers,
    Lane,
    PlainRow,
    Prepared,
    Question,
    Together,
    read_by,
    together,
    written_by,
)
from storage.prepared import OneRow as OneRow
from storage.prepared import Rows as Rows
from storage.prepared import Values as Values

T = TypeVar("T")
Query = Select[*PlainRow]
Statement = Executable | Prepared
Term = ColumnElement[Any]  # of any type
Field = Column[Any]  # of any type
# what a value raises that is no value of its column, or none that its record takes
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, OSError, zlib.error)
INSTALLATION = 0  # the scope of what is kept for no community in particular
Insert = sqlite.Insert | postgresql.Insert


class Session:
    """The ground of all reading and writing: a connection in a transaction."""

    def __init__(
        self, connection: AsyncConnection, ids: CountedIds | None = None, unindexed: set[int] | None = None
    ) -> None:
        self._connection = connection
        self.ids = ids or CountedIds(None)
        self.dialect = connection.dialect
        self.is_sqlite = connection.dialect.name == "sqlite"
        # communities of a clone whose full-text index is made when it is asked
        self.unindexed = set() if unindexed is None else unindexed
        self.to_recount: set[int] = set()  # agents whose next beat is counted once, when all else is written
        self._lane = Lane(connection.sync_connection) if self.is_sqlite and connection.sync_connection else None
        self.community: Community | None = None  # as it is now, when it was asked for within this transaction
        self._ahead: dict[Prepared, list[tuple[Values, Answer]]] = {}  # what was asked before somebody wants to know
        self.happenings: list[Happening] = []  # what is told once the transaction is done
        self.erased = False  # messages went: their words must leave the full-text index for good

    async def rows(self, statement: Statement, values: Values | None = None) -> Rows:
        """Give all rows, to be read by position."""
        if isinstance(statement, Prepared):
            if (known := self._known(statement, values)) is not None:
                return cast(Rows, known.rows)
            found = self._lane.rows(statement, values or {}) if self._lane is not None else None
            if found is not None:
                return cast(Rows, found[0])
            statement = statement.statement
        self._changes(written_by(statement))
        return (await self._connection.execute(statement, values)).all()

    async def ask_ahead(self, asked: Sequence[Question]) -> None:
        """Ask in one statement what will be asked one by one, in any order.

        What is then asked with other values, or after something was written that it reads, is asked anew.
        """
        values: dict[str, object] = {}
        for _, given in asked:
            if any(values.get(name, value) != value for name, value in given.items()):
                raise ValueError("questions that are asked ahead call different values alike")
            values |= given
        found = await self.together(together(tuple(one for one, _ in asked)), values)
        for number, (one, given) in enumerate(asked):
            self._ahead.setdefault(one, []).append((given, found.found[str(number)]))

    def _known(self, asked: Prepared, values: Values | None) -> Answer | None:
        """Give what was asked ahead and still holds."""
        self._changes(asked.writes)
        if (given := self._ahead.get(asked)) is None:
            return None
        return next((answer for its, answer in given if its == values), None)

    def _changes(self, tables: frozenset[str]) -> None:
        """Know no more what reads tables whose rows change."""
        if self._ahead and tables:
            for one, found in list(self._ahead.items()):
                if any(tables & read_by(answer.worded.sql) for _, answer in found):
                    del self._ahead[one]

    async def together(self, asked: Together, values: Values) -> Answers:
        """Give what several questions find, in one statement."""
        worded = asked.worded(self.dialect, values)
        found = self._lane.together(worded, values) if self._lane is not None else None
        if found is not None:
            return found
        rows = await self._connection.exec_driver_sql(worded.sql, tuple(worded.values(values)))
        return await worded.answers_in_turns(map(tuple, rows.all()), is_sqlite=self.is_sqlite)

    async def leafed(self, asked: Query, table: Table, size: int) -> AsyncGenerator[Rows, None]:
        """Give rows of one community's part of a table, with their key last, so many at a time though they change.

        Each page is a statement of its own, so that others work in between.
        """
        key = key_of(table)
        paged = asked.add_columns(*key).order_by(*key).limit(size)
        page = await self.rows(paged)
        while page:
            yield page
            last = tuple(page[-1])[-len(key) :]
            page = await self.rows(paged.where(tuple_(*key) > last)) if len(page) == size else ()

    async def mappings(self, statement: Statement, values: Values | None = None) -> Sequence[Values]:
        """Give all rows, to be read by column name."""
        if isinstance(statement, Prepared):
            if (known := self._known(statement, values)) is not None:
                return known.mappings()
            found = self._lane.rows(statement, values or {}) if self._lane is not None else None
            if found is not None:
                rows, worded = found
                return [dict(zip(worded.names, row, strict=True)) for row in rows]
            statement = statement.statement
        self._changes(written_by(statement))
        result = await self._connection.execute(statement, values)
        names = tuple(result.keys())
        return [dict(zip(names, row, strict=True)) for row in result.all()]  # a row's own mapping is much slower

    async def records(self, asked: Query, table: Table, make: Callable[[Values], T]) -> list[T]:
        """Make a record of each row of one table; raises Unreadable, naming the rows, where that cannot be done."""
        try:
            return [make(row) for row in await self.mappings(asked)]
        except UNREADABLE:
            key, bad = tuple(table.primary_key), []
            for id_ in await self.rows(asked.with_only_columns(*key)):
                try:
                    [make(row) for row in await self.mappings(select(table).where(tuple_(*key) == tuple_(*id_)))]
                except UNREADABLE:
                    bad.append(tuple(id_))
            if not bad:
                raise
            raise Unreadable(table.name, bad) from None

    async def first(self, statement: Statement, values: Values | None = None) -> Values | None:
        """Give the first row by column name, if there is one."""
        if isinstance(statement, Prepared):
            found = await self.mappings(statement, values)
            return found[0] if found else None
        self._changes(written_by(statement))
        return cast(Values | None, (await self._connection.execute(statement, values)).mappings().first())

    async def value(self, statement: Statement, values: Values | None = None) -> Any:  # noqa: ANN401  # a column
        """Give the first column of the first row, None without one."""
        if isinstance(statement, Prepared):
            found = await self.rows(statement, values)
            return found[0][0] if found else None
        self._changes(written_by(statement))
        return (await self._connection.execute(statement, values)).scalar()

    async def run(self, statement: Statement, values: Values | Sequence[Values] | None = None) -> int:
        """Execute once, or once for each of several sets of values; gives how many rows it touched."""
        if values is not None and not values:
            return 0
        self._changes(statement.writes if isinstance(statement, Prepared) else written_by(statement))
        if isinstance(statement, Prepared):
            given = [values] if isinstance(values, Mapping) else values
            touched = self._lane.run(statement, given) if self._lane is not None and given else None
            if touched is not None:
                return touched
            statement = statement.statement
        return (await self._connection.execute(statement, values)).rowcount

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """Open a part of the transaction: when its block ends with an error, only the part is undone."""
        told = len(self.happenings)
        try:
            async with self._connection.begin_nested():
                yield
        except BaseException:
            self._ahead.clear()  # it may have been asked within
            del self.happenings[told:]
            raise

    async def pages(self, statement: Executable, size: int) -> AsyncIterator[Sequence[Values]]:
        """Give rows by column name, so many at a time: never all in memory."""
        async with self._connection.stream(statement) as result:
            async for page in result.mappings().partitions(size):
                yield cast(Sequence[Values], page)

    async def plainly(self, statement: str, values: Values, size: int) -> AsyncIterator[list[tuple[object, ...]]]:
        """Give rows with values as they lie in the database, so many at a time."""
        async with self._connection.stream(text(statement), values) as result:
            async for page in result.partitions(size):
                yield [tuple(row) for row in page]

    async def put_plainly(self, statement: str, rows: list[tuple[object, ...]]) -> None:
        """Write rows in the driver's own words, with values as they are to lie in the database."""
        self._ahead.clear()
        await self._connection.exec_driver_sql(statement, rows)

    def is_one_of(self, column: Term, values: Collection[int]) -> ColumnElement[bool]:
        """Give the condition that a number is among many: for PostgreSQL as one array, which is planned at once."""
        if self.is_sqlite:
            return column.in_(values)
        return column == any_(literal(list(values), postgresql.ARRAY(BigInteger)))

    def many(self, values: Collection[int]) -> str | list[int]:
        """Give many numbers as one value of a statement: JSON for SQLite, an array for PostgreSQL."""
        return json.dumps(list(values)) if self.is_sqlite else list(values)

    async def put(self, table: Table, rows: Sequence[Values]) -> None:
        """Insert rows, which all have the same columns."""
        await self.run(putting(table, is_sqlite=self.is_sqlite), rows)

    def insert(self, table: Table) -> Insert:
        """Give an INSERT of the dialect in use, which can be made an upsert."""
        return inserting(table, is_sqlite=self.is_sqlite)

    async def upsert(self, table: Table, rows: Sequence[Values], *, keep: Sequence[str] = ()) -> None:
        """Insert rows, or set all their columns but the key and `keep` where the key is there already."""
        if not rows:
            return
        await self.run(upserting(table, tuple(rows[0]), tuple(keep), is_sqlite=self.is_sqlite), list(rows))


@lru_cache(maxsize=128)  # to word it takes longer than to execute it
def inserting(table: Table, *, is_sqlite: bool) -> Insert:
    """Give the statement that inserts rows."""
    return sqlite.insert(table) if is_sqlite else postgresql.insert(table)


@cache
def putting(table: Table, *, is_sqlite: bool) -> Prepared:
    """Give the statement that inserts rows, prepared."""
    return Prepared(inserting(table, is_sqlite=is_sqlite))


@lru_cache(maxsize=64)
def upserting(table: Table, names: tuple[str, ...], keep: tuple[str, ...], *, is_sqlite: bool) -> Prepared:
    """Give the statement that inserts rows of these columns, or sets all but the key and `keep`."""
    statement = inserting(table, is_sqlite=is_sqlite)
    key = [column.name for column in table.primary_key]
    new = {name: statement.excluded[name] for name in names if name not in key and name not in keep}
    return Prepared(statement.on_conflict_do_update(index_elements=key, set_=new))


def literally(*values: str) -> tuple[Term, ...]:
    """Give words of our own as they stand in a statement: SQLite uses a partial index only where it sees them."""
    return tuple(literal_column(f"'{value}'", String) for value in values)


def key_of(table: Table) -> tuple[Field, ...]:
    """Give the columns that tell the rows of one community apart."""
    return tuple(column for column in table.primary_key if column.name != "community_id")


def owned(table: Table, community_id: int) -> ColumnElement[bool]:
    """Give the condition that a row is of this community."""
    return table.c.community_id == community_id
