"""The store: opens the database, brings it up to date, and gives reads and transactions."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
from sqlalchemy import text

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.core.happenings import Happening
from bot.core.ports import Cipher, Expected
from bot.core.records import CommunityId, Snowflake
from bot.core.timelines.records import Cut, Image
from storage.alone import Post, on_post
from storage.communities import begin
from storage.database import Database, open_database
from storage.emptying import work_off
from storage.expecting import asked_for
from storage.faults import Troubles, in_sentences
from storage.ids import CountedIds
from storage.index_purging import Purger
from storage.late_indexing import index_rest
from storage.migrations.path import is_behind, refuse_newer, revision_of, upgrade
from storage.moving.archive import Moved, export_community
from storage.moving.incoming import import_community
from storage.moving.rehoming import clone_community
from storage.moving.staging import clear_unfinished
from storage.moving.whole import copy_whole
from storage.parts import SqlReading, SqlWriting
from storage.places import Places
from storage.private import UNFINISHED, whole_file
from storage.resealing import Resealed, reseal
from storage.session import Session
from storage.sqlite_statistics import tell_planner
from storage.timelines.freezing import frozen
from storage.timelines.purging import purge_trees, settle_trees

log = structlog.get_logger(__name__)
PATIENCE_SECONDS = 20.0
MIGRATION_LOCK = 7_353_676  # any number: two programs that start together migrate one after the other


class SqlStore:
    """`bot.core.ports.Store` over SQLite or PostgreSQL."""

    def __init__(self, database: Database, config: CommunityConfig, timelines: Path | None = None) -> None:
        self.database = database
        self.config = config
        self.timelines = timelines
        self._unindexed: set[int] = set()
        self._purger = Purger(database, self._carry_on)
        self._held = AsyncExitStack()
        self._is_alone = False
        self._places: Places | None = None  # for calls, which processes beside share
        self.on_happened: Callable[[Sequence[Happening]], None] | None = None  # is told what is written for good

    @classmethod
    async def open(
        cls, url: str, *, config: CommunityConfig | None = None, post: Post | None = None, timelines: Path | None = None
    ) -> Self:
        """Open a database and bring it up to date; `config` are the installation's settings for communities.

        `timelines`: the folder of the trees that grew from it, out of which goes what is deleted.
        `post`: for who runs on it; who runs all of it is alone until it is closed. Raises BadSetting for a URL that
        cannot be used, or where that post is taken already, and StoreError when the database cannot be used.
        """
        database = await open_database(url)
        store = cls(database, config or CommunityConfig(), timelines)
        try:
            if post is not None:
                await store._held.enter_async_context(on_post(database, post))
                store._is_alone = post != "mind"
                store._places = Places(database) if post != "run" else None
            await migrate(database)
            if post is not None and timelines is not None:
                await settle_trees(database, timelines)
        except BaseException:
            await store.close()
            raise
        if not database.in_memory and post != "mind":
            store._purger.start()  # what a run that was killed still owed
        return store

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[SqlReading]:
        async with self.database.reading() as connection:
            yield SqlReading(Session(connection, unindexed=self._unindexed), self.config)

    @asynccontextmanager
    async def writing(
        self, community_id: CommunityId | None = None, expected: Expected | None = None
    ) -> AsyncIterator[SqlWriting]:
        async with self.database.writing() as connection:
            ids = CountedIds(community_id)
            session = Session(connection, ids, self._unindexed)
            if community_id is not None:
                await begin(session, ids, community_id, asked_for(session, community_id, expected or Expected()))
            yield SqlWriting(session, self.config)
            if (moved := ids.moved()) is not None:
                await session.run(*moved)
        if session.erased:
            self._purger.start()
        if session.happenings:
            self.tell(session.happenings)

    def tell(self, happenings: Sequence[Happening]) -> None:
        if self.on_happened is not None:
            self.on_happened(happenings)

    async def gone_for_good(self, community_id: CommunityId | None = None) -> bool:
        """Wait until what was deleted has left all that repeats it, and SQLite's files; tells whether it has.

        `community_id`: what is in the way of others does not count. PostgreSQL's files keep bytes until their space is
        used again: of them that is never said.
        """
        return await self._purger.finish(community_id, patience=PATIENCE_SECONDS) and self.database.is_sqlite

    def call_place(self, server: str, most: int) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._places is None else self._places.place(server, most)

    async def pay_off(self) -> None:
        """Go on with what is still owed to those whose words go: minds beside this process may have deleted some."""
        self._purger.start()

    async def clone(self, community_id: CommunityId) -> "SqlStore":
        """Copy a community with its ids into a store in memory."""
        copy = SqlStore(await clone_community(self.database, community_id), self.config)
        copy.leave_unindexed(community_id)
        return copy

    def leave_unindexed(self, community_id: CommunityId) -> None:
        """Have a community's full-text index made when it is first asked: nothing of it is there."""
        self._unindexed.add(community_id)

    async def image(self, community_id: CommunityId, cut: Cut, *, now: datetime) -> Image:
        """Freeze a part of a community in one read; raises NotFound where the point is not in it."""
        return await frozen(self.database, community_id, cut, now=now)

    async def export(
        self,
        community_id: CommunityId,
        path: Path,
        images: Mapping[str, bytes] | None = None,
        *,
        replace: bool = False,
        cipher: Cipher | None = None,
    ) -> Moved:
        """Write a community into an archive, sealed by the cipher; a new one unless it may `replace` an older one.

        Raises BadSetting while somebody is being forgotten there: the file would remember them.
        """
        if (trouble := (await work_off(self.database)).get(community_id)) is not None:
            raise trouble
        return await export_community(self.database, community_id, path, images, replace=replace, cipher=cipher)

    async def import_archive(
        self, path: Path, *, guild_id: Snowflake | None = None, cipher: Cipher | None = None, closed: bool = False
    ) -> Moved:
        """Read a community from an archive, all or nothing; `closed`: also with keys that the cipher cannot open."""
        moved = await import_community(self.database, path, guild_id=guild_id, cipher=cipher, closed=closed)
        await index_rest(self.database)
        return moved

    async def copy_to(self, other: "SqlStore", progress: Callable[[int, int], None]) -> int:
        """Copy everything into an empty database; gives how many rows, and tells `progress` how many of how many."""
        rows = await copy_whole(self.database, other.database, progress)
        await index_rest(other.database)
        return rows

    async def reseal(self, cipher: Cipher) -> Resealed:
        """Seal all secrets with the cipher's newest secret."""
        async with self.database.writing() as connection:
            return await reseal(Session(connection), cipher)

    async def back_up(self, target: Path, *, replace: bool = False) -> None:
        """Copy a SQLite database into a new file; raises BadSetting for another database."""
        if not self.database.is_sqlite:
            raise BadSetting(
                "Only SQLite is copied into a file: back PostgreSQL up with pg_dump (docs/server.md has the command)."
            )
        with in_sentences():
            for trouble in (await work_off(self.database)).values():
                raise trouble  # a copy holds what everybody deleted
            await back_up(self.database, target, replace=replace)

    async def expire_backups(self, folder: Path, before: datetime) -> int:
        """Remove copies in a folder, and those that migrations left, that are older; gives how many."""
        return await expire(self.database, folder, before)

    async def _carry_on(self, database: Database) -> Troubles:
        """Do what earlier transactions left to be done; gives what was in the way, by community."""
        if self._is_alone:
            await clear_unfinished(database)
        troubles = {**await work_off(database), **await index_rest(database)}
        if self.timelines is not None:
            troubles |= await purge_trees(database, self.timelines)
        return troubles

    async def close(self) -> None:
        await self._purger.close()
        if self._places is not None:
            await self._places.close()
        await self._held.aclose()
        await self.database.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def migrate(database: Database) -> bool:
    """Bring a database up to date, a SQLite file after a backup beside it; tells whether there was something to do."""
    with in_sentences():
        async with database.reading() as connection:
            current = await connection.run_sync(revision_of)
        refuse_newer(current)
        if not is_behind(current):
            return False
        if current is not None and database.is_sqlite and not database.in_memory:
            await back_up(database, before_migration(database, current), replace=True)
        async with database.writing() as connection:
            if not database.is_sqlite:
                await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            await connection.run_sync(upgrade)
            if database.is_sqlite:
                await connection.run_sync(tell_planner)
    return True


