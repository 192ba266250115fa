"""Images of worlds: put together from a base and deltas, and those at hand that were asked for lately.

An image lies in a file of SQLite's own that has no name: nothing but a little of it is in memory, and after a kill
nothing of it is left.
"""

import sqlite3
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import StaticPool

from bot.core.timelines.records import NodeId, TreeKey
from storage.inline import NAMELESS
from storage.migrations.path import is_behind, revision_of, upgrade
from storage.private import UNFINISHED, keep_private
from storage.timelines.deltas import Delta, Names, apply, names_in
from storage.timelines.tables import TABLES
from storage.timelines.tree_file import check_plain, legible, unkept

LARGEST_BASE = 1_000_000_000  # bytes, unpacked: what is frozen takes a fifth of it in characters
UNPACKED_AT_ONCE = 1_000_000  # bytes of it that are in memory
MOST_BYTES, FEW = 64_000_000, 2  # of images that are kept at hand, and so many however large they are
SMALL = ("cache_size = -8192", "journal_mode = MEMORY", "synchronous = OFF")  # of what is gone when it is closed
WorldKey = tuple[TreeKey, int, NodeId]  # a node of a tree, in one generation of it


def keep_small(connection: sqlite3.Connection) -> None:
    """Keep little of a database in memory: several are open at once."""
    for pragma in SMALL:
        connection.execute(f"PRAGMA {pragma}")


_nameless_in: list[Path] = []


def keep_nameless_in(folder: Path) -> None:
    """Have SQLite put its files without a name, in which worlds lie, into a folder: once for this process.

    The environment says it too late: SQLite has read that when it is imported. Where the folder cannot be written,
    SQLite takes the system's.
    """
    if _nameless_in:  # others may be reading where that is
        return
    _nameless_in.append(folder)
    quoted = str(folder.resolve()).replace("'", "''")
    with suppress(sqlite3.Error), closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA temp_store_directory = '{quoted}'")


class WorldImage:
    """A world as it lies on the disk, gone with the last who holds it; one thread at a time works with it."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(NAMELESS, check_same_thread=False)
        self._lock = threading.Lock()
        keep_small(self._connection)

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Work with it; what is written there is written in this image."""
        with self._lock:
            yield self._connection

    def copy_into(self, connection: sqlite3.Connection) -> None:
        """Have another database begin with it."""
        with self._lock:
            self._connection.backup(connection)

    def copied(self) -> Self:
        """Give another one that is the same, to be changed."""
        copy = type(self)()
        with copy.opened() as connection:
            self.copy_into(connection)
        return copy

    @property
    def bytes(self) -> int:
        """How large it is."""
        with self._lock:
            counted = (self._connection.execute(f"PRAGMA page_{what}").fetchone()[0] for what in ("count", "size"))
            return int(prod(counted))

    def __del__(self) -> None:
        self._connection.close()


class Images:
    """Images of worlds that were asked for lately, which lie in a folder; safe to be asked by several threads."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        keep_nameless_in(folder)
        self._most = most_bytes
        self._kept: OrderedDict[WorldKey, tuple[WorldImage, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def find(self, place: WorldKey) -> WorldImage | None:
        """Give an image that is at hand."""
        with self._lock:
            if place not in self._kept:
                return None
            self._kept.move_to_end(place)
            return self._kept[place][0]

    def keep(self, place: WorldKey, image: WorldImage) -> None:
        """Keep one at hand, and let go of those that nobody asked for the longest."""
        size = image.bytes
        with self._lock:
            if place not in self._kept:
                self._kept[place] = image, size
                self._bytes += size
            while self._bytes > self._most and len(self._kept) > FEW:
                self._bytes -= self._kept.popitem(last=False)[1][1]

    def forget(self, key: TreeKey, *, but: int | None = None) -> None:
        """Let go of all of a tree, or of all but one generation of it."""
        with self._lock:
            for place in [place for place in self._kept if place[0] == key and place[1] != but]:
                self._bytes -= self._kept.pop(place)[1]


def unfrozen(pieces: Iterable[bytes | memoryview], beside: Path) -> WorldImage:
    """Give a packed base unpacked; raises StoreError for a damaged one.

    `beside`: the folder in which it is unpacked.
    """
    try:
        with TemporaryDirectory(dir=beside, prefix=UNFINISHED, ignore_cleanup_errors=True) as folder:
            whole = Path(folder, "base.db")
            keep_private(whole)
            _unpack(pieces, whole)
            return _read(whole)
    except OSError as error:
        raise unkept(error) from error


def _unpack(pieces: Iterable[bytes | memoryview], whole: Path) -> None:
    """Unpack a base, of which little is in memory, and no more on the disk than any may take."""
    unpacking = zlib.decompressobj()
    with legible(), whole.open("r+b") as file:
        for piece in pieces:
            left: bytes | memoryview = piece
            while left and not unpacking.eof:
                file.write(unpacking.decompress(left, UNPACKED_AT_ONCE))
                left = unpacking.unconsumed_tail
                if file.tell() > LARGEST_BASE:
                    raise ValueError("a base is larger than any")
        if not unpacking.eof:
            raise ValueError("a base is cut off")


def _read(whole: Path) -> WorldImage:
    image = WorldImage()
    with legible():
        source = sqlite3.connect(whole)
        try:
            check_plain(source)
            with image.opened() as connection:
                source.backup(connection)
        finally:
            source.close()
    return image


def laid_over(image: WorldImage, deltas: Sequence[Delta], names: Names | None = None) -> WorldImage:
    """Give an image with deltas on top, the oldest first; raises StoreError where they do not fit.

    `names`: the columns as the deltas have them, where these are not the image's own.
    """
    if not deltas:
        return image
    changed = image.copied()
    with legible(), changed.opened() as connection:
        apply(connection, deltas, names)
    return changed


def names_of(image: WorldImage) -> Names:
    """Give the columns of all tables as an image has them."""
    with image.opened() as connection:
        names = names_in(connection)
        return {table.name: names(table.name) for table in TABLES}.__getitem__


def brought_up_to_date(image: WorldImage) -> WorldImage:
    """Give an image of an older schema in that of this program, to be read; one that is not older as it is.

    Raises LookupError for one that has not all tables.
    """
    with _sync(image) as connection:
        is_older = is_behind(revision_of(connection))
    newer = image.copied() if is_older else image
    if is_older:
        with _sync(newer) as connection:
            upgrade(connection)
    names = names_of(newer)
    if missing := [table.name for table in TABLES if not names(table.name)]:
        raise LookupError(f"{missing[0]} is not there")
    return newer


@contextmanager
def _sync(image: WorldImage) -> Iterator[Connection]:
    with image.opened() as own:
        engine = create_engine("sqlite://", poolclass=StaticPool, creator=lambda: own)
        with engine.begin() as connection:
            yield connection
