"""The words of deleted messages leave the full-text index of SQLite for good.

A delete only marks them: they lie in the index's older segments until those are merged, and SQLite's own secure
delete for full-text tables needs a newer version than many systems have. So segments are merged, a slice at a time.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from typing import cast

import aiosqlite
import structlog
from sqlalchemy import ColumnElement, delete, select, text

from bot.core.errors import StoreError
from storage.database import BUSY_MILLISECONDS, Database
from storage.faults import Troubles, in_sentences
from storage.inline import SEARCHED
from storage.session import INSTALLATION, Session
from storage.tables import KEPT, METADATA

MOST_PAGES = 500  # about 2 MB of index
SLICE_SECONDS = 0.03  # for which the writer is held
PAUSE_SECONDS = 0.02
RETRY_SECONDS = 60
REST_SECONDS = 600  # a large index is not merged anew for each of many deletions: they are purged together
OWED = "index_purge_owed"
EVERYBODY = -1  # whom a trouble concerns that is no single community's
_NOT_YET = "What was deleted is not all gone yet: it is tried again in a minute."
_CHANGES = text("SELECT total_changes()")
_MERGE = text("INSERT INTO message_words (message_words, rank) VALUES ('merge', :pages)")

log = structlog.get_logger(__name__)


async def owe_purge(session: Session) -> None:
    """Note in the transaction that words are still to leave the index."""
    session.erased = True
    await session.upsert(KEPT, [{"scope": INSTALLATION, "name": OWED, "value": True}])


@dataclass(slots=True)
class Slice:
    """How many pages of the index are merged at a time: as many as this machine does in time."""

    pages: int = 16

    def took(self, seconds: float) -> None:
        """Take more next time or less, by what this time took."""
        most = int(self.pages * min(2.0, SLICE_SECONDS / max(seconds, 0.001)))
        self.pages = max(1, min(most, MOST_PAGES))


async def purge_index(database: Database, part: Slice | None = None) -> bool:
    """Merge a slice of the index, and empty the write-ahead log when all is merged; tells whether nothing is owed.

    PostgreSQL lets go of rows that are gone, but keeps their bytes where others share their page, and in its log.
    """
    part = part or Slice(MOST_PAGES)
    owed = (KEPT.c.scope == INSTALLATION, KEPT.c.name == OWED)
    async with database.reading() as connection:
        if await Session(connection).value(select(KEPT.c.value).where(*owed)) is None:
            return True
    if not database.is_sqlite:
        await _vacuum(database)
        return await _is_paid(database, owed)
    async with database.writing() as connection:
        session = Session(connection)
        before = int(await session.value(_CHANGES))
        begun = time.perf_counter()
        await session.run(_MERGE, {"pages": -part.pages})
        part.took(time.perf_counter() - begun)
        if int(await session.value(_CHANGES)) - before >= 2:
            return False
    if not database.in_memory and not await _empty_log(database):
        return False
    return await _is_paid(database, owed)


async def _is_paid(database: Database, owed: Sequence[ColumnElement[bool]]) -> bool:
    async with database.writing() as connection:
        await Session(connection).run(delete(KEPT).where(*owed))
    return True


async def _vacuum(database: Database) -> None:
    """Free the rows that are gone, in and out of PostgreSQL's indexes, outside any transaction."""
    tables = ", ".join((SEARCHED, *METADATA.tables))
    with in_sentences():
        async with database.engine.connect() as connection:
            apart = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await apart.exec_driver_sql(f"VACUUM {tables}")


async def _empty_log(database: Database) -> bool:
    """Empty the write-ahead log if nobody reads in it; waiting for readers would hold up everyone who writes."""
    async with database.engine.connect() as connection:
        raw = cast(aiosqlite.Connection, (await connection.get_raw_connection()).driver_connection)
        await raw.execute("PRAGMA busy_timeout = 0")
        try:
            (is_busy, *_), *_ = await raw.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            await raw.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    return not is_busy


class Purger:
    """Works off what deletions owe, between the transactions of others, until nothing is owed."""

    def __init__(self, database: Database, work_off: Callable[[Database], Awaitable[Troubles]]) -> None:
        self._database = database
        self._work_off = work_off  # what deletions owe beside the index; gives what is in the way, by community
        self._task: asyncio.Task[None] | None = None
        self._wanted = asyncio.Event()
        self._not_before = 0.0
        self._slice = Slice()
        self._waiting: dict[asyncio.Future[None], int | None] = {}  # until all is gone, of a community or of all

    def start(self) -> "asyncio.Task[None]":
        """Go on until all is gone, beside other work."""
        self._wanted.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._purge(), context=Context())  # no part of a transaction that is open
        return self._task

    async def _purge(self) -> None:
        done = False
        while not done or self._wanted.is_set():
            self._wanted.clear()
            waiting = list(self._waiting)
            try:
                troubles = await self._troubles()
                if (rest := self._not_before - time.monotonic()) > 0:
                    await self._rest(rest)
                    continue
                done = await purge_index(self._database, self._slice)  # whatever is in the way of something else
                await asyncio.sleep(PAUSE_SECONDS)
                if done:
                    self._tell(waiting, troubles)
                    for trouble in troubles.values():
                        done = False
                        raise StoreError(_NOT_YET) from trouble
            except StoreError:
                log.exception("what was deleted has not left the database yet")
                await self._rest(RETRY_SECONDS)
        self._not_before = time.monotonic() + REST_SECONDS

    async def _troubles(self) -> Troubles:
        """Do what is owed beside the index; gives what kept some of it from being done: the index is purged anyway."""
        try:
            return await self._work_off(self._database)
        except StoreError as error:
            return {EVERYBODY: error}

    def _tell(self, waiting: Sequence["asyncio.Future[None]"], troubles: Troubles) -> None:
        """Let those go on that began to wait before all this was done, and whom no trouble concerns."""
        for one in waiting:
            whose = self._waiting.get(one)
            in_the_way = troubles if whose is None else troubles.keys() & {whose, EVERYBODY}
            if not one.done() and not in_the_way:
                one.set_result(None)

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wanted.wait()

    async def finish(self, community_id: int | None = None, *, patience: float) -> bool:
        """Wait until nothing is owed any more, or only by others than a community; tells whether all is gone.

        False once patience is at its end.
        """
        self._not_before = 0.0
        gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[gone] = community_id
        task = self.start()
        try:
            await asyncio.wait([task, gone], timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        finally:
            del self._waiting[gone]
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            log.error("what was deleted has not left the database", exc_info=error)
        return gone.done()

    async def close(self) -> None:
        """Stop after what is being done; what is left is owed until the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
