"""SQLite without a thread hop for each statement, and a migrated database in memory to begin with."""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from time import thread_time
from typing import Any, TypeVar, cast

import aiosqlite
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from storage.migrations.path import upgrade
from storage.private import keep_private
from storage.sqlite_statistics import tell_planner
from storage.tables import METADATA

T = TypeVar("T")
BEGIN_WRITE = "BEGIN IMMEDIATE"
NAMELESS = ""  # of a database in a file of SQLite's own, which has no name from when it is opened
Beginning = Callable[[sqlite3.Connection], None]  # fills a database that is just opened
Work = tuple["asyncio.Future[object] | None", Callable[[], object]]

# tables with whose rows those of others go
HELD_ON_TO = {key.column.table.name for table in METADATA.tables.values() for key in table.foreign_keys}
STEPS = 20_000  # of SQLite's machine that one read may take on the loop: about a millisecond
STEPS_A_TICK = 250
SECONDS = 0.01  # of the processor's time, for steps over very long rows take far longer; load makes no difference
FEW = 100  # values in one statement, or rows that it is given: keys pin no more
IN_A_ROW = 30  # statements on the loop, before others have their turn
# it looks at the reasons of the agent alone
RECOUNTS, OF_ONE_AGENT = "UPDATE agents SET next_beat_at=CASE ", " WHERE agents.community_id = ? AND agents.id = ?"
SEARCHED = "message_words"  # a search may go through any part of the index, and so may all but a new row's words
_unhurried: ContextVar[bool] = ContextVar("unhurried", default=False)


