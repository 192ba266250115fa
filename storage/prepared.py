"""Statements worded once and given to SQLite as they are: SQLAlchemy's way to it takes longer than they do.

A statement of 0.01 ms takes 0.12 ms by way of SQLAlchemy, and more when it is worded anew. What is asked with each
message and each beat is therefore prepared; whatever cannot be done at once on the loop goes SQLAlchemy's way.
Questions that are asked together are one statement on both databases: each would go to PostgreSQL and back by itself.
"""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from sqlalchemy import Connection, Delete, Dialect, Executable, Insert, Row, Select, Table, TextClause, Update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlalchemy.sql.selectable import SelectBase
from sqlalchemy.types import TypeEngine

from storage.inline import HELD_ON_TO, InlineConnection
from storage.tables import METADATA

Values = Mapping[str, Any]  # by column name; what is worded at run time has no types that anybody could tell
PlainRow = tuple[Any, ...]  # of whatever columns were asked for
OneRow = Row[*PlainRow]
Rows = Sequence[OneRow]
Convert = Callable[[Any], Any]  # from or to what a driver has for it
AT_A_TIME = 500  # rows of many whose values are read between two turns of the loop


@dataclass(frozen=True, slots=True)
class Worded:
    """A statement in a database's words: where its values go, what they become, and what becomes of what is found."""

    sql: str
    places: tuple[tuple[str, Convert | None], ...]  # by position
    fixed: Values  # what is not given with each execution, as it goes to SQLite
    columns: tuple[tuple[str, Convert | None], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is found."""
        return tuple(name for name, _ in self.columns)

    def values(self, given: Values) -> list[object]:
        """Give the values of one execution by position."""
        fixed = self.fixed
        return [
            fixed[name] if name not in given else given[name] if convert is None else convert(given[name])
            for name, convert in self.places
        ]

    def rows(self, found: list[PlainRow]) -> list[PlainRow]:
        """Give rows with the values that their columns have."""
        converted = [(place, convert) for place, (_, convert) in enumerate(self.columns) if convert is not None]
        if not converted:
            return found
        rows: list[PlainRow] = []
        for row in found:
            values = list(row)
            for place, convert in converted:
                values[place] = convert(values[place])
            rows.append(tuple(values))
        return rows


EVERYTHING: frozenset[str] = frozenset(METADATA.tables)


def written_by(statement: Executable) -> frozenset[str]:
    """Give the tables whose rows a statement may change; what is deleted takes rows of other tables with it."""
    if isinstance(statement, SelectBase):
        return frozenset()
    if isinstance(statement, Insert | Update | Delete):
        name = cast(Table, statement.table).name
        return EVERYTHING if isinstance(statement, Delete) and name in HELD_ON_TO else frozenset({name})
    return _written_by(str(statement)) if isinstance(statement, TextClause) else EVERYTHING


@lru_cache(maxsize=256)
def _written_by(said: str) -> frozenset[str]:
    return EVERYTHING if "DELETE" in said else frozenset(re.findall(r"(?:INSERT INTO|UPDATE) (\w+)", said))


@lru_cache(maxsize=1_024)
def read_by(said: str) -> frozenset[str]:
    """Give the tables that a statement in a database's words names."""
    return EVERYTHING.intersection(re.findall(r"\w+", said))


class Prepared:
    """A statement whose values are all named, worded once for each set of names that it is given."""

    def __init__(self, statement: Executable) -> None:
        self.statement = statement
        self.writes = written_by(statement)
        self._worded: dict[tuple[str, ...], Worded] = {}

    @property
    def is_ordered(self) -> bool:
        """Whether it tells in which order its rows come."""
        return isinstance(self.statement, Select) and not self.statement.compare(self.statement.order_by(None))

    def worded(self, dialect: Dialect, names: Iterable[str]) -> Worded:
        """Give it in a database's words."""
        key = (dialect.name, *names)
        if (found := self._worded.get(key)) is None:
            found = self._worded[key] = _word(self.statement, dialect, key[1:])
        return found


@dataclass(frozen=True, slots=True)
class WordedTogether:
    """Several statements as one: what it finds are rows of all of them, each with the number of its own."""

    sql: str
    parts: tuple[tuple[str, Worded], ...]

    def values(self, given: Values) -> list[object]:
        """Give the values of one execution by position."""
        return [value for _, worded in self.parts for value in worded.values(given)]

    def answers(self, found: Iterable[PlainRow], *, is_sqlite: bool) -> "Answers":
        """Give the rows by what was asked."""
        sorted_out = zip(self.parts, self._sorted_out(found, is_sqlite=is_sqlite), strict=True)
        return Answers({name: Answer(worded, worded.rows(its)) for (name, worded), its in sorted_out})

    async def answers_in_turns(self, found: Iterable[PlainRow], *, is_sqlite: bool) -> "Answers":
        """Give the same of any number of rows, while others have their turn."""
        answers: dict[str, Answer] = {}
        for (name, worded), its in zip(self.parts, self._sorted_out(found, is_sqlite=is_sqlite), strict=True):
            rows: list[PlainRow] = []
            for start in range(0, len(its), AT_A_TIME):
                rows += worded.rows(its[start : start + AT_A_TIME])
                if len(its) > AT_A_TIME:
                    await asyncio.sleep(0)
            answers[name] = Answer(worded, rows)
        return Answers(answers)

    def _sorted_out(self, found: Iterable[PlainRow], *, is_sqlite: bool) -> list[list[PlainRow]]:
        rows: list[list[PlainRow]] = [[] for _ in self.parts]
        if is_sqlite:
            wide = [1 + len(worded.columns) for _, worded in self.parts]
            for row in found:
                rows[row[0]].append(row[1 : wide[row[0]]])
        else:
            for number, row in found:
                rows[number].append(row)
        return rows


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question found."""

    worded: Worded
    rows: list[PlainRow]

    def mappings(self) -> list[Values]:
        """Give the rows by column name."""
        return [dict(zip(self.worded.names, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Answers:
    """What several questions found, by their names; in which order the rows of one come is for its reader to say."""

    found: Mapping[str, "Answer"]

    def rows(self, name: str) -> Rows:
        """Give the rows of one question, to be read by position; none where it was not asked."""
        return cast(Rows, self.found[name].rows if name in self.found else ())

    def mappings(self, name: str) -> list[Values]:
        """Give the rows of one question, to be read by column name."""
        return self.found[name].mappings()


class Together:
    """Questions that are asked in one statement, so that all see the same moment and there is one way to and fro.

    Nothing tells in which order the rows of one come: it is not asked for either.
    """

    def __init__(self, **asked: Executable) -> None:
        self._asked = {name: Prepared(_in_any_order(one)) for name, one in asked.items()}
        self._worded: dict[tuple[str, ...], WordedTogether] = {}

    def worded(self, dialect: Dialect, names: Iterable[str]) -> WordedTogether:
        """Give them in a database's words."""
        key = (dialect.name, *names)
        if (found := self._worded.get(key)) is None:
            parts = tuple((name, one.worded(dialect, key[1:])) for name, one in self._asked.items())
            found = self._worded[key] = _together(parts, is_sqlite=dialect.name == "sqlite")
        return found


Question = tuple[Prepared, Values]


@cache
def together(asked: tuple[Prepared, ...]) -> Together:
    """Give questions as one, named by their numbers; none of them may tell an order."""
    if any(one.is_ordered for one in asked):
        raise ValueError("what is asked ahead comes in any order: put it in order where it is read")
    return Together(**{str(number): one.statement for number, one in enumerate(asked)})


def _in_any_order(asked: Executable) -> Executable:
    return asked.order_by(None) if isinstance(asked, Select) else asked


def _together(parts: tuple[tuple[str, Worded], ...], *, is_sqlite: bool) -> WordedTogether:
    """SQLite takes columns of any kind below each other, PostgreSQL whole rows."""
    if not all(one.columns for _, one in parts):
        raise ValueError("a statement that was worded as text tells no columns: ask it by itself")
    if any(re.search(r"\b(LIMIT|FETCH)\b", one.sql.rpartition(")")[2]) for _, one in parts):
        raise ValueError("the first of some depend on their order: put the LIMIT into a subquery")
    wide = max(len(one.columns) for _, one in parts)
    said: list[str] = []
    given = 0
    for number, (_, one) in enumerate(parts):
        if is_sqlite:
            said.append(f"SELECT {number} AS part, *{', NULL' * (wide - len(one.columns))} FROM ({one.sql})")  # noqa: S608  # our own
        else:
            moved = re.sub(r"\$(\d+)", lambda place, by=given: f"${int(place[1]) + by}", one.sql)  # type: ignore[misc]
            said.append(f"SELECT {number} AS part, found FROM ({moved}) AS found")  # noqa: S608  # our own
        given += len(one.places)
    return WordedTogether(" UNION ALL ".join(said), parts)


def _word(statement: Executable, dialect: Dialect, names: tuple[str, ...]) -> Worded:
    compiled = statement.compile(  # type: ignore[attr-defined]
        dialect=dialect, column_keys=list(names) or None
    )
    assert isinstance(compiled, SQLCompiler)  # noqa: S101  # as the dialect says
    places = tuple((name, _to(compiled.binds[name].type, dialect)) for name in compiled.positiontup or ())
    defaults = {
        one.key: one.default.arg
        for one in compiled.insert_prefetch
        if isinstance(one.default, ScalarElementColumnDefault)
    }
    held = {name: defaults.get(name, compiled.binds[name].effective_value) for name, _ in places if name not in names}
    fixed = {name: convert(held[name]) if convert else held[name] for name, convert in places if name in held}
    return Worded(compiled.string, places, fixed, tuple(_columns(statement, dialect)))


def _columns(statement: Executable, dialect: Dialect) -> Iterable[tuple[str, Convert | None]]:
    if isinstance(statement, SelectBase) and not isinstance(statement, TextClause):
        for name, column in statement.selected_columns.items():
            yield name, column.type.dialect_impl(dialect).result_processor(dialect, None)


def _to(type_: TypeEngine[Any], dialect: Dialect) -> Convert | None:  # of any values
    return type_.dialect_impl(dialect).bind_processor(dialect)


class Lane:
    """The straight way to an open SQLite connection, while the loop may take it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        driver = connection.connection.driver_connection
        assert isinstance(driver, InlineConnection)  # noqa: S101  # as `storage.database` opens it
        self._driver = driver

    def rows(self, asked: Prepared, given: Values) -> tuple[list[PlainRow], Worded] | None:
        """Give all rows; None when it has to go the other way."""
        if self._is_watched():
            return None
        worded = asked.worded(self._connection.dialect, given)
        values = worded.values(given)
        try:
            found = self._driver.read_at_once(worded.sql, values)
        except sqlite3.Error as error:
            raise self._fault(worded, error) from error
        return None if found is None else (worded.rows(found), worded)

    def together(self, worded: WordedTogether, given: Values) -> Answers | None:
        """Give the rows of several questions; None when they have to go the other way."""
        if self._is_watched():
            return None
        try:
            found = self._driver.read_at_once(worded.sql, worded.values(given))
        except sqlite3.Error as error:
            raise self._fault(worded, error) from error
        return None if found is None else worded.answers(found, is_sqlite=True)

    def run(self, wanted: Prepared, given: Sequence[Values]) -> int | None:
        """Execute once for each set of values; gives how many rows it touched, None when it goes the other way."""
        if self._is_watched():
            return None
        worded = wanted.worded(self._connection.dialect, given[0])
        try:
            return self._driver.write_at_once(worded.sql, [worded.values(one) for one in given])
        except sqlite3.Error as error:
            raise self._fault(worded, error) from error

    def _is_watched(self) -> bool:
        """Whether somebody listens to what SQLAlchemy executes."""
        return bool(self._connection.dispatch.before_cursor_execute)

    def _fault(self, worded: Worded | WordedTogether, error: sqlite3.Error) -> Exception:
        """Give a fault as SQLAlchemy would raise it; values may be anybody's words, and are left out."""
        fault: Exception = DBAPIError.instance(
            worded.sql, None, error, sqlite3.Error, hide_parameters=True, dialect=self._connection.dialect
        )
        return fault
