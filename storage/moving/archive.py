"""A community in one file: a zip of JSON lines, images and a manifest with counts."""

import asyncio
import hmac
import io
import json
import os
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final, TypeVar, cast

from sqlalchemy import Table, select
from sqlalchemy.exc import SQLAlchemyError

from bot.core.errors import BadSetting
from bot.core.ports import Cipher
from bot.core.records import CommunityId
from storage.columns import Document, Packed, to_json
from storage.database import Database
from storage.emptying import is_begun
from storage.forgetting import forgetting
from storage.moving.contents import MOVED, STAYS, Manifest, to_line
from storage.moving.pages import TOO_LARGE
from storage.owed import debts_in
from storage.private import whole_file
from storage.session import Session, Values, owned
from storage.tables import COMMUNITIES, KEPT, KEYS, METADATA

T = TypeVar("T")
MANIFEST = "manifest.json"
SEAL: Final = "seal"
PIECE_BYTES = 1_000_000
FEW_AT_A_TIME = {Packed: 1, Document: 5}  # rows that are read at once, by what they may hold: a whole HUD, or a mind
MORE_AT_A_TIME = 20
PIECE_CHARACTERS = 100_000


def fingerprint(archive: zipfile.ZipFile, manifest: Mapping[str, object]) -> str:
    """Give what tells an archive from any other; reads all of it, and raises BadZipFile where it is damaged."""
    about = {name: value for name, value in manifest.items() if name != SEAL}
    whole = sha256(json.dumps(about, sort_keys=True).encode())
    for info in sorted(archive.infolist(), key=lambda info: info.filename):
        with archive.open(info) as file:
            if info.filename == MANIFEST:
                continue
            whole.update(f"\n{json.dumps(info.filename)} {info.file_size}\n".encode())
            left = info.file_size
            while piece := file.read(PIECE_BYTES):
                whole.update(piece)
                left -= len(piece)
            if left:
                raise zipfile.BadZipFile(f"{info.filename} is not as long as it is said to be")
    return f"archive/{whole.hexdigest()}"  # longer than any key, whose digests are made alike


def seal(cipher: Cipher, fingerprint: str) -> str:
    """Seal an archive as it is."""
    return cipher.digest(fingerprint).hex()


def is_sealed(cipher: Cipher, fingerprint: str, manifest: Manifest) -> bool:
    """Tell whether the archive's seal was made with one of our secrets, for all that is in it."""
    given = str(manifest.get(SEAL, ""))
    return any(hmac.compare_digest(one.hex().encode(), given.encode()) for one in cipher.digests(fingerprint))


FORMAT = 3  # raised when an older program could not read what a newer one writes
LARGEST = 4_000_000_000  # bytes of all that is in an archive
LARGEST_AT_ONCE = 64_000_000  # bytes of what is read whole: the manifest, and the images together
LARGEST_MANIFEST = 1_000_000
LARGEST_LISTING = 1_000_000  # bytes of the list of what is in the archive
MOST_FILES = 2_000
NO_IMAGES: Mapping[str, bytes] = MappingProxyType({})
NOTHING: Values = MappingProxyType({})
SEALED: Values = MappingProxyType({"ciphertext": b"", "digest": b""})
PACKED_BY = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack more at a time than they are asked for
BROKEN = "The archive is damaged or cut off: export it again; nothing was imported."
NO_FILE = "{} is no file: name an archive that `selfroom export` wrote."
DELETING = "What was deleted is still being taken out: try again in a minute; nothing was exported."
NOT_FORGOTTEN = "Somebody is being forgotten here just now: export it in a minute, with Selfroom running."
CLOSED = (
    "{} in the archive cannot be opened with this secret, or {} changed: give that of the Selfroom it comes from in"
    " SELFROOM_OLD_SECRETS (as a JSON list), export it anew after `selfroom rotate-secret`, or import without them with"
    " --without-secret; nothing was imported."
)
UNREADABLE = (
    MemoryError,
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError, RuntimeError),  # the file
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, SQLAlchemyError),  # what is written in it
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What went into an archive or came out of one."""

    community_id: CommunityId
    counts: Mapping[str, int]
    images: Mapping[str, bytes]
    is_elsewhere: bool = False  # it came into another server than the one it was in
    left_out: tuple[str, ...] = ()  # secrets that stay where they are, in words: to be set again elsewhere


async def export_community(
    database: Database,
    community_id: CommunityId,
    path: Path,
    images: Mapping[str, bytes] | None = None,
    *,
    replace: bool = False,
    cipher: Cipher | None = None,
) -> Moved:
    """Write a community into a new file, or (`replace`) in place of an older one, as it stands at one moment.

    With the cipher it is sealed: only then do its keys open where it is imported. Raises BadSetting when there is no
    such community, and where the file cannot be made.
    """
    with whole_file(path, replace=replace) as partial, partial.open("w+b") as file:
        return await write_archive(database, community_id, file, images or {}, cipher=cipher)


async def write_archive(
    database: Database,
    community_id: CommunityId,
    file: IO[bytes],
    images: Mapping[str, bytes] = NO_IMAGES,
    *,
    cipher: Cipher | None = None,
    keyless: bool = False,
    on_page: Callable[[], None] = lambda: None,
) -> Moved:
    """Write a community into an open file; `keyless`: of its keys only what they are called, nothing that opens.

    `on_page` is called after each piece, and may end it all by an error.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        manifest = await _write(database, community_id, archive, images, keyless=keyless, on_page=on_page)
        if cipher is not None:
            manifest[SEAL] = seal(cipher, await asyncio.to_thread(fingerprint, archive, manifest))
        archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=2))
    left_out = tuple(manifest["left_out"])
    return Moved(community_id=community_id, counts=manifest["counts"], images=images, left_out=left_out)


