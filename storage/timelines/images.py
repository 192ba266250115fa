"""Images of worlds: put together from a base and deltas, and those at hand that were asked for lately."""

import sqlite3
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from io import BytesIO

from sqlalchemy import Connection as SyncConnection
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from bot.core.errors import StoreError
from bot.core.timelines.records import NodeId, TreeKey
from storage.migrations.path import is_behind, revision_of, upgrade
from storage.timelines.deltas import Delta, apply, opened
from storage.timelines.tree_file import DAMAGED

MOST_BYTES = 64_000_000  # of images that are kept at hand
Place = tuple[TreeKey, int, NodeId]  # a node of a tree, in one generation of it


class Images:
    """Images of worlds that were asked for lately; safe to be asked by several threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[Place, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def find(self, place: Place) -> bytes | None:
        """Give an image that is at hand."""
        with self._lock:
            if place in self._kept:
                self._kept.move_to_end(place)
            return self._kept.get(place)

    def keep(self, place: Place, image: bytes) -> None:
        """Keep one at hand, and let go of those that nobody asked for the longest."""
        with self._lock:
            if place not in self._kept:
                self._kept[place] = image
                self._bytes += len(image)
            while self._bytes > self._most and self._kept:
                self._bytes -= len(self._kept.popitem(last=False)[1])

    def forget(self, key: TreeKey, *, but: int | None = None) -> None:
        """Let go of all of a tree, or of all but one generation of it."""
        with self._lock:
            for place in [place for place in self._kept if place[0] == key and place[1] != but]:
                self._bytes -= len(self._kept.pop(place))


def unfrozen(pieces: Iterable[bytes | memoryview]) -> bytes:
    """Give a packed base as SQLite reads it; raises StoreError for a damaged one."""
    unpacking, image = zlib.decompressobj(), BytesIO()
    try:
        for piece in pieces:
            image.write(unpacking.decompress(piece))
    except zlib.error as error:
        raise StoreError(DAMAGED) from error
    if not unpacking.eof:
        raise StoreError(DAMAGED)
    return image.getvalue()


def laid_over(image: bytes, deltas: Sequence[Delta]) -> bytes:
    """Give an image with deltas on top, the oldest first; raises StoreError where they do not fit."""
    if not deltas:
        return image
    try:
        connection = opened(image)
        try:
            apply(connection, deltas)
            return connection.serialize()
        finally:
            connection.close()
    except (sqlite3.Error, ValueError, LookupError, zlib.error) as error:
        raise StoreError(DAMAGED) from error


def brought_up_to_date(image: bytes) -> bytes:
    """Give an image of an older schema in that of this program, to be read."""
    connection = opened(image)
    try:
        engine = create_engine("sqlite://", poolclass=StaticPool, creator=lambda: connection)

        def upgraded(sync: SyncConnection) -> None:
            if is_behind(revision_of(sync)):
                upgrade(sync)

        with engine.begin() as sync:
            upgraded(sync)
        return connection.serialize()
    finally:
        connection.close()
