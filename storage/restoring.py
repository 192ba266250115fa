"""A copy of a SQLite database put in the place of the one that is in use; what went since stays gone."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from sqlalchemy import select, update

from bot.core.errors import BadSetting, StoreError
from bot.core.kinds import LetterKind, LetterState
from bot.core.records import CommunityId, Snowflake
from storage.alone import on_post
from storage.columns import from_microseconds
from storage.database import Database, database_url
from storage.forgetting import forget_rest
from storage.migrations.path import refuse_newer
from storage.prepared import PlainRow
from storage.private import BESIDE, UNFINISHED, keep_private
from storage.session import Session
from storage.store import SqlStore
from storage.tables import KEYS, LETTERS, PEOPLE

AT_ONCE = 200  # posts, people or keys in one transaction
NO_COPY = "{} is no copy of a Selfroom database: name a file that `selfroom backup` wrote."


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What one server's people took back until now: posts, and who asked to be forgotten, with the times of it.

    `unheard`: who is to be ignored, and who is muted; `keys`: that were withdrawn, by number and digest, with when.
    """

    guild_id: Snowflake
    posts: tuple[tuple[Snowflake, datetime], ...]
    people: tuple[tuple[Snowflake, datetime], ...]
    unheard: tuple[tuple[Snowflake, bool, bool], ...] = ()
    keys: tuple[tuple[int, bytes, datetime], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restoring did; `kept`: where the database from before is, None where there was none.

    `posts` and `people`: that were taken back, and forgotten, anew; None where the database from before is damaged, so
    that nobody knows who took back what.
    """

    kept: Path | None
    posts: int | None
    people: int | None


async def restore(url: str, copy: Path, *, keep: Path) -> Restored:
    """Put a copy in the place of the SQLite database of a URL, which goes to `keep`; nobody may run on it meanwhile.

    What went since is taken out of the copy before it is put there, so that a kill leaves one or the other. Raises
    BadSetting where it is no SQLite file, or the copy none of Selfroom's, StoreError where it is newer.
    """
    database = await _target(url, copy)
    file = Path(str(database.url.database))
    async with on_post(database, "run"):
        kept = keep if await asyncio.to_thread(file.exists) else None
        gone = await asyncio.to_thread(gone_by_now, file) if kept is not None else []
        with TemporaryDirectory(dir=file.parent, prefix=UNFINISHED, ignore_cleanup_errors=True) as folder:
            staged = Path(folder, "staged.db")
            await asyncio.to_thread(_put_in_place, staged, copy)
            async with await SqlStore.open(f"sqlite:///{staged}") as store:
                posts, people = await _take_back_again(store, gone or ())
            if kept is not None:
                await _keep(url, file, kept)
            await asyncio.to_thread(_put_in_place, file, staged)
    if gone is None:
        return Restored(kept=kept, posts=None, people=None)
    return Restored(kept=kept, posts=posts, people=people)


async def check_restorable(url: str, copy: Path) -> None:
    """Raise what keeps a copy from being put there, before anybody is asked whether it should be."""
    async with on_post(await _target(url, copy), "run"):
        pass


async def _target(url: str, copy: Path) -> Database:
    database = Database(database_url(url))
    if not database.is_sqlite or database.in_memory:
        raise BadSetting("Only a SQLite file is restored from a copy: use pg_restore for PostgreSQL.")
    await asyncio.to_thread(check_copy, copy)
    return database


async def _keep(url: str, file: Path, keep: Path) -> None:
    """Copy the database that is in use; one that cannot be read, or is newer, is moved as it is."""
    try:
        async with await SqlStore.open(url) as store:
            await store.back_up(keep)
    except StoreError:
        try:
            await asyncio.to_thread(_check, file, immutable=False)
        except (BadSetting, StoreError):
            _set_aside(file, keep)
        else:
            raise  # the disk is full, or somebody else holds it: then nothing is done


def _set_aside(file: Path, keep: Path) -> None:
    """Move a database that cannot be read, with what lies beside it."""
    for ending in ("", *BESIDE):
        part = file.with_name(f"{file.name}{ending}")
        if part.exists():
            part.replace(keep.with_name(f"{keep.name}{ending}"))


async def _take_back_again(store: SqlStore, gone: Sequence[Gone]) -> tuple[int, int]:
    """Let nothing be posted twice, nor come back that people took back; gives how many posts and people that were."""
    async with store.writing() as write:
        await _look_before_posting(write.session)
    posts = people = 0
    for one in gone:
        async with store.reading() as read:
            community = await read.communities.of_guild(one.guild_id)
            already = await _forgotten(read.session, community.id) if community else set()
        if community is None:
            continue
        for start in range(0, len(one.posts), AT_ONCE):
            async with store.writing(community.id) as write:
                for id_, at in one.posts[start : start + AT_ONCE]:
                    posts += await write.talk.delete(community.id, [id_], at)
        for id_, at in one.people:
            if id_ not in already:
                people += 1
                async with store.writing(community.id) as write:
                    await write.personal.begin_forgetting(community.id, id_, at)
        await _shut_again(store, community.id, one)
        await forget_rest(store.database, community.id)
    await store.gone_for_good()
    return posts, people


async def _shut_again(store: SqlStore, community_id: CommunityId, gone: Gone) -> None:
    """Hear nobody who is not to be heard, and let no key open that was withdrawn."""
    blank = {"community_id": community_id, "username": "", "display_name": ""}
    for start in range(0, len(gone.unheard), AT_ONCE):
        rows = [
            {**blank, "id": id_, "ignored": ignored, "muted": muted}
            for id_, ignored, muted in gone.unheard[start : start + AT_ONCE]
        ]
        async with store.writing(community_id) as write:
            await write.session.upsert(PEOPLE, rows, keep=("username", "display_name"))
    for start in range(0, len(gone.keys), AT_ONCE):
        async with store.writing(community_id) as write:
            for id_, digest, at in gone.keys[start : start + AT_ONCE]:
                this = (KEYS.c.community_id == community_id, KEYS.c.id == id_, KEYS.c.digest == digest)
                await write.session.run(update(KEYS).where(*this, KEYS.c.revoked_at.is_(None)).values(revoked_at=at))


def gone_by_now(file: Path) -> list[Gone] | None:
    """Give what must not come back, by server, of a database of any revision; None where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file.resolve()))}?mode=ro", uri=True)) as database:
            database.execute("BEGIN")
            servers = database.execute("SELECT id, guild_id FROM communities WHERE guild_id > 0").fetchall()
            return [_gone_from(database, community_id, Snowflake(guild_id)) for community_id, guild_id in servers]
    except sqlite3.Error:
        return None


