"""The playground's state on disk: one SQLite file, written before a request is answered."""

import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from bot.playground.rows import Json

SCHEMA = """
CREATE TABLE IF NOT EXISTS things(
  kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages(
  id INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL, author_id INTEGER NOT NULL, nonce TEXT,
  pinned_at TEXT, hidden INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS messages_by_channel ON messages(channel_id, id);
CREATE INDEX IF NOT EXISTS messages_by_nonce ON messages(author_id, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX IF NOT EXISTS messages_pinned ON messages(channel_id, pinned_at) WHERE pinned_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS blobs(key TEXT PRIMARY KEY, content_type TEXT NOT NULL, body BLOB NOT NULL);
"""

# A killed process loses nothing: what is committed is in the write-ahead log, which the system keeps. Only a
# power cut could take the last moments with it, and even then the file opens.
# The lock is kept as long as the file is open: two playgrounds on one state would overwrite one another.
PRAGMAS = "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"

Rows = list[tuple[Any, ...]]  # of whatever was asked


class Journal:
    """Writes through to SQLite; without a path it lives in memory only."""

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDONLY | os.O_CREAT, 0o600)
            with suppress(PermissionError):  # somebody else's, who lets us write
                os.fchmod(descriptor, 0o600)  # an older one may be readable by all; its log gets the same rights
            os.close(descriptor)
        self._db = sqlite3.connect(":memory:" if path is None else path, isolation_level=None, timeout=0.5)
        try:
            self._db.executescript(PRAGMAS)
            self._db.executescript(SCHEMA)
        except sqlite3.Error:
            self._db.close()
            raise
        self._open = False

    def close(self) -> None:
        """Write what is left and close the file."""
        self.commit()
        self._db.close()

    def write(self, sql: str, values: tuple[object, ...]) -> None:
        """Run one change within the transaction of the current request."""
        if not self._open:
            self._db.execute("BEGIN")
            self._open = True
        self._db.execute(sql, values)

    def read(self, sql: str, values: tuple[object, ...] = ()) -> Rows:
        """Run one query."""
        return self._db.execute(sql, values).fetchall()

    def put_blob(self, key: str, content_type: str, data: bytes) -> None:
        """Keep a file."""
        self.write("INSERT OR REPLACE INTO blobs VALUES(?,?,?)", (key, content_type, data))

    def blob(self, key: str) -> tuple[str, bytes] | None:
        """Give a file's content type and bytes."""
        rows = self.read("SELECT content_type, body FROM blobs WHERE key = ?", (key,))
        return (rows[0][0], rows[0][1]) if rows else None

    def commit(self) -> None:
        """Make everything written since the last call last."""
        if self._open:
            self._db.execute("COMMIT")
            self._open = False


class Shelf:
    """All records of one kind: read from memory, written through to the journal, grouped by one field."""

    def __init__(self, journal: Journal, kind: str, *, group: str = "guild_id") -> None:
        self._journal = journal
        self._kind = kind
        self._group = group
        self._groups: dict[str, dict[str, Json]] = {}
        self.rows: dict[str, Json] = {}
        for key, body in journal.read("SELECT key, body FROM things WHERE kind = ? ORDER BY key", (kind,)):
            self._keep(key, json.loads(body))

    def _keep(self, key: str, row: Json) -> None:
        self.rows[key] = row
        self._groups.setdefault(str(row.get(self._group)), {})[key] = row

    def get(self, key: object) -> Json | None:
        """Give the record, or None."""
        return self.rows.get(str(key))

    def within(self, group: object) -> dict[str, Json]:
        """Give the records of one group (one server, unless said otherwise) by their keys."""
        return self._groups.get(str(group), {})

    def put(self, key: object, row: Json) -> Json:
        """Keep a record, new or changed; its group never changes."""
        self._keep(str(key), row)
        self._journal.write(
            "INSERT INTO things VALUES(?,?,?) ON CONFLICT DO UPDATE SET body = excluded.body",
            (self._kind, str(key), json.dumps(row, separators=(",", ":"))),
        )
        return row

    def drop(self, key: object) -> None:
        """Remove a record for good."""
        if (row := self.rows.pop(str(key), None)) is not None:
            self._groups[str(row.get(self._group))].pop(str(key), None)
            self._journal.write("DELETE FROM things WHERE kind = ? AND key = ?", (self._kind, str(key)))
