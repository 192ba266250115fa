"""The same statements by the bare driver, as tuples: what a read of ours takes beyond that is the figure."""

import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg
from sqlalchemy import event

from storage.store import SqlStore

Said = list[tuple[str, Sequence[Any]]]  # statements with their values, as the driver takes them
Replay = Callable[[Said], Awaitable[float]]
TIMES = 30


@contextmanager
def heard(store: SqlStore) -> Iterator[Said]:
    """Collect the reads that reach the database, with their values."""
    said: Said = []
    engine = store.database.engine.sync_engine

    def note(connection: object, cursor: object, statement: str, values: Sequence[Any], *rest: object) -> None:
        if not statement.startswith("BEGIN"):
            said.append((statement, tuple(values)))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(engine, "before_cursor_execute", note)


@asynccontextmanager
async def bare(store: SqlStore) -> AsyncIterator[Replay]:
    """Open the same database with its driver alone; gives what says statements again, in milliseconds, the least."""
    url = store.database.url
    if store.database.is_sqlite:
        opened = sqlite3.connect(str(url.database))
        opened.execute("PRAGMA mmap_size = 268435456")

        async def at_once(said: Said) -> float:
            return await _least(said, lambda statement, values: _done(opened.execute(statement, values).fetchall()))

        yield at_once
        opened.close()
        return
    connection = await asyncpg.connect(url.set(drivername="postgresql").render_as_string(hide_password=False))

    async def by_wire(said: Said) -> float:
        return await _least(said, lambda statement, values: connection.fetch(statement, *values))

    yield by_wire
    await connection.close()


async def _done(found: object) -> object:
    return found


async def _least(said: Said, ask: Callable[[str, Sequence[Any]], Awaitable[object]]) -> float:
    spans: list[float] = []
    for _ in range(TIMES):
        start = time.perf_counter()
        for statement, values in said:
            await ask(statement, values)
        spans.append((time.perf_counter() - start) * 1_000)
    return min(spans)