def _gone_from(database: sqlite3.Connection, community_id: int, guild_id: Snowflake) -> Gone:
    def rows(asked: str) -> list[PlainRow]:
        return database.execute(f"{asked} AND community_id = ?", (community_id,)).fetchall()

    posts = rows("SELECT discord_id, at FROM tombstones WHERE 1 = 1")
    people = rows("SELECT id, forgotten_at FROM people WHERE forgotten_at IS NOT NULL")
    unheard = rows("SELECT id, ignored, muted FROM people WHERE (ignored OR muted) AND forgotten_at IS NULL")
    keys = rows("SELECT id, digest, revoked_at FROM keys WHERE revoked_at IS NOT NULL")
    return Gone(
        guild_id=guild_id,
        posts=tuple((Snowflake(id_), from_microseconds(at)) for id_, at in posts),
        people=tuple((Snowflake(id_), from_microseconds(at)) for id_, at in people),
        unheard=tuple((Snowflake(id_), bool(ignored), bool(muted)) for id_, ignored, muted in unheard),
        keys=tuple((id_, digest, from_microseconds(at)) for id_, digest, at in keys),
    )


async def _look_before_posting(session: Session) -> None:
    """Have what waits to be posted looked for first: it may have been posted after the copy was made."""
    waits = (LETTERS.c.kind == LetterKind.POST, LETTERS.c.state == LetterState.WAITING)
    await session.run(update(LETTERS).where(*waits).values(state=LetterState.SENDING, attempts=1))


async def _forgotten(session: Session, community_id: CommunityId) -> set[Snowflake]:
    here = PEOPLE.c.community_id == community_id, PEOPLE.c.forgotten_at.is_not(None)
    return {Snowflake(row[0]) for row in await session.rows(select(PEOPLE.c.id).where(*here))}


def check_copy(copy: Path) -> None:
    """Raise BadSetting for a file that is no copy of a Selfroom database, or is damaged, StoreError for a newer one."""
    _check(copy, immutable=True)


def _check(copy: Path, *, immutable: bool) -> None:
    if not copy.exists():
        raise BadSetting(f"There is no file {copy}: check its path.")
    try:
        with closing(_opened(copy, immutable=immutable)) as database:
            (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone() or (None,)
            (sound,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.Error, OSError) as error:
        raise BadSetting(NO_COPY.format(copy)) from error
    if revision is None:
        raise BadSetting(NO_COPY.format(copy))
    refuse_newer(revision)
    if sound != "ok":
        raise BadSetting(f"{copy} is damaged: restore another copy.")


def _put_in_place(target: Path, copy: Path) -> None:
    """Give a file the content of a copy, all at once or not at all."""
    keep_private(target)
    with closing(_opened(copy)) as source, closing(sqlite3.connect(target, timeout=5)) as used:
        source.backup(used)


def _opened(copy: Path, *, immutable: bool = True) -> sqlite3.Connection:
    """Open a copy; `immutable`: without leaving anything beside it."""
    how = "mode=ro&immutable=1" if immutable else "mode=ro"
    return sqlite3.connect(f"file:{quote(str(copy.resolve(strict=True)))}?{how}", uri=True)
