"""The words of deleted messages leave the full-text index of SQLite for good.

A delete only marks them: they lie in the index's older segments until those are merged, and SQLite's own secure
delete for full-text tables needs a newer version than many systems have. So segments are merged, a slice at a time.
"""

from sqlalchemy import text

from storage.database import Database

SLICE_PAGES = 2_000  # about 8 MB of index, some hundredths of a second
_CHANGES = text("SELECT total_changes()")
_MERGE = text("INSERT INTO message_words (message_words, rank) VALUES ('merge', :pages)")


async def purge_index(database: Database) -> bool:
    """Merge a slice of the index, and empty the write-ahead log when all is merged; tells whether all is."""
    async with database.writing() as connection:
        before = int(await connection.scalar(_CHANGES) or 0)
        await connection.execute(_MERGE, {"pages": -SLICE_PAGES})
        done = int(await connection.scalar(_CHANGES) or 0) - before < 2
        if not done:
            await connection.execute(_MERGE, {"pages": SLICE_PAGES})
    if database.in_memory:
        return done
    async with database.engine.connect() as connection:
        raw = await connection.get_raw_connection()
        await raw.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]
    return done
