"""A community in one file: a zip of JSON lines, images and a manifest with counts."""

import asyncio
import json
import zipfile
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Table, select, update
from sqlalchemy.exc import StatementError

from bot.core.errors import BadSetting
from bot.core.records import CommunityId, Snowflake
from storage.columns import to_json
from storage.database import Database
from storage.messages import file_rows
from storage.moving.contents import STAYS, TABLES, from_line, to_line
from storage.session import Session, owned
from storage.tables import ATTACHMENTS, COMMUNITIES, COUNTERS, KEPT, MESSAGES, METADATA
from storage.talking import index

FORMAT = 2  # raised when an older program could not read what a newer one writes
MANIFEST = "manifest.json"
AT_A_TIME = 500
FILES_IN_LINES = 1  # the format in which a message's files lay in its line
BROKEN = "The archive is damaged or cut off: export it again; nothing was imported."
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError),  # the file itself
    *(KeyError, ValueError, TypeError, AttributeError, StatementError),  # what is written in it
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What went into an archive or came out of one."""

    community_id: CommunityId
    counts: Mapping[str, int]
    images: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()  # secrets that stay where they are, in words: to be set again elsewhere


async def export_community(
    database: Database, community_id: CommunityId, path: Path, images: Mapping[str, bytes] | None = None
) -> Moved:
    """Write a community into a new file, as it stands at one moment; raises BadSetting when there is none such."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            manifest = await _write(database, community_id, archive, images or {})
        partial.replace(path)
    except OSError as error:
        raise BadSetting("The archive cannot be written: check the folder and free some space.") from error
    finally:
        partial.unlink(missing_ok=True)
    left_out = tuple(manifest["left_out"])
    return Moved(community_id=community_id, counts=manifest["counts"], images=images or {}, left_out=left_out)


async def _write(
    database: Database, community_id: CommunityId, archive: zipfile.ZipFile, images: Mapping[str, bytes]
) -> Mapping[str, Any]:
    counts: dict[str, int] = {}
    async with database.reading() as connection:
        session = Session(connection)
        about = await session.first(select(COMMUNITIES).where(COMMUNITIES.c.id == community_id))
        if about is None:
            raise BadSetting("There is no such community: see the list of communities.")
        for table in TABLES:
            counts[table.name] = await _write_table(session, table, community_id, archive)
        left_out = [words for name, words in STAYS.items() if await _is_there(session, name, community_id)]
        kept = await session.rows(select(KEPT.c.name, KEPT.c.value).where(KEPT.c.scope == community_id))
    for name, data in images.items():
        archive.writestr(f"images/{name}", data)
    manifest = {
        "format": FORMAT,
        "community": {"guild_id": about["guild_id"], "name": about["name"], "paused": about["paused"]},
        "kept": {name: value for name, value in kept},
        "counts": counts,
        "images": sorted(images),
        "left_out": left_out,
    }
    archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=2))
    return manifest


async def _is_there(session: Session, name: str, community_id: int) -> bool:
    table = METADATA.tables[name]
    return await session.first(select(table.c.community_id).where(owned(table, community_id)).limit(1)) is not None


async def _write_table(session: Session, table: Table, community_id: int, archive: zipfile.ZipFile) -> int:
    count = 0
    asked = select(table).where(owned(table, community_id)).order_by(*table.primary_key)
    with archive.open(f"{table.name}.jsonl", "w", force_zip64=True) as lines:
        async for rows in session.pages(asked, AT_A_TIME * 4):
            text = "".join(f"{to_json(to_line(table, row))}\n" for row in rows)
            await asyncio.to_thread(lines.write, text.encode())
            count += len(rows)
    return count


async def import_community(database: Database, path: Path, *, guild_id: Snowflake | None = None) -> Moved:
    """Read a community back, all or nothing; `guild_id`: for another server than the one it came from.

    Raises BadSetting for an archive that is damaged or newer than this program, and for a server that has a community.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read(MANIFEST))
            if manifest["format"] > FORMAT:
                raise BadSetting("The archive is from a newer Selfroom: update this one first; nothing was imported.")
            if await asyncio.to_thread(archive.testzip) is not None:
                raise ValueError("a file in the archive is damaged")
            images = {name: archive.read(f"images/{name}") for name in manifest["images"]}
            async with database.writing() as connection:
                community_id = await _read(Session(connection), archive, manifest, guild_id)
    except FileNotFoundError as error:
        raise BadSetting(f"There is no archive {path.name!r}: check its path.") from error
    except UNREADABLE as error:
        raise BadSetting(BROKEN) from error
    left_out = tuple(manifest.get("left_out", ()))
    return Moved(community_id=community_id, counts=manifest["counts"], images=images, left_out=left_out)


async def _read(
    session: Session, archive: zipfile.ZipFile, manifest: Mapping[str, Any], guild_id: Snowflake | None
) -> CommunityId:
    about = manifest["community"] | ({} if guild_id is None else {"guild_id": guild_id})
    about["guild_id"] = int(about["guild_id"])
    if await session.value(select(COMMUNITIES.c.id).where(COMMUNITIES.c.guild_id == about["guild_id"])) is not None:
        raise BadSetting("This server has a community already: delete it first, or import for another server.")
    new = session.insert(COMMUNITIES).returning(COMMUNITIES.c.id)
    community_id = CommunityId(int(await session.value(new, about)))
    for table in TABLES:
        found = await _read_table(session, table, community_id, archive, manifest["format"])
        if found != manifest["counts"].get(table.name, 0):
            raise ValueError(f"{table.name} has {found} lines")
    kept = [{"scope": community_id, "name": name, "value": value} for name, value in manifest["kept"].items()]
    await session.upsert(KEPT, kept)
    if not await session.run(update(COUNTERS).where(owned(COUNTERS, community_id)).values(agent=COUNTERS.c.agent)):
        raise ValueError("the archive has no counters")
    return community_id


async def _read_table(session: Session, table: Table, community_id: int, archive: zipfile.ZipFile, version: int) -> int:
    name, count = f"{table.name}.jsonl", 0
    if name not in archive.namelist():
        return 0
    with archive.open(name) as lines:
        async for page in _pages(json.loads(line) for line in lines):
            files = _files_in(page, community_id) if table is MESSAGES and version == FILES_IN_LINES else []
            rows = [from_line(table, line) | {"community_id": community_id} for line in page]
            await session.run(session.insert(table), rows)
            await session.run(session.insert(ATTACHMENTS), files)
            count += len(rows)
            if table is MESSAGES:
                shown = [(row["id"], row["room_id"], row["content"]) for row in rows if row["shown"]]
                await index(session, community_id, shown)
    return count


def _files_in(lines: Sequence[dict[str, Any]], community_id: int) -> list[dict[str, Any]]:
    """Take the files of messages out of their lines, which are left as they are written today."""
    rows: list[dict[str, Any]] = []
    for line in lines:
        files = line.pop("attachments", None) or ()
        line["attachment_count"] = len(files)
        rows += file_rows(community_id, line["id"], files)
    return rows


async def _pages(lines: Iterator[dict[str, Any]]) -> AsyncIterator[Sequence[dict[str, Any]]]:
    while page := list(islice(lines, AT_A_TIME)):
        yield page
