"""A store in memory that is looked at by many, one after the other: what was read is read again once it is written.

Who asks for the same as somebody before them gets the same answer, as long as no statement has written to any table
that was named by a statement of that answer: SQLite itself tells of all that it executes. So many surfaces can be drawn
of one moment, and of the next one, in a third of the time; that nothing is told which is not so any more is held to by
drawing some without it (`afresh`).
"""

import inspect
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from unittest.mock import patch

from storage.inline import HELD_ON_TO, SEARCHED, InlineConnection
from storage.store import SqlStore
from storage.tables import METADATA

EVERYTHING = frozenset({*METADATA.tables, SEARCHED})
NOT_REMEMBERED = frozenset({"personal"})  # it writes into what it is given
MOST = 4_000
# what stands in a statement and names no table: values, columns of a table, names for what is found
_NO_TABLE = re.compile(r"'(?:[^']|'')*'|\.\s*\w+|\bAS \w+")
_WRITES = re.compile(r"\s*(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)")
_MARKS = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA", "--")
_Answer = tuple[object, Mapping[str, int]]  # with how often the tables it comes from had been written


@lru_cache(maxsize=MOST)
def read_in(statement: str) -> frozenset[str]:
    """Give the tables that a statement names."""
    return EVERYTHING.intersection(re.findall(r"\w+", _NO_TABLE.sub(" ", statement)))


def written_in(statement: str) -> frozenset[str]:
    """Give the tables that a statement may write: all where that is not plain, or rows of others may go along."""
    if statement.startswith(_MARKS):
        return frozenset()
    if statement.startswith(("SELECT", "WITH")) and not re.search(r"\b(INSERT|UPDATE|DELETE|REPLACE)\b", statement):
        return frozenset()
    found = _WRITES.match(statement)
    if found is None or found[1] not in EVERYTHING or (found[0].startswith("DELETE") and found[1] in HELD_ON_TO):
        return EVERYTHING
    return frozenset({found[1]})


class Remembered:
    """The answers of one store's reading, and how often each table was written; use `of` to make one."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store
        self._answers: dict[object, _Answer] = {}
        self._written = Counter[str]()
        self._asked: list[set[str]] = []  # of each question that is being answered: the tables it has named so far

    def note(self, statement: str) -> None:
        """Take note of a statement that SQLite executes."""
        if written := written_in(statement):
            self._written.update(written)
        elif self._asked and not statement.startswith(_MARKS):
            for tables in self._asked:
                tables |= read_in(statement)

    @asynccontextmanager
    async def moment(self) -> AsyncIterator[None]:
        """Have all that is read within be of one transaction, and be read once."""
        async with self._store.reading() as read:
            parts = {name: self._part(name, part) for name, part in vars(read).items()}
            again = _Again(parts)

            @asynccontextmanager
            async def reading() -> AsyncIterator[_Again]:
                yield again

            with patch.object(self._store, "reading", reading):
                yield

    def _part(self, name: str, part: object) -> object:
        return part if name in ("session", *NOT_REMEMBERED) else _Part(part, partial(self._answered, name, part))

    async def _answered(self, name: str, part: object, method: str, args: tuple[object, ...], more: object) -> object:
        """Give what a part's method answers, if it can be, as it did before."""
        assert isinstance(more, dict)
        try:
            known = self._answers.get(key := (name, method, _frozen(args), _frozen(more)))
        except TypeError:
            return await getattr(part, method)(*args, **more)
        if known is None or any(self._written[table] != times for table, times in known[1].items()):
            tables = set[str]()
            self._asked.append(tables)
            try:
                found = await getattr(part, method)(*args, **more)
            finally:
                self._asked.remove(tables)
            if len(self._answers) >= MOST:
                self._answers.clear()
            known = self._answers[key] = (found, {table: self._written[table] for table in tables})
        for around in self._asked:
            around.update(known[1])
        return known[0]


class _Again:
    """`bot.core.ports.Reading` in parts that remember."""

    def __init__(self, parts: Mapping[str, object]) -> None:
        self.__dict__.update(parts)


class _Part:
    """One part of a reading: what it is asked and waited for is remembered."""

    def __init__(self, part: object, answered: Callable[..., object]) -> None:
        self._part, self._answered = part, answered

    def __getattr__(self, method: str) -> object:
        real = getattr(self._part, method)
        if not inspect.iscoroutinefunction(real):
            return real

        async def asked(*args: object, **more: object) -> object:
            return await self._answered(method, args, more)  # type: ignore[misc]

        setattr(self, method, asked)
        return asked


def _frozen(value: object) -> object:
    """Give what two equal arguments have in common, and no others."""
    if isinstance(value, dict):
        return dict, tuple((one, _frozen(what)) for one, what in sorted(value.items()))
    if isinstance(value, list | tuple):
        return type(value), tuple(map(_frozen, value))
    return (frozenset, frozenset(value)) if isinstance(value, set | frozenset) else (type(value), value)


async def _at_once(self: InlineConnection, fn: Callable[..., object], *args: object, **more: object) -> object:
    """Do on the loop what a thread would: nobody else wants it meanwhile."""
    self._in_a_row = 0
    self._writes = self._writes and getattr(fn, "__name__", "") not in ("commit", "rollback")
    return fn(*args, **more)


def _without_bounds(self: InlineConnection, fn: Callable[[], object]) -> object:
    """Read to the end: nobody waits for the loop meanwhile."""
    return fn()


@asynccontextmanager
async def remembering(store: SqlStore) -> AsyncIterator[Remembered]:
    """Give what a store in memory remembers."""
    remembered = Remembered(store)
    with (
        patch.object(InlineConnection, "_in_thread", _at_once),
        patch.object(InlineConnection, "_within_bounds", _without_bounds),
    ):
        await store.database.plainly(lambda connection: connection.set_trace_callback(remembered.note))
        yield remembered
        await store.database.plainly(lambda connection: connection.set_trace_callback(None))
