"""Places for calls at a model server, which the processes on one PostgreSQL share: each is a lock of a session's."""

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.errors import StoreError
from storage.database import Database
from storage.faults import in_sentences

LOOK_SECONDS = (0.02, 0.1)  # until it is looked again whether one is free
_TAKE = text(
    "SELECT number FROM unnest(CAST(:numbers AS integer[])) AS number"
    " WHERE pg_try_advisory_lock(hashtext('selfroom calls ' || coalesce(current_schema(), '') || :server), number)"
    " LIMIT 1"
)
_GIVE_BACK = text(
    "SELECT pg_advisory_unlock(hashtext('selfroom calls ' || coalesce(current_schema(), '') || :server), :number)"
)
log = structlog.get_logger(__name__)


class Places:
    """One process's way to them. They are free again as soon as it dies, for PostgreSQL ends its session.

    A process that only stands still keeps those it has. While the database cannot be reached nobody waits for it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._line: AsyncConnection | None = None
        self._turn = asyncio.Lock()  # a connection does one thing at a time
        self._held: defaultdict[str, set[int]] = defaultdict(set)

    @asynccontextmanager
    async def place(self, server: str, most: int) -> AsyncIterator[None]:
        """Wait for one of so many places at a server, and hold it while the block goes on."""
        try:
            held = await self._taken(server, most)
        except (StoreError, SQLAlchemyError) as error:
            log.warning("calls are not counted together with others'", why=getattr(error, "sentence", ""))
            held = None
        try:
            yield
        finally:
            if held is not None:
                await self._give_back(server, *held)

    async def _taken(self, server: str, most: int) -> tuple[int, AsyncConnection]:
        while True:
            async with self._turn:
                line = self._line or await self._connected()
                free = [number for number in range(most) if number not in self._held[server]]
                number = await self._ask(line, server, free) if free else None
                if number is not None:
                    self._held[server].add(number)
                    return number, line
            await asyncio.sleep(random.uniform(*LOOK_SECONDS))  # noqa: S311 - so that not all look together

    async def _ask(self, line: AsyncConnection, server: str, numbers: list[int]) -> int | None:
        try:
            with in_sentences():
                number: int | None = (await line.execute(_TAKE, {"server": server, "numbers": numbers})).scalar()
                return number
        except BaseException:  # nobody knows what it holds now
            await self._drop()
            raise

    async def _give_back(self, server: str, number: int, line: AsyncConnection) -> None:
        async with self._turn:
            if line is not self._line:
                return  # it went with the line
            self._held[server].discard(number)
            try:
                await line.execute(_GIVE_BACK, {"server": server, "number": number})
            except SQLAlchemyError:
                await self._drop()
            except BaseException:
                await self._drop()
                raise

    async def _connected(self) -> AsyncConnection:
        with in_sentences():
            line = await self._database.engine.connect()
            try:
                await line.execution_options(isolation_level="AUTOCOMMIT")
                await line.run_sync(lambda one: one.detach())  # the pool has its own ones
            except BaseException:
                await line.close()
                raise
        self._line = line
        return line

    async def _drop(self) -> None:
        """Give all back with the line."""
        line, self._line = self._line, None
        self._held.clear()
        if line is not None:
            try:
                await line.close()
            except SQLAlchemyError:
                log.debug("a line that was lost could not be closed")

    async def close(self) -> None:
        """Give all back."""
        async with self._turn:
            await self._drop()
