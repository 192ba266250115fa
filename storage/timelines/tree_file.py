"""The file of one tree: SQLite, its owner's alone, with all that is known of the tree in six tables."""

import os
import shutil
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from bot.core.errors import NotFound, StoreError
from bot.core.sentences import Sentence
from storage.private import BESIDE, UNFINISHED, keep_private

FORMAT = 3
BUSY_SECONDS = 5.0
LARGEST_VALUE = 100_000_000  # bytes of one value: until FORMAT 2 a whole base was one
PIECE = 250_000  # bytes of a base that are in memory at once
SCHEMA = """
CREATE TABLE tree (
    id INTEGER PRIMARY KEY, community INTEGER NOT NULL, title TEXT NOT NULL, rooms TEXT NOT NULL, point TEXT NOT NULL,
    made_by INTEGER NOT NULL, made_at INTEGER NOT NULL, at INTEGER NOT NULL, seed TEXT NOT NULL,
    revision TEXT NOT NULL, program TEXT NOT NULL, not_unwound TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0, last_node INTEGER NOT NULL DEFAULT 0, last_seq INTEGER NOT NULL DEFAULT 0,
    managers_only INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE base (piece INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE nodes (
    id INTEGER PRIMARY KEY, parent INTEGER REFERENCES nodes, depth INTEGER NOT NULL, edge TEXT NOT NULL,
    changes TEXT NOT NULL, seed TEXT NOT NULL, status TEXT NOT NULL, turns_wanted INTEGER NOT NULL, minutes REAL,
    asked TEXT, turns INTEGER NOT NULL DEFAULT 0, from_at INTEGER, until_at INTEGER, usd TEXT NOT NULL DEFAULT '0',
    tokens INTEGER NOT NULL DEFAULT 0, digest TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '', exact INTEGER NOT NULL DEFAULT 1, made_by INTEGER NOT NULL,
    made_at INTEGER NOT NULL, ended_at INTEGER
);
CREATE INDEX nodes_of_parent ON nodes (parent);
CREATE TABLE deltas (
    node INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE, name TEXT NOT NULL, key TEXT NOT NULL, packed BLOB,
    PRIMARY KEY (node, name, key)
) WITHOUT ROWID;
CREATE TABLE answers (
    node INTEGER NOT NULL REFERENCES nodes ON DELETE CASCADE, call INTEGER NOT NULL, request TEXT NOT NULL,
    text TEXT, usage TEXT NOT NULL, PRIMARY KEY (node, call)
) WITHOUT ROWID;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, node INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, messages TEXT NOT NULL
);
CREATE INDEX events_of_node ON events (node, seq);
"""
IN_PIECES = f"""  -- what FORMAT 1 had in one column, which was in memory as a whole with each change beside it
CREATE TABLE base (piece INTEGER PRIMARY KEY, packed BLOB NOT NULL);
WITH RECURSIVE places (number) AS (
    SELECT 0 UNION ALL SELECT number + 1 FROM places JOIN tree ON (number + 1) * {PIECE} < length(tree.base)
)
INSERT INTO base SELECT number, substr(tree.base, number * {PIECE} + 1, {PIECE}) FROM places JOIN tree;
ALTER TABLE tree DROP COLUMN base;
"""  # noqa: S608  # our own number
SHUT = """  -- until FORMAT 2 the topics and billboards of guests' own private rooms came along
ALTER TABLE tree ADD COLUMN managers_only INTEGER NOT NULL DEFAULT 0;
UPDATE tree SET managers_only = 1;
"""
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "secure_delete = ON",
    "cache_size = -4096",
)
NOT_PLAIN = "SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')"
NO_TREE = Sentence("There is no such what-if any more: see the list with /timeline list.")
DAMAGED = Sentence("The file of this what-if is damaged: delete it and fork anew; the live rooms are not touched.")
FULL = Sentence("The disk is full: this what-if can only be read until there is space; the live rooms are not touched.")
UNWRITABLE = Sentence("The file of this what-if may not be written: it can only be read.")
BUSY = Sentence("This what-if is being written by somebody else: try again in a moment.")


def tree_path(folder: Path, community_id: int, tree_id: int) -> Path:
    """Give where a tree lies."""
    return folder / str(int(community_id)) / f"{int(tree_id)}.db"


def unfinished(file: Path) -> Path:
    """Give where a tree lies while it is made: what has its name is whole, or damaged."""
    return file.with_suffix(".making")


def remove(file: Path) -> None:
    """Delete a tree's file with its log, and what was left when it was made; raises StoreError where that cannot be."""
    try:
        for whole in (file, unfinished(file)):
            for one in (whole, *(whole.with_name(f"{whole.name}{ending}") for ending in BESIDE)):
                one.unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        told = Sentence(
            "The file of this what-if cannot be removed ({why}): check the data folder and its rights.", why=why
        )
        raise StoreError(told) from error


def unkept(error: OSError) -> StoreError:
    """Give what to say where a disk does not take what is to be kept."""
    why = error.strerror or str(error)
    return StoreError(
        Sentence("The what-if cannot be kept ({why}): check the data folder and free some space.", why=why)
    )