async def _write(
    database: Database,
    community_id: CommunityId,
    archive: zipfile.ZipFile,
    images: Mapping[str, bytes],
    *,
    keyless: bool,
    on_page: Callable[[], None],
) -> Manifest:
    counts: dict[str, int] = {}
    async with database.reading() as connection:
        session = Session(connection)
        about = await session.first(select(COMMUNITIES).where(COMMUNITIES.c.id == community_id))
        if about is None:
            raise BadSetting("There is no such community: see the list of communities.")
        if any(there == community_id for there, _ in await forgetting(session)):
            raise BadSetting(NOT_FORGOTTEN)
        if await debts_in(session, community_id) or await is_begun(session, community_id):
            raise BadSetting(DELETING)
        for table in MOVED:
            blank = SEALED if keyless and table is KEYS else NOTHING
            counts[table.name] = 0
            async with aclosing(_written(session, table, community_id, archive, blank)) as pages:
                async for count in pages:
                    counts[table.name] += count
                    on_page()
        left_out = [words for name, words in STAYS.items() if await _is_there(session, name, community_id)]
    for name, data in images.items():
        archive.writestr(f"images/{name}", data)
    return {
        "format": FORMAT,
        "community": {"guild_id": about["guild_id"], "name": about["name"], "paused": about["paused"]},
        "counts": counts,
        "images": sorted(images),
        "left_out": left_out,
        "sealed_for": community_id,
    }


async def _is_there(session: Session, name: str, community_id: int) -> bool:
    table = METADATA.tables[name]
    return await session.first(select(table.c.community_id).where(owned(table, community_id)).limit(1)) is not None


async def _written(
    session: Session, table: Table, community_id: int, archive: zipfile.ZipFile, blank: Values
) -> AsyncGenerator[int, None]:
    """Write a table piece by piece; gives how many rows each has."""
    whose = KEPT.c.scope == community_id if table is KEPT else owned(table, community_id)
    asked = select(table).where(whose).order_by(*table.primary_key)
    with archive.open(f"{table.name}.jsonl", "w", force_zip64=True) as lines:
        waiting: list[str] = []
        async for rows in session.pages(asked, rows_at_a_time(table)):
            waiting += await asyncio.to_thread(_lines, table, rows, blank)
            if sum(map(len, waiting)) >= PIECE_CHARACTERS:
                await asyncio.to_thread(_put, lines, waiting)
                yield len(waiting)
                waiting = []
        await asyncio.to_thread(_put, lines, waiting)
        yield len(waiting)


def rows_at_a_time(table: Table) -> int:
    """Give how many rows of a table are unpacked on the loop before others have their turn."""
    few = (most for kind, most in FEW_AT_A_TIME.items() if any(isinstance(one.type, kind) for one in table.columns))
    return min(few, default=MORE_AT_A_TIME)


def _lines(table: Table, rows: Sequence[Values], blank: Values) -> list[str]:
    return [f"{to_json(to_line(table, {**row, **blank}))}\n" for row in rows]


def _put(file: IO[bytes], lines: Sequence[str]) -> None:
    for line in lines:
        file.write(line.encode())


class _Listing(io.BufferedReader):
    """An archive's file that gives no more at a time than `most`: its own list may say that it is of any size."""

    most = LARGEST_LISTING

    def read(self, size: int | None = -1, /) -> bytes:
        """Read; raises BadSetting for more than may be read at a time."""
        if size is not None and size > self.most:
            raise BadSetting(TOO_LARGE)
        return super().read(size)


@contextmanager
def opened(source: Path | bytes) -> Iterator[zipfile.ZipFile]:
    """Open an archive, whose list is read within bounds."""
    raw = _regular(source) if isinstance(source, Path) else cast(io.RawIOBase, io.BytesIO(source))
    with _Listing(raw) as file, zipfile.ZipFile(file) as archive:
        file.most = sys.maxsize
        yield archive


def _regular(path: Path) -> io.FileIO:
    """Open a file; raises BadSetting for what is none: a pipe may never say anything, and a device never end."""
    raw = io.FileIO(path, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
    if stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
        return raw
    raw.close()
    raise BadSetting(NO_FILE.format(path))


def manifest_of(archive: zipfile.ZipFile, largest: int = LARGEST) -> Manifest:
    """Read what an archive says it is; raises BadSetting for one that is too large, or newer than this program."""
    check_sizes(archive, largest)
    manifest: Manifest = json.loads(archive.read(MANIFEST))
    if manifest["format"] > FORMAT:
        raise BadSetting("The archive is from a newer Selfroom: update this one first; nothing was imported.")
    return manifest


def check_sizes(archive: zipfile.ZipFile, largest: int) -> None:
    """Raise BadSetting for an archive that says it is larger than any of ours; unpacking stops at what it says."""
    files = archive.infolist()
    whole = [info.file_size for info in files if info.filename == MANIFEST or info.filename.startswith("images/")]
    too_large = len(files) > MOST_FILES or sum(info.file_size for info in files) > largest
    too_large |= any(info.filename == MANIFEST and info.file_size > LARGEST_MANIFEST for info in files)
    if too_large or sum(whole) > LARGEST_AT_ONCE or any(info.compress_type not in PACKED_BY for info in files):
        raise BadSetting(TOO_LARGE)
