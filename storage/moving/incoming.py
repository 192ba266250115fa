"""A community comes out of an archive, and is there all at once: or nothing of it is."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, ExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import delete, or_, select, update

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.core.ports import Cipher
from bot.core.records import Community, CommunityId, Snowflake
from bot.core.wording import counted
from storage.database import Database
from storage.forgetting import begin_forgetting
from storage.inline import unhurried
from storage.moving.archive import BROKEN, CLOSED, UNREADABLE, Moved, fingerprint, is_sealed, manifest_of, opened
from storage.moving.arrival import CARRIED
from storage.moving.contents import STAYS, Manifest
from storage.moving.pages import Page, set_aside
from storage.moving.ready import Plain, put
from storage.moving.rehoming import PLACES, UNREAD, rehome
from storage.moving.staging import NOTES, begin, clear, keys_in, short_turn
from storage.resealing import reseal_moved, take_provider_along
from storage.rooms import SqlRooms
from storage.session import INSTALLATION, Session, Values, owned
from storage.tables import (
    ATTACHMENTS,
    AUDIT,
    COMMUNITIES,
    COUNTERS,
    KEPT,
    KEYS,
    METADATA,
    NAMES,
    OVERRIDES,
    PEOPLE,
    RESERVATIONS,
    USAGE,
)
from storage.talking import put_into_index
from storage.views import SqlViews

T = TypeVar("T")
Pages = Iterator[Page[Values | Plain]]
HAS_ONE = "This server has a community already: delete it first, or import for another server."


async def import_community(
    database: Database,
    source: Path | bytes,
    *,
    guild_id: Snowflake | None = None,
    into: Community | None = None,
    cipher: Cipher | None = None,
    closed: bool = False,
) -> Moved:
    """Read a community back, all or nothing; `guild_id`: for another server than the one it came from.

    Elsewhere nothing is kept that lies in the old server: its rooms get channels in the new one. `into`: an empty
    community whose place it takes; what people may not bring in stays out then (storage.moving.arrival).
    Its keys are sealed anew for their rows here, if the archive has a seal of ours. Its search index is still to be
    written. Raises BadSetting for an archive that is damaged or newer than this program, for a server that has a
    community, and (unless `closed`) for keys that are not opened.
    """
    guild_id = into.guild_id if into is not None else guild_id
    try:
        async with _in_thread(opened(source)) as archive:
            manifest = await asyncio.to_thread(manifest_of, archive)
            left_out = tuple(words for words in STAYS.values() if words in manifest.get("left_out", ()))
            found = await asyncio.to_thread(fingerprint, archive, manifest)
            images = await asyncio.to_thread(_images_of, archive, manifest) if into is None else {}
            was = int(manifest["community"]["guild_id"])
            is_elsewhere = guild_id not in (None, was)
            dialect, handed = database.engine.dialect, into is not None
            reading = set_aside(archive, manifest, database.folder, dialect, handed=handed, elsewhere=is_elsewhere)
            sealed_for = CommunityId(manifest["sealed_for"]) if cipher and is_sealed(cipher, found, manifest) else None
            arrival = _Arrival(
                database=database,
                manifest=manifest,
                guild_id=Snowflake(was) if guild_id is None else guild_id,
                into=into,
                is_elsewhere=is_elsewhere,
                cipher=cipher,
                sealed_for=sealed_for,
                closed=closed,
            )
            async with _in_thread(reading) as (counts, pages):
                with unhurried():  # its statements may be about any number of rows
                    community_id = await arrival.come_in(pages)
    except FileNotFoundError as error:
        raise BadSetting(f"There is no archive {error.filename!r}: check its path.") from error
    except UNREADABLE as error:
        raise BadSetting(BROKEN) from error
    return Moved(community_id=community_id, counts=counts, images=images, is_elsewhere=is_elsewhere, left_out=left_out)


def _images_of(archive: zipfile.ZipFile, manifest: Manifest) -> dict[str, bytes]:
    return {name: archive.read(f"images/{name}") for name in sorted(set(manifest["images"]))}


@asynccontextmanager
async def _in_thread(work: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Enter what takes long beside everything else."""
    entered = await asyncio.to_thread(work.__enter__)
    with ExitStack() as left:
        left.push(work)
        yield entered


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrival:
    """One community on its way in, under a server's number; `sealed_for`: whose keys its seal vouches for."""

    database: Database
    manifest: Manifest
    guild_id: Snowflake
    into: Community | None
    is_elsewhere: bool
    cipher: Cipher | None
    sealed_for: CommunityId | None
    closed: bool

    async def come_in(self, pages: Pages) -> CommunityId:
        """Write everything in short transactions; the last one shows it."""
        database = self.database
        async with database.reading() as connection:
            await self._check_place(Session(connection), hold=False)
        community_id = await begin(database, self.guild_id, self.manifest["community"])
        try:
            await self._write(pages, community_id)
            if self.is_elsewhere:
                await rehome(database, community_id)
            await self._reseal(community_id)
            async with database.reading() as connection:
                await _check_readable(Session(connection), community_id)
            async with short_turn(database, community_id) as session:
                await self._appear(session, community_id)
        except Exception:
            await clear(database, community_id)
            raise
        finally:
            database.arriving.discard(self.guild_id)
        return community_id

    async def _check_place(self, session: Session, *, hold: bool) -> None:
        if self.into is not None:
            await check_empty(session, self.into, hold=hold)
        elif await session.value(select(COMMUNITIES.c.id).where(COMMUNITIES.c.guild_id == self.guild_id)) is not None:
            raise BadSetting(HAS_ONE)

    async def _write(self, pages: Pages, community_id: CommunityId) -> None:
        while page := await asyncio.to_thread(next, pages, None):
            async with short_turn(self.database) as session:
                await put(session, METADATA.tables[page.table_name], page.rows, community_id)
                await put(session, ATTACHMENTS, page.files, community_id)
                await put_into_index(session, community_id, page.words)

    async def _reseal(self, community_id: CommunityId) -> None:
        """Bind its keys to their rows here; raises BadSetting for keys that are not opened, unless they may be so."""
        if self.cipher is None:
            return
        unreadable = 0
        async with aclosing(keys_in(self.database, community_id, KEYS)) as found:
            async for keys in found:
                ids = [key[0] for key in keys]
                async with short_turn(self.database) as session:
                    unreadable += await reseal_moved(session, self.cipher, self.sealed_for, community_id, ids)
        if unreadable and not self.closed:
            raise BadSetting(CLOSED.format(counted(unreadable, "key"), "was" if unreadable == 1 else "were"))

    async def _appear(self, session: Session, community_id: CommunityId) -> None:
        """Let it take its place, with what the server's own empty community had."""
        await self._check_place(session, hold=True)
        told = self.manifest["kept"].items()
        kept = {name: value for name, value in told if self.into is None or name.startswith(CARRIED)}
        kept = {name: value for name, value in kept.items() if not (self.is_elsewhere and name.startswith(UNREAD))}
        notes = [{"scope": community_id, "name": name, "value": value} for name, value in kept.items()]
        await session.upsert(KEPT, notes)
        if not await session.run(update(COUNTERS).where(owned(COUNTERS, community_id)).values(agent=COUNTERS.c.agent)):
            raise ValueError("the archive has no counters")
        about: dict[str, object] = {"guild_id": self.guild_id, "paused": self.manifest["community"]["paused"] is True}
        if self.into is not None:
            await take_over(session, self.into.id, community_id, self.cipher, is_elsewhere=self.is_elsewhere)
            about["name"] = self.into.name
        await session.run(update(COMMUNITIES).where(COMMUNITIES.c.id == community_id).values(about))


