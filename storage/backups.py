"""Copies of the database on disk: made whole, and removed when they have grown old."""

import asyncio
from datetime import datetime
from pathlib import Path

from storage.database import Database
from storage.private import whole_file

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
    copies = list(folder.glob("*.db"))
    if database.is_sqlite and not database.in_memory:
        pattern = Path(BEFORE_MIGRATION.format(database.url.database, "*"))
        copies += pattern.parent.glob(pattern.name)
    old = [copy for copy in copies if copy.lstat().st_mtime < before.timestamp()]
    for copy in old:
        copy.unlink(missing_ok=True)
    return len(old)