class InlineConnection(aiosqlite.Connection):
    """An aiosqlite connection that does at once, on the event loop's own thread, what is known to be short.

    A statement that was measured at 0.02 ms costs 0.3 ms by way of the thread (four hand-overs each), and a beat has
    dozens of them. Also, what runs without hand-overs runs in the same order every time. Short is what writes a few
    rows by their whole keys, and what reads within so many steps: SQLite stops it there, and the thread does it again.
    """

    _asked = _worked = 0  # what the thread was given and has done: until then nothing is done on the loop
    _in_a_row = 0
    _ticks, _began = 0, 0.0
    _writes = False
    patience_milliseconds = 0  # with others who write
    _too_long = ""  # a read that was just stopped on the loop: the thread does it at once
    # what was begun on the loop and has rows to give, and how a read is begun again
    _begun: "tuple[sqlite3.Cursor | None, Callable[[], object] | None]" = (None, None)

    async def _execute(self, fn: Callable[..., object], *args: object, **kwargs: object) -> object:
        if not self._running or not self._connection:
            raise ValueError("Connection closed")
        cursor = getattr(fn, "__self__", None)
        if not isinstance(cursor, sqlite3.Cursor):
            if not self._is_at_once(getattr(fn, "__name__", "")):
                return await self._in_thread(fn, *args, **kwargs)
            return fn(*args, **kwargs)
        (of, again), self._begun = self._begun, (None, None)
        is_too_long, self._too_long = args[:1] == (self._too_long,), ""
        match fn.__name__:
            case _ if self._asked != self._worked or is_too_long:
                pass
            case "close":
                return fn()
            case "fetchall" if of is cursor:
                if again is None:
                    return fn()
                with suppress(TooMuch):
                    return self._within_bounds(fn)
                return await self._in_thread(_both, again, fn)
            case "execute" if args[:1] == (BEGIN_WRITE,) and self._begins_at_once():
                return cursor
            case "execute" | "executemany" if self._in_a_row < IN_A_ROW and is_short(args):
                self._in_a_row += 1
                again = partial(fn, *args) if is_read(str(args[0])) else None
                with suppress(TooMuch):
                    found = fn(*args) if again is None else self._within_bounds(again)
                    self._begun = cursor, again
                    return found
        self._writes = args[:1] == (BEGIN_WRITE,) or self._writes
        return await self._in_thread(fn, *args, **kwargs)

    async def within(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Have the thread do something with SQLite's own connection."""
        return cast(T, await self._in_thread(work, self._conn))

    def read_at_once(self, statement: str, values: list[object]) -> list[tuple[Any, ...]] | None:  # of any columns
        """Give the rows of a read that may be done on the loop now; None when it may not, or is too long."""
        is_newest = statement.startswith("WITH sized") and not _unhurried.get()  # of rooms: mostly they are few
        if not self._is_free() or not (is_newest or is_short((statement, values))):
            return None
        self._in_a_row += 1
        with suppress(TooMuch):
            return self._within_bounds(lambda: self._conn.execute(statement, values).fetchall())
        self._too_long = statement
        return None

    def write_at_once(self, statement: str, rows: list[list[object]]) -> int | None:
        """Write rows with a statement that may be done on the loop now, and give how many; None when it may not."""
        if not self._is_free() or len(rows) > FEW or not is_short((statement, rows[0])):
            return None
        self._in_a_row += 1
        self._writes = True
        if len(rows) == 1:
            return self._conn.execute(statement, rows[0]).rowcount
        return self._conn.executemany(statement, rows).rowcount

    def _begins_at_once(self) -> bool:
        """Begin to write on the loop, unless somebody else writes: the thread waits for them."""
        if self._in_a_row >= IN_A_ROW:
            return False
        self._in_a_row += 1
        self._conn.execute("PRAGMA busy_timeout = 0")
        try:
            self._conn.execute(BEGIN_WRITE)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            return False
        finally:
            self._conn.execute(f"PRAGMA busy_timeout = {self.patience_milliseconds}")
        self._writes = True
        return True

    def _is_free(self) -> bool:
        """Tell whether the loop may do something with the connection now."""
        is_open = self._running and self._connection is not None
        return is_open and self._asked == self._worked and self._in_a_row < IN_A_ROW

    def _is_at_once(self, name: str) -> bool:
        """Tell of the connection's own work; where nothing was written, nothing has to be rolled back."""
        return self._asked == self._worked and (name == "cursor" or (name == "rollback" and not self._writes))

    async def _in_thread(self, fn: Callable[..., object], *args: object, **kwargs: object) -> object:
        self._in_a_row = 0
        self._writes = self._writes and getattr(fn, "__name__", "") not in ("commit", "rollback")
        self._asked += 1
        return await super()._execute(self._work, partial(fn, *args, **kwargs))  # type: ignore[no-untyped-call]

    def _work(self, fn: Callable[[], object]) -> object:
        try:
            return fn()
        finally:
            self._worked += 1  # in the thread: who waited for it may be gone

    def _within_bounds(self, fn: Callable[[], T]) -> T:
        """Read on the loop; raises TooMuch after so many steps or so long a time, which undoes nothing."""
        self._ticks, self._began = 0, thread_time()
        self._conn.set_progress_handler(self._tick, STEPS_A_TICK)
        try:
            return fn()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise TooMuch from error
            raise
        finally:
            self._conn.set_progress_handler(None, 0)

    def _tick(self) -> bool:
        self._ticks += 1
        return self._ticks * STEPS_A_TICK > STEPS or thread_time() - self._began > SECONDS

    async def _connect(self) -> "InlineConnection":
        """Open the file; when that fails, its thread has ended before the fault is known."""
        if self._connection is None:
            opened = asyncio.get_running_loop().create_future()
            self._tx.put_nowait((opened, self._connector))
            try:
                self._connection = await opened
            except BaseException:
                if (stopped := self.stop()) is not None:
                    await stopped
                raise
        return self

    async def close(self) -> None:
        """Close the file after the work that waits."""
        if self._running and (closed := self.stop()) is not None:
            await closed

    def stop(self) -> "asyncio.Future[None] | None":
        """Close the file after the work that waits, and let the thread end; gives what to wait for, within a loop."""
        self._running = False
        closed = None
        with suppress(RuntimeError):
            closed = asyncio.get_running_loop().create_future()
        self._tx.put_nowait((closed, self._shut))
        return closed

    def _shut(self) -> None:
        try:
            if self._connection is not None:
                self._connection.rollback()  # a statement that anybody still holds keeps a closed one's lock
                self._connection.close()
        finally:
            self._connection = None
            raise Ended


def _both(execute: Callable[[], object], fetch: Callable[[], object]) -> object:
    execute()
    return fetch()


class TooMuch(Exception):  # no error: the thread goes on
    """Tells that a read takes more steps than it may take on the loop."""


class Ended(Exception):  # no error: it ends a thread
    """Tells a connection's thread that there is no more work."""


def work_off(queue: "SimpleQueue[Work]") -> None:
    """Do a connection's slow work until it is told to stop, also when nobody waits for the results any more.

    A task that is cancelled amid its work leaves a connection behind that SQLAlchemy stops without waiting. The loop
    may be closed before the thread gets there; aiosqlite's own worker then dies of that, its file still open.
    """
    while True:
        future, function = queue.get()
        try:
            result = function()
        except Ended:
            _tell(future, None)
            break
        except BaseException as error:
            _tell(future, error)
        else:
            _tell(future, result)


def _tell(future: "asyncio.Future[object] | None", what: object) -> None:
    if future is not None:
        with suppress(RuntimeError):  # the loop is closed
            future.get_loop().call_soon_threadsafe(_settle, future, what)


def _settle(future: "asyncio.Future[object]", what: object) -> None:
    if future.done():
        return
    if isinstance(what, BaseException):
        future.set_exception(what)
    else:
        future.set_result(what)


@contextmanager
def unhurried() -> Iterator[None]:
    """Have the connection's thread do all statements of this task: for those that may touch any number of rows."""
    token = _unhurried.set(True)
    try:
        yield
    finally:
        _unhurried.reset(token)


def is_short(args: tuple[object, ...]) -> bool:
    """Tell whether a statement with its values may be done on the loop."""
    statement, values = str(args[0]), args[1] if len(args) > 1 else ()
    few = isinstance(values, list | tuple) and len(values) <= FEW
    return few and not _unhurried.get() and (is_read(statement) or is_keyed(statement) or is_mark(statement))


def is_read(statement: str) -> bool:
    """Tell whether a statement reads tables: it can be stopped, and begun again."""
    return statement.startswith("SELECT") and SEARCHED not in statement


def is_mark(statement: str) -> bool:
    """Tell whether a statement only begins a read, or sets or drops a savepoint."""
    return statement == "BEGIN" or statement.startswith(("SAVEPOINT", "RELEASE"))


@lru_cache(maxsize=1_024)
def is_keyed(statement: str) -> bool:
    """Tell whether a statement writes few rows that it names: those that it gives, or those of some whole keys."""
    if statement.startswith(f"INSERT INTO {SEARCHED} (rowid, words, room) SELECT ?"):
        return True  # one row, unless its community is only coming into the index
    if statement.startswith(RECOUNTS) and statement.endswith(OF_ONE_AGENT):
        return True
    if "SELECT" in statement or statement.count("?") > FEW:
        return False
    if found := re.match(r"INSERT INTO (\w+) .*\bVALUES\b", statement, re.DOTALL):
        return found[1] in METADATA.tables or statement.startswith(f"INSERT INTO {SEARCHED} (rowid,")
    if not (found := re.match(r"(?:UPDATE|DELETE FROM) (\w+)(?: SET .*)? WHERE (.*)", statement, re.DOTALL)):
        return False
    if found[1] not in METADATA.tables or (statement.startswith("DELETE") and found[1] in HELD_ON_TO):
        return False
    key = {column.name for column in METADATA.tables[found[1]].primary_key}
    return key <= _pinned(found[2])


def _pinned(where: str) -> set[str]:
    """Give the columns that must have one of some values where the condition holds."""
    bare = re.sub(r" IN \([?, ]+\)", " = ?", where)
    while (inner := re.sub(r"\([^()]*\)", "", bare)) != bare:
        bare = inner
    if " OR " in bare:
        return set()
    return {found[1] for part in bare.split(" AND ") if (found := re.fullmatch(r'\w+\."?(\w+)"? = \?', part.strip()))}


def connect(database: str, *, beginning: Beginning | None = None, **options: Any) -> InlineConnection:  # noqa: ANN401 - sqlite3's
    """Give a connection that still has to be opened, as `aiosqlite.connect` does.

    `beginning`: fills a database that is gone when it is closed, and lies on the disk meanwhile.
    """
    options["check_same_thread"] = False  # its thread and the loop's take turns, never at once

    def open_file() -> sqlite3.Connection:
        in_memory = database in ("", ":memory:")
        if not in_memory:
            keep_private(Path(database))
        opened: sqlite3.Connection = sqlite3.connect(NAMELESS if beginning else database, **options)
        if beginning is not None:
            beginning(opened)
        elif in_memory:
            fill(opened)
        return opened

    connection = InlineConnection(open_file, 64)
    connection.patience_milliseconds = round(1_000 * options.get("timeout", 0))
    connection._thread = Thread(target=work_off, args=(connection._tx,), name="sqlite", daemon=True)
    return connection


_turn = Lock()  # connections are opened by threads of their own


def fill(opened: sqlite3.Connection) -> None:
    """Give an empty database all tables, as if it had been migrated."""
    with _turn:
        _template().backup(opened)


@cache
def _template() -> sqlite3.Connection:
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    with engine.begin() as connection:
        upgrade(connection)
        tell_planner(connection)
        made = connection.connection.dbapi_connection
    if not isinstance(made, sqlite3.Connection):
        raise TypeError("a database in memory is one of sqlite3")
    return made