def make(file: Path) -> None:
    """Make an empty file in a folder that is its owner's alone."""
    for folder in (file.parent.parent, file.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    remove(file)
    keep_private(file)


_OF_VALUES = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
_ILLEGIBLE = (sqlite3.Error, zlib.error, *_OF_VALUES)


@contextmanager
def worded() -> Iterator[None]:
    """Turn SQLite's faults into StoreError with one sentence; mistakes of the program stay as they are."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if (sentence := _sentence(error)) is None:
            raise
        raise StoreError(sentence) from error


@contextmanager
def legible() -> Iterator[None]:
    """Turn whatever no tree that was written here would raise when it is read into StoreError, that it is damaged."""
    try:
        yield
    except (StoreError, DBAPIError) as error:
        found = error.__cause__ if isinstance(error, StoreError) else error
        if (why := found.orig if isinstance(found, DBAPIError) else None) is None:
            raise
        raise StoreError(_reason(why) or DAMAGED) from error
    except _ILLEGIBLE as error:
        raise StoreError(_reason(error) or DAMAGED) from error


def _reason(error: BaseException) -> str | None:
    return _sentence(error) if isinstance(error, sqlite3.DatabaseError) else None


def check_plain(connection: sqlite3.Connection) -> None:
    """Raise ValueError for a database in which something goes by itself, or stands for a table: none of ours does."""
    if connection.execute(NOT_PLAIN).fetchone() is not None:
        raise ValueError("it holds a view or a trigger")


def _sentence(error: sqlite3.DatabaseError) -> str | None:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return {
        sqlite3.SQLITE_FULL: FULL,
        sqlite3.SQLITE_IOERR: FULL,
        sqlite3.SQLITE_CORRUPT: DAMAGED,
        sqlite3.SQLITE_NOTADB: DAMAGED,
        sqlite3.SQLITE_CANTOPEN: UNWRITABLE,
        sqlite3.SQLITE_READONLY: UNWRITABLE,
        sqlite3.SQLITE_PERM: UNWRITABLE,
        sqlite3.SQLITE_BUSY: BUSY,
    }.get(code)


class TreeFile:
    """An open file; one thread at a time works with it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.unwritable = ""  # why, once that is known
        self._lock = threading.Lock()
        if not file.is_file():
            raise NotFound(NO_TREE)
        keep_private(file)
        with legible():
            self._connection = sqlite3.connect(
                file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        self._connection.row_factory = sqlite3.Row
        self._id = self._there()

    def _prepare(self) -> None:
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
        for pragma in PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}")
        check_plain(self._connection)
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version > FORMAT:
            raise StoreError(Sentence("This what-if was made by a newer Selfroom: install that one."))
        if version < FORMAT:
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        """Give the file today's tables, in one transaction; another process may open it at the same moment."""
        self._connection.execute("BEGIN IMMEDIATE")
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        steps = {0: SCHEMA, 1: IN_PIECES + SHUT, 2: SHUT}.get(version, "")
        for statement in filter(str.strip, steps.split(";")):
            self._connection.execute(statement)
        self._connection.execute(f"PRAGMA user_version = {FORMAT}")
        self._connection.execute("COMMIT")

    def _there(self) -> tuple[int, int] | None:
        try:
            found = self.file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @property
    def is_gone(self) -> bool:
        """Whether the file was deleted meanwhile, or is another one now."""
        return self._there() != self._id

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a consistent read."""
        with self._lock, worded():
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction; it commits when the block ends without an error."""
        with self._lock:
            if self.unwritable == DAMAGED:
                raise StoreError(DAMAGED)
            try:
                with worded():
                    self._connection.execute("BEGIN IMMEDIATE")
                    try:
                        yield self._connection
                        self._connection.execute("COMMIT")
                        self.unwritable = ""
                    except BaseException:
                        if self._connection.in_transaction:
                            self._connection.execute("ROLLBACK")
                        raise
            except StoreError as error:
                if error.sentence in (FULL, DAMAGED, UNWRITABLE):
                    self.unwritable = error.sentence
                raise

    def empty_log(self) -> bool:
        """Let nothing that was deleted stay in the write-ahead log; tells whether nobody reads in it."""
        with self._lock, worded():
            (is_busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy

    @property
    def bytes(self) -> int:
        """How large it is, with its log."""
        return sum(one.stat().st_size for one in self._all() if one.exists())

    def _all(self) -> Sequence[Path]:
        return (self.file, self.file.with_name(f"{self.file.name}-wal"))

    def close(self) -> None:
        """Close it after what is being done."""
        with self._lock:
            self._connection.close()


def trees_in(folder: Path, community_id: int | None = None) -> list[tuple[int, int]]:
    """Give the trees that lie in a folder, by community and number."""
    found = []
    for file in folder.glob("*/*.db"):
        if file.stem.isdecimal() and file.parent.name.isdecimal() and not os.path.islink(file):
            found.append((int(file.parent.name), int(file.stem)))
    return sorted(one for one in found if community_id in (None, one[0]))


def sweep(folder: Path) -> None:
    """Delete what a kill left of trees that were being made, and of worlds that were being unpacked."""
    for file in sorted(folder.glob("*/*.making*")):
        remove(file)
    for unpacked in folder.glob(f"*/{UNFINISHED}*"):
        shutil.rmtree(unpacked)
