"""A copy of a SQLite database put in the place of the one that is in use; what went since stays gone."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import select, update

from bot.core.errors import BadSetting, StoreError
from bot.core.kinds import LetterKind, LetterState
from bot.core.records import CommunityId, Snowflake
from storage.alone import alone
from storage.database import Database, database_url
from storage.forgetting import forget_rest
from storage.migrations.path import refuse_newer
from storage.private import BESIDE, keep_private
from storage.session import Session
from storage.store import SqlStore
from storage.tables import COMMUNITIES, LETTERS, PEOPLE, TOMBSTONES

POSTS_AT_ONCE = 200
NO_COPY = "{} is no copy of a Selfroom database: name a file that `selfroom backup` wrote."


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What one server's people took back until now: posts, and who asked to be forgotten, with the times of it."""

    guild_id: Snowflake
    posts: tuple[tuple[Snowflake, datetime], ...]
    people: tuple[tuple[Snowflake, datetime], ...]


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

    Raises BadSetting where it is no SQLite file, or the copy none of Selfroom's, StoreError where it is newer.
    """
    database = Database(database_url(url))
    if not database.is_sqlite or database.in_memory:
        raise BadSetting("Only a SQLite file is restored from a copy: use pg_restore for PostgreSQL.")
    file = Path(str(database.url.database))
    await asyncio.to_thread(check_copy, copy)
    async with alone(database):
        gone: list[Gone] | None = []
        kept = keep if await asyncio.to_thread(file.exists) else None
        if kept is not None:
            gone = await _gone_from(url, kept)
        if gone is None:
            _set_aside(file, keep)
        await asyncio.to_thread(_put_in_place, file, copy)
        async with await SqlStore.open(url) as store:
            posts, people = await _take_back_again(store, gone or ())
    if gone is None:
        return Restored(kept=kept, posts=None, people=None)
    return Restored(kept=kept, posts=posts, people=people)


async def _gone_from(url: str, keep: Path) -> list[Gone] | None:
    """Copy the database that is in use, and give what must not come back; None where it cannot be read."""
    try:
        async with await SqlStore.open(url) as store:
            await store.back_up(keep)
            async with store.reading() as read:
                return await gone_by_now(read.session)
    except StoreError:
        return None


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
        for start in range(0, len(one.posts), POSTS_AT_ONCE):
            async with store.writing(community.id) as write:
                for id_, at in one.posts[start : start + POSTS_AT_ONCE]:
                    posts += await write.talk.delete(community.id, [id_], at)
        for id_, at in one.people:
            if id_ not in already:
                people += 1
                async with store.writing(community.id) as write:
                    await write.personal.begin_forgetting(community.id, id_, at)
        await forget_rest(store.database, community.id)
    await store.gone_for_good()
    return posts, people


async def gone_by_now(session: Session) -> list[Gone]:
    """Give what must not come back, by server."""
    found: list[Gone] = []
    for community_id, guild_id in await session.rows(select(COMMUNITIES.c.id, COMMUNITIES.c.guild_id)):
        posts = select(TOMBSTONES.c.discord_id, TOMBSTONES.c.at).where(TOMBSTONES.c.community_id == community_id)
        forgotten = PEOPLE.c.community_id == community_id, PEOPLE.c.forgotten_at.is_not(None)
        people = select(PEOPLE.c.id, PEOPLE.c.forgotten_at).where(*forgotten)
        found.append(
            Gone(
                guild_id=Snowflake(guild_id),
                posts=tuple((Snowflake(id_), at) for id_, at in await session.rows(posts)),
                people=tuple((Snowflake(id_), at) for id_, at in await session.rows(people)),
            )
        )
    return found


async def _look_before_posting(session: Session) -> None:
    """Have what waits to be posted looked for first: it may have been posted after the copy was made."""
    waits = (LETTERS.c.kind == LetterKind.POST, LETTERS.c.state == LetterState.WAITING)
    await session.run(update(LETTERS).where(*waits).values(state=LetterState.SENDING, attempts=1))


async def _forgotten(session: Session, community_id: CommunityId) -> set[Snowflake]:
    here = PEOPLE.c.community_id == community_id, PEOPLE.c.forgotten_at.is_not(None)
    return {Snowflake(row[0]) for row in await session.rows(select(PEOPLE.c.id).where(*here))}


def check_copy(copy: Path) -> None:
    """Raise BadSetting for a file that is no copy of a Selfroom database, or is damaged, StoreError for a newer one."""
    try:
        with closing(_opened(copy)) as database:
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


def _opened(copy: Path) -> sqlite3.Connection:
    """Open a copy without leaving anything beside it."""
    return sqlite3.connect(f"file:{quote(str(copy.resolve(strict=True)))}?mode=ro&immutable=1", uri=True)
