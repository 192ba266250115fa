"""The database behind the store: connections, transactions, one writer, and faults in plain sentences."""

import asyncio
import gc
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, ExceptionContext, event
from sqlalchemy.engine import URL, Dialect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, InterfaceError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from bot.core.errors import BadSetting
from storage.faults import in_sentences
from storage.inline import BEGIN_WRITE, Beginning, InlineConnection, connect

T = TypeVar("T")

BUSY_MILLISECONDS = 5_000
IDLE_SECONDS = 1.0  # after which a connection to PostgreSQL is asked whether it still stands
DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "secure_delete = ON",  # what is deleted is overwritten, not only unlinked
    "cache_size = -32768",
    "mmap_size = 268435456",
    "temp_store = MEMORY",
)

UNUSABLE = (
    "The database URL has something in it that cannot be used: leave out what stands after the ?, and write"
    " sqlite:///path/to/file.db or postgresql://user@host:port/name."
)

_open_write: ContextVar["Turn | None"] = ContextVar("open_write", default=None)


@dataclass(slots=True, eq=False)
class Turn:
    """One task's turn at writing, or at the only connection of a database in memory."""

    database: "Database"
    connection: AsyncConnection
    writes: bool
    over: bool = False


def database_url(url: str) -> URL:
    """Read a database URL and give it an asynchronous driver; raises BadSetting."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:  # a port that is no number is a ValueError
        raise BadSetting(
            "The database URL cannot be read: write sqlite:///path/to/file.db or postgresql://user@host/name."
        ) from error
    kind = parsed.get_backend_name()
    if kind not in DRIVERS:
        raise BadSetting(f"The database {kind!r} is not supported: use sqlite or postgresql.")
    return parsed.set(drivername=DRIVERS[kind])


async def open_database(url: str) -> "Database":
    """Make the database of a URL and connect once; raises BadSetting, which tells nothing that stands in the URL."""
    parsed = database_url(url)
    try:
        database = Database(parsed)
        try:
            with in_sentences():
                async with database.engine.connect():
                    return database
        except BaseException:
            await database.close()
            raise
    except (ArgumentError, InterfaceError, TypeError, ValueError, ArithmeticError):  # as drivers say it
        raise BadSetting(UNUSABLE) from None


def in_memory(url: URL) -> bool:
    """Tell whether the URL means SQLite without a file."""
    return url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:")


def make_engine(url: URL, beginning: Beginning | None = None) -> AsyncEngine:
    """Make the engine: few connections, SQLite with write-ahead log, foreign keys and patience.

    `beginning`: fills a database that is opened for a moment, in place of one in memory.
    """
    if url.get_backend_name() == "postgresql":
        engine = create_async_engine(url, pool_size=5, max_overflow=10, hide_parameters=True)
        event.listen(engine.sync_engine, "checkin", _begin_to_idle)
        event.listen(engine.sync_engine, "checkout", _refuse_lost)
        event.listen(engine.sync_engine, "handle_error", _leave_out_values)
        return engine
    options: dict[str, object] = {"poolclass": StaticPool} if in_memory(url) else {"pool_size": 4, "max_overflow": 6}
    engine = create_async_engine(
        url,
        connect_args={"timeout": BUSY_MILLISECONDS / 1000, "async_creator_fn": partial(connect, beginning=beginning)},
        hide_parameters=True,  # an error's text goes to the log, and values may be anybody's words
        **options,
    )
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    event.listen(engine.sync_engine, "handle_error", _keep_the_only_one)
    return engine if beginning is None else _compiling_once(engine)


_compiled: dict[object, object] = {}  # statements of all databases that are opened for a moment
_dialects: list[Dialect] = []  # the one for which they were compiled
MOST_COMPILED = 2_000


def _compiling_once(engine: AsyncEngine) -> AsyncEngine:
    """Let databases that are opened for a moment share what one has compiled: that took two thirds of a short turn."""
    if len(_compiled) > MOST_COMPILED:
        _compiled.clear()
    one = engine.sync_engine
    _dialects[:] = _dialects or [one.dialect]
    one.dialect = _dialects[0]
    one.update_execution_options(compiled_cache=_compiled)
    return engine


def _begin_to_idle(connection: object, record: ConnectionPoolEntry) -> None:
    record.info["idle_since"] = time.monotonic()


def _refuse_lost(connection: Any, record: ConnectionPoolEntry, proxy: object) -> None:  # noqa: ANN401  # asyncpg's
    """Let the pool open another connection for one that is lost; to ask each time would cost every transaction."""
    if connection.driver_connection.is_closed():
        raise DisconnectionError
    if time.monotonic() - record.info.get("idle_since", time.monotonic()) > IDLE_SECONDS:
        try:
            connection.ping()
        except connection.dbapi.Error as error:
            raise DisconnectionError from error


def _keep_the_only_one(context: ExceptionContext) -> None:
    """Let whoever is cancelled amid a statement lose that alone: with the connection all that is in memory would go.

    Engines that share a dialect share its handlers: so it is asked of which one this is.
    """
    is_only_one = context.engine is not None and in_memory(context.engine.url)
    if is_only_one and isinstance(context.original_exception, asyncio.CancelledError):
        context.is_disconnect = False


def _leave_out_values(context: ExceptionContext) -> None:
    """Take the row that a constraint refused out of the error: PostgreSQL tells it whole."""
    told = context.original_exception
    for error in filter(None, (context.sqlalchemy_exception, told, told.__cause__)):
        error.args = tuple(one.split("\nDETAIL:")[0] if isinstance(one, str) else one for one in error.args)
        if hasattr(error, "detail") and isinstance(error.detail, str):  # SQLAlchemy's own is a list: it adds to a text
            error.detail = None


def _prepare_sqlite(connection: Any, record: object) -> None:  # noqa: ANN401  # a driver's connection
    connection.isolation_level = None  # the driver's own BEGIN comes too late for a consistent read
    cursor = connection.cursor()
    try:
        for pragma in PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
    except BaseException:
        connection.close()  # the pool does not know it yet, and its thread would wait for work for ever
        raise


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql(BEGIN_WRITE if writes else "BEGIN")


@dataclass(eq=False)
class Database:
    """An open database: consistent reads side by side, and one writer at a time on SQLite."""

    url: URL
    beginning: Beginning | None = field(default=None, repr=False)  # fills one in memory; None: empty tables
    engine: AsyncEngine = field(init=False)
    arriving: set[int] = field(init=False, default_factory=set)  # servers that a community just moves into
    _writer: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)
    _unwritable: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.engine = make_engine(self.url, self.beginning)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is SQLite, in a file or in memory."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def in_memory(self) -> bool:
        """Whether it is SQLite without a file: one connection for everyone."""
        return in_memory(self.url)

    @property
    def folder(self) -> Path | None:
        """Where its file lies, if it is one: beside it there is room for what is written into it."""
        is_file = self.is_sqlite and not self.in_memory
        return Path(os.path.realpath(str(self.url.database))).parent if is_file else None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Open a read that sees one moment; in memory a task that writes reads what it wrote."""
        with in_sentences():
            if self.in_memory:
                async with self._only_connection() as connection:
                    yield connection
                return
            async with self.engine.connect() as connection:
                if not self.is_sqlite:
                    await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                async with connection.begin() as moment:
                    yield connection
                    await moment.rollback()  # there is nothing to commit, which would cost a hop to another thread

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction; it commits when the block ends without an error."""
        turn = self._turn()
        if turn is not None and turn.writes:
            raise RuntimeError("this task is writing already: one transaction cannot be opened inside another")
        with in_sentences():
            if turn is not None:  # in memory, from within a read of the same task
                async with turn.connection.begin_nested(), self._taken(turn.connection, writes=True):
                    yield turn.connection
                return
            async with (
                self._free_to_write() as connection,
                connection.begin(),
                self._taken(connection, writes=True),
            ):
                yield connection

    @asynccontextmanager
    async def _free_to_write(self) -> AsyncIterator[AsyncConnection]:
        if not self.is_sqlite:
            async with self.engine.connect() as connection:
                yield connection
            return
        async with self._writer:
            if self._unwritable:
                await self._open_anew()
            async with self.engine.connect() as connection:
                await connection.execution_options(writes=True)
                try:
                    yield connection
                except DBAPIError as error:
                    self._unwritable = "readonly" in str(error.orig)
                    raise

    async def _open_anew(self) -> None:
        """Close what was opened while the file was not writable: SQLite shares it with whoever opens the file later."""
        self._unwritable = False
        gc.collect()  # a failed statement lies in its error's traceback, and keeps the file open
        async with self.engine.connect() as connection:
            await connection.run_sync(lambda own: own.engine.pool.dispose())
            await connection.invalidate()

    async def plainly(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with SQLite's own connection to a database in memory, beside everything else."""
        async with self._writer, self.engine.connect() as connection:
            raw = await connection.get_raw_connection()
            return await cast(InlineConnection, raw.driver_connection).within(work)

    def _turn(self) -> Turn | None:
        turn = _open_write.get()
        return turn if turn is not None and turn.database is self and not turn.over else None

    @asynccontextmanager
    async def _only_connection(self) -> AsyncIterator[AsyncConnection]:
        if (turn := self._turn()) is not None:
            yield turn.connection
            return
        async with (
            self._writer,
            self.engine.connect() as connection,
            connection.begin(),
            self._taken(connection, writes=False),
        ):
            yield connection

    @asynccontextmanager
    async def _taken(self, connection: AsyncConnection, *, writes: bool) -> AsyncIterator[None]:
        turn = Turn(self, connection, writes)
        token = _open_write.set(turn)
        try:
            yield
        finally:
            turn.over = True
            _open_write.reset(token)

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()
