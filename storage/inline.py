"""SQLite without a thread hop for each statement, and a migrated database in memory to begin with."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

import aiosqlite
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from storage.migrations.path import upgrade
from storage.private import keep_private
from storage.sqlite_statistics import tell_planner

Work = tuple["asyncio.Future[Any] | None", Callable[[], object]]

# These may take long or wait for another process: they go to the connection's own thread, and the loop runs on.
SLOW = ("BEGIN IMMEDIATE", "COMMIT", "VACUUM", "PRAGMA", "CREATE", "ALTER", "DROP", "WITH")
SEARCHES = " MATCH "
_unhurried: ContextVar[bool] = ContextVar("unhurried", default=False)
AT_ONCE = ("cursor", "rollback")  # of a connection: what was not committed is only dropped


class InlineConnection(aiosqlite.Connection):
    """An aiosqlite connection that does short work at once, on the event loop's own thread.

    A statement that was measured at 0.02 ms costs 0.3 ms by way of the thread (four hand-overs each), and a beat has
    dozens of them. Also, what runs without hand-overs runs in the same order every time.
    """

    async def _execute(self, fn: Callable[..., object], *args: object, **kwargs: object) -> Any:  # noqa: ANN401
        if not self._running or not self._connection:
            raise ValueError("Connection closed")
        if is_slow(fn, args):
            return await super()._execute(fn, *args, **kwargs)  # type: ignore[no-untyped-call]
        return fn(*args, **kwargs)

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
                self._connection.close()
        finally:
            self._connection = None
            raise Ended


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


def _tell(future: "asyncio.Future[Any] | None", what: object) -> None:
    if future is not None:
        with suppress(RuntimeError):  # the loop is closed
            future.get_loop().call_soon_threadsafe(_settle, future, what)


def _settle(future: "asyncio.Future[Any]", what: object) -> None:
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


def is_slow(fn: Callable[..., object], args: tuple[object, ...]) -> bool:
    """Tell whether the work is to be done by the connection's thread: all but single short statements."""
    if _unhurried.get():
        return True
    if not isinstance(getattr(fn, "__self__", None), sqlite3.Cursor):
        return getattr(fn, "__name__", "") not in AT_ONCE
    statement = args[0] if args and isinstance(args[0], str) else ""
    return statement.startswith(SLOW) or SEARCHES in statement


def connect(database: str, **options: Any) -> InlineConnection:  # noqa: ANN401
    """Give a connection that still has to be opened, as `aiosqlite.connect` does."""
    options["check_same_thread"] = False  # its thread and the loop's take turns, never at once

    def open_file() -> sqlite3.Connection:
        in_memory = database in ("", ":memory:")
        if not in_memory:
            keep_private(Path(database))
        opened: sqlite3.Connection = sqlite3.connect(database, **options)
        if in_memory:
            fill(opened)
        return opened

    connection = InlineConnection(open_file, 64)
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
