"""The rows of an archive, page by page within bounds; and set aside in a file, ready to be written in a short time."""

import json
import pickle
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any, Generic, TypeVar

from sqlalchemy import Table
from sqlalchemy.engine import Dialect

from bot.core.errors import BadSetting
from storage.messages import file_rows
from storage.moving.arrival import admitted, comes_in
from storage.moving.contents import MOVED, Manifest, from_line
from storage.moving.limits import LARGEST_LINE
from storage.moving.ready import Plain, ready
from storage.moving.rehoming import rehomed
from storage.session import Values
from storage.tables import ATTACHMENTS, MESSAGES, METADATA
from storage.talking import Indexed, indexed

Line = dict[str, Any]  # as a foreign file gives it
Row = TypeVar("Row")
AT_A_TIME = 200
LARGEST_PAGE = 1_000_000  # bytes of the rows that are written together, but for the last of them
MOST_VALUES = 100_000  # lists, objects and what stands in them, in one row
BYTES_OF_A_VALUE = 100  # in memory, about: far more than the two of `[]`
FILES_IN_LINES = 1  # the format in which a message's files lay in its line
NO_ROOM = "There is no room to unpack the archive ({}): free some space in {}; nothing was imported."
TOO_LARGE = "The archive holds more than any community: it is not one of Selfroom's; nothing was imported."
_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # no byte is looked at twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """Rows of a table as they may come in; with files that older formats hold in them, and words to find them by."""

    table_name: str
    rows: Sequence[Row]
    files: Sequence[Row] = ()
    words: Sequence[Indexed] = ()


@contextmanager
def set_aside(
    archive: zipfile.ZipFile,
    manifest: Manifest,
    folder: Path | None,
    dialect: Dialect,
    *,
    handed: bool,
    elsewhere: bool,
) -> Iterator[tuple[Mapping[str, int], Iterator[Page[Values | Plain]]]]:
    """Read all rows into a file that nobody else sees and no kill leaves behind; gives their counts, and them in turn.

    To look through an archive takes far longer than to write what is in it, and who writes keeps all others waiting.
    """
    with TemporaryFile(dir=folder) as file:
        counts = {table.name: 0 for table in MOVED}
        for page in pages_of(archive, manifest, handed=handed):
            counts[page.table_name] += len(page.rows)
            table = METADATA.tables[page.table_name]
            page = replace(page, rows=[row for row in page.rows if comes_in(table, row, handed=handed)])
            if elsewhere:
                page = replace(page, rows=[here for row in page.rows if (here := rehomed(table, row)) is not None])
            made = _ready(page, dialect) if dialect.name == "sqlite" else replace(page, words=_words_of(page))
            _put(file, made, folder or Path(gettempdir()))
        file.seek(0)
        yield counts, _taken(file)


def _ready(page: Page[Values], dialect: Dialect) -> Page[Plain]:
    rows = ready(METADATA.tables[page.table_name], page.rows, dialect)
    files = ready(ATTACHMENTS, page.files, dialect)
    return Page(table_name=page.table_name, rows=rows, files=files)


def _words_of(page: Page[Values]) -> list[Indexed]:
    """Give the words of messages for PostgreSQL's index; SQLite's is written later, beside everything else."""
    if page.table_name != MESSAGES.name:
        return []
    return [indexed(row["id"], row["room_id"], row["content"]) for row in page.rows if row["shown"]]


def _put(file: IO[bytes], page: Page[Values] | Page[Plain], folder: Path) -> None:
    try:
        pickle.dump(page, file, pickle.HIGHEST_PROTOCOL)
    except OSError as error:
        raise BadSetting(NO_ROOM.format(error.strerror, folder)) from error


def _taken(file: IO[bytes]) -> Iterator[Page[Values | Plain]]:
    while file.peek(1):  # type: ignore[attr-defined]  # it is buffered
        yield pickle.load(file)  # noqa: S301 - we wrote it, where nobody else can


def pages_of(archive: zipfile.ZipFile, manifest: Manifest, *, handed: bool) -> Iterator[Page[Values]]:
    """Give all rows of an archive, so many at a time; raises ValueError where there are not as many as it says.

    `handed`: it is from anybody, not from whoever runs Selfroom.
    """
    for table in MOVED:
        count = 0
        for page in _pages_of(archive, table, manifest["format"], handed=handed):
            count += len(page.rows)
            yield page
        if count != manifest["counts"].get(table.name, 0):
            raise ValueError(f"{table.name} has {count} lines")


def _pages_of(archive: zipfile.ZipFile, table: Table, version: int, *, handed: bool) -> Iterator[Page[Values]]:
    name = f"{table.name}.jsonl"
    if name not in archive.namelist():
        return
    with archive.open(name) as lines:
        for page in _pages(bounded_lines(lines)):
            files = _files_in(page) if table is MESSAGES and version == FILES_IN_LINES else []
            rows = [admitted(table, from_line(table, line), handed=handed) for line in page]
            yield Page(
                table_name=table.name,
                rows=rows,
                files=[admitted(ATTACHMENTS, row, handed=handed) for row in files],
            )


def _files_in(lines: Sequence[Line]) -> list[Values]:
    """Take the files of messages out of their lines, which are left as they are written today."""
    rows: list[Values] = []
    for line in lines:
        files = line.pop("attachments", None) or ()
        line["attachment_count"] = len(files)
        rows += file_rows(0, line["id"], files)
    return rows


def _pages(lines: Iterator[bytes]) -> Iterator[list[Line]]:
    page: list[Line] = []
    size = 0
    for line in lines:
        values = values_in(line)
        if values > MOST_VALUES:
            raise BadSetting(TOO_LARGE)
        page.append(json.loads(line))
        size += len(line) + values * BYTES_OF_A_VALUE
        if len(page) == AT_A_TIME or size > LARGEST_PAGE:
            yield page
            page, size = [], 0
    if page:
        yield page


def values_in(line: bytes) -> int:
    """Count what a line would become, at most: what stands in its texts is left out where there is much of it."""
    found = _marks_in(line)
    return found if found <= MOST_VALUES else _marks_in(_TEXTS.sub(b"", line))


def _marks_in(line: bytes) -> int:
    return sum(map(line.count, (b"[", b"{", b",")))


def bounded_lines(lines: IO[bytes]) -> Iterator[bytes]:
    """Give a file's lines; raises BadSetting at one that is longer than any of ours."""
    while line := lines.readline(LARGEST_LINE + 1):
        if len(line) > LARGEST_LINE:
            raise BadSetting(TOO_LARGE)
        yield line