BEFORE_MIGRATION = "{}.before-migration-from-{}"


def before_migration(database: Database, revision: str) -> Path:
    """Give where a SQLite file is copied to before it is brought up to date."""
    return Path(BEFORE_MIGRATION.format(database.url.database, revision))


async def back_up(database: Database, target: Path, *, replace: bool = False) -> None:
    """Copy a SQLite database, consistent and compact, into a new file, or (`replace`) in place of an older one.

    Raises BadSetting where the file cannot be made.
    """
    with whole_file(target, replace=replace) as partial:
        async with database.engine.connect() as connection:
            raw = await connection.get_raw_connection()
            await raw.driver_connection.execute("VACUUM INTO ?", (str(partial),))  # type: ignore[union-attr]


async def expire(database: Database, folder: Path, before: datetime) -> int:
    """Remove the copies in a folder, and those that migrations made, that are older; gives how many."""
    return await asyncio.to_thread(_expire, database, folder, before)


def _expire(database: Database, folder: Path, before: datetime) -> int:
    copies = [*folder.glob("*.db"), *folder.glob(f"{UNFINISHED}*")]
    if database.is_sqlite and not database.in_memory:
        beside = Path(BEFORE_MIGRATION.format(database.url.database, "*"))
        copies += [*beside.parent.glob(beside.name), *beside.parent.glob(f"{UNFINISHED}*")]
    return sum(_is_removed(copy) for copy in copies if copy.lstat().st_mtime < before.timestamp())


def _is_removed(copy: Path) -> bool:
    """Remove a copy, or what a copying that was killed left of one; what cannot be removed leaves the others alone."""
    try:
        if copy.name.startswith(UNFINISHED) and not copy.is_symlink():
            shutil.rmtree(copy)
        else:
            copy.unlink(missing_ok=True)
    except OSError as error:
        log.warning("an old copy of the database cannot be removed", copy=str(copy), why=error.strerror)
        return False
    return True