async def _check_readable(session: Session, community_id: CommunityId) -> None:
    """Read what came in as it will be read, for what cannot be does not stay."""
    await SqlViews(session, CommunityConfig()).whole(community_id)
    await SqlRooms(session).threads(community_id)


NOT_EMPTY = (
    "Agents live here already, or did: a community can only come into a server in which none was ever made. "
    "Nothing was imported."
)
STAY = (AUDIT, RESERVATIONS, USAGE)  # who changed what here, and what was spent


async def check_empty(session: Session, community: Community, *, hold: bool = False) -> None:
    """Raise BadSetting where agents live or lived, or a community moved in already; `hold`: none is made meanwhile."""
    there = await session.value(select(COMMUNITIES.c.id).where(COMMUNITIES.c.guild_id == community.guild_id))
    agents = select(COUNTERS.c.agent).where(owned(COUNTERS, community.id))
    if there != community.id or await session.value(agents.with_for_update() if hold else agents):
        raise BadSetting(NOT_EMPTY)


async def take_over(
    session: Session, empty: CommunityId, community_id: CommunityId, cipher: Cipher | None, *, is_elsewhere: bool
) -> None:
    """Give what an empty community holds to the one that takes its place, and take it away.

    Who was forgotten here is so again, and who is ignored or muted too; its server's places hold where it came from
    elsewhere. What was spent, who changed what and the server's own provider go along.
    """
    its = {"community_id": community_id}
    if is_elsewhere:
        places = select(OVERRIDES).where(owned(OVERRIDES, empty), OVERRIDES.c.name.in_(PLACES))
        await session.upsert(OVERRIDES, [{**row, **its} for row in await session.mappings(places)])
    people = [{**row, **its} for row in await session.mappings(select(PEOPLE).where(owned(PEOPLE, empty)))]
    for one in people:
        if one["forgotten_at"] is not None:
            await begin_forgetting(session, community_id, Snowflake(one["id"]), one["forgotten_at"], ())
    await session.upsert(PEOPLE, people)
    names = [{**row, **its} for row in await session.mappings(select(NAMES).where(owned(NAMES, empty)))]
    await session.run(session.insert(NAMES).on_conflict_do_nothing(), names)
    for table in STAY:
        await session.run(update(table).where(owned(table, empty)).values(community_id=community_id))
    await take_provider_along(session, cipher, empty, community_id)
    kept = await session.mappings(select(KEPT).where(KEPT.c.scope == empty))
    await session.upsert(KEPT, [{**row, "scope": community_id} for row in kept])
    about_it = or_(*(KEPT.c.name.startswith(f"{kind}:{empty}:") for kind in NOTES))
    await session.run(delete(KEPT).where(or_(KEPT.c.scope == empty, (KEPT.c.scope == INSTALLATION) & about_it)))
    await session.run(delete(COMMUNITIES).where(COMMUNITIES.c.id == empty))
