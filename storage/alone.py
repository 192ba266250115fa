"""Who runs on a database: one Selfroom alone, or on PostgreSQL one gateway and any number of minds beside it."""

import asyncio
import fcntl
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import structlog
from sqlalchemy import TextClause, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.errors import BadSetting, StoreError
from storage.database import Database
from storage.faults import in_sentences

LOCK = ".lock"  # what the name of the file beside a SQLite database ends with
LOCK_CLASS = 7_353_677  # any number: ours among the advisory locks of a PostgreSQL database
GATEWAY_CLASS = 7_353_678  # that of the one gateway beside minds
LOOK_SECONDS = 10.0
LONGEST_NAME = 60  # PostgreSQL cuts longer ones off
RUNS = (
    "Another Selfroom runs on this database already ({}): stop that one first, or give this one a database of its own "
    "(SELFROOM_DATA_DIR or SELFROOM_DATABASE_URL)."
)
ONE_GATEWAY = "Another gateway runs on this database already ({}): one is enough, and minds there may be many."
NO_ROOM_BESIDE = (
    "A Selfroom runs on this database alone ({}): stop it, and start it as `selfroom gateway`, so that minds may run "
    "beside it."
)
NEEDS_POSTGRESQL = (
    "Several processes need PostgreSQL: set SELFROOM_DATABASE_URL, and bring what there is with `selfroom move`; on "
    "SQLite use `selfroom run`, which is all of them in one."
)

log = structlog.get_logger(__name__)

_OURS = "CAST(:lock AS integer), hashtext(coalesce(current_schema(), ''))"  # other schemas are other Selfrooms
_TAKE = text(f"SELECT pg_try_advisory_lock({_OURS})")
_SHARE = text(f"SELECT pg_try_advisory_lock_shared({_OURS})")
_LOOK = text("SELECT 1")
_WHO = text(
    "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND CAST(classid AS bigint) = :lock"
    " AND datname = current_database()"
)
# Who is cut off without a word (a machine that lost power) is taken for gone within a minute, and who is idle never.
_KEEP = text(
    "SELECT set_config('application_name', :name, false), set_config('tcp_keepalives_idle', '30', false),"
    " set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false),"
    " (SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout')"
)


Post = Literal["run", "gateway", "mind"]  # what a process does on a database
_BESIDE = (_SHARE, LOCK_CLASS, NO_ROOM_BESIDE)
_LOCKS: dict[Post, tuple[tuple[TextClause, int, str], ...]] = {
    "run": ((_TAKE, LOCK_CLASS, RUNS),),
    "gateway": (_BESIDE, (_TAKE, GATEWAY_CLASS, ONE_GATEWAY)),
    "mind": (_BESIDE,),
}


@asynccontextmanager
async def on_post(database: Database, post: Post) -> AsyncIterator[None]:
    """Hold a post on a database until the block or the process ends; raises BadSetting where it is taken.

    Who runs all is alone; beside a gateway there are only minds. Nobody is kept from reading, copying or moving what
    is in it.
    """
    if post != "run" and database.is_sqlite:
        raise BadSetting(NEEDS_POSTGRESQL)
    if database.in_memory:
        yield
    elif database.is_sqlite:
        with in_sentences():
            descriptor = _taken(lock_beside(Path(str(database.url.database))))
        try:
            yield
        finally:
            os.close(descriptor)
    else:
        async with _session(database, post):
            yield


def lock_beside(file: Path) -> Path:
    """Give the file that is locked while Selfroom runs on a SQLite file, by whatever name that is called."""
    real = Path(os.path.realpath(file))
    return real.with_name(f"{real.name}{LOCK}")


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"[:LONGEST_NAME]


def _taken(lock: Path) -> int:
    """Lock a file until it is closed; the system lets go of it for a process that dies."""
    try:
        descriptor = _opened(lock)
    except OSError as error:
        raise BadSetting(
            f"The file {lock} cannot be opened ({error.strerror}): check its folder and rights."
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        who = os.pread(descriptor, LONGEST_NAME * 4, 0).decode(errors="replace")
        os.close(descriptor)
        if not isinstance(error, BlockingIOError):
            raise BadSetting(f"The file {lock} cannot be locked ({error.strerror}): put it on a local disk.") from error
        raise BadSetting(RUNS.format(who or "nobody knows which")) from None
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, _me().encode(), 0)
    return descriptor


def _opened(lock: Path) -> int:
    """Open a file to be locked; who may not write it now may be let again later, and must not run beside another."""
    how = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(lock, os.O_RDWR | how, 0o600)
    except PermissionError:
        return os.open(lock, os.O_RDONLY | how, 0o600)


@asynccontextmanager
async def _session(database: Database, post: Post) -> AsyncIterator[None]:
    """Hold locks of PostgreSQL's as long as a connection of its own, and take them again when a server went away."""
    held = await _locked(database, post)
    watching = asyncio.create_task(_watch(database, post, held))
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.wait([watching])


async def _locked(database: Database, post: Post) -> AsyncConnection:
    with in_sentences():
        connection = await database.engine.connect()
        try:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.run_sync(lambda one: one.detach())  # the pool has its own ones
            for take, lock, refusal in _LOCKS[post]:
                if not (await connection.execute(take, {"lock": lock})).scalar():
                    who = (await connection.execute(_WHO, {"lock": lock})).scalars().first()
                    raise BadSetting(refusal.format(who or "nobody knows which"))
            await connection.execute(_KEEP, {"name": _me()})
        except BaseException:
            await connection.close()
            raise
    return connection


async def _watch(database: Database, post: Post, held: AsyncConnection) -> None:
    """Look whether the locks are still held; where another took it while the server was away, this process ends."""
    connection: AsyncConnection | None = held
    try:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                if connection is None:
                    connection = await _locked(database, post)
                with in_sentences():
                    await connection.execute(_LOOK)
            except (StoreError, SQLAlchemyError):
                if connection is not None:
                    await connection.close()
                connection = None
    except BadSetting as taken:
        log.error("another took over while the database was away: this one ends", why=taken.sentence)
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        if connection is not None:
            await connection.close()
