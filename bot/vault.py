"""What the command line does with the data at rest: migrations, copies, archives, and the secret that seals keys."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from pydantic import SecretStr

from bot.adapters.cipher import AesCipher, another_secret, open_cipher
from bot.adapters.clock import SystemClock
from bot.core.changes import Audit, SetOverride
from bot.core.errors import BadSetting, NotFound
from bot.core.records import Community, Snowflake
from bot.core.terminal import without_secrets
from bot.core.wording import counted
from bot.doctor import check_data_folder
from bot.settings import ENV_FILE, Settings
from storage.alone import LOCK
from storage.database import database_url, in_memory
from storage.private import BESIDE, is_one_of
from storage.restoring import check_restorable as may_be_put_back
from storage.restoring import restore as put_back
from storage.store import SqlStore

if TYPE_CHECKING:
    from bot.engine.trial.card import Card

log = structlog.get_logger(__name__)

Say = Callable[[str], object]
ELSEWHERE = "if yours lives elsewhere, run this in its folder, or set SELFROOM_DATA_DIR"
NO_COMMUNITY = f"There is no community yet: `selfroom run` founds one; {ELSEWHERE}."


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[SqlStore]:
    """Open the database for one command of the command line."""
    check_data_folder(settings.data_dir)
    store = await SqlStore.open(settings.database, config=settings.defaults, timelines=settings.timelines)
    try:
        yield store
    finally:
        await store.close()


def cipher_of(settings: Settings) -> AesCipher:
    """Give what seals and opens secrets; raises BadSetting."""
    older = tuple(one.get_secret_value() for one in settings.old_secrets)
    return open_cipher(settings.data_dir, revealed(settings.secret), older)


def revealed(secret: SecretStr | None) -> str | None:
    """Give a secret's value, where it is used."""
    return secret.get_secret_value() if secret else None


async def rotate_secret(settings: Settings, *, say: Say) -> None:
    """Draw a new secret, or take that of the settings, and seal all that is sealed with it."""
    if settings.secret is not None and not settings.old_secrets:
        raise BadSetting(
            "The secret is set in SELFROOM_SECRET: put a new one there, the old one into SELFROOM_OLD_SECRETS"
            " (as a JSON list), and run this again."
        )
    drawn = another_secret(settings.data_dir / "secret") if settings.secret is None else nullcontext()
    async with opened(settings) as store:
        with drawn:  # nobody draws the next one before all is sealed with this one
            done = await store.reseal(cipher_of(settings))
    keys, providers = counted(done.keys, "key"), counted(done.providers, "key")
    say(f"Sealed with the new secret: {keys} of rooms, {providers} of model providers.")
    if done.unreadable:
        say(f"{done.unreadable} more cannot be opened with any secret there is, and were left as they are.")
    where = (
        "SELFROOM_OLD_SECRETS" if settings.secret is not None else f"{settings.data_dir / 'secret'}, below the new one"
    )
    say(f"A Selfroom that runs must be started again. Older copies of the database still need what stands in {where}.")


def spare_our_own(settings: Settings, store: SqlStore, target: Path) -> None:
    """Raise BadSetting for a copy or an archive in the place of what Selfroom itself lives on, there or not."""
    data = settings.data_dir
    tokens = settings.passes
    ours = [data / "secret", data / "secret.lock", ENV_FILE, tokens, tokens.with_name(f"{tokens.name}.lock")]
    ours += [*data.glob("logs/*"), *settings.timelines.glob("*/*"), *settings.runs.glob("**/*")]
    bases = [data / "selfroom.db", data / "playground.db"]
    if store.database.is_sqlite and not store.database.in_memory:
        bases.append(Path(str(store.database.url.database)))
    ours += [base.with_name(f"{base.name}{ending}") for base in bases for ending in ("", *BESIDE, LOCK)]
    if is_one_of(target, ours) or is_one_of(target.parent, [data / "logs"]):
        raise BadSetting(
            f"{target} is one of the files that Selfroom itself needs, which is never replaced: name another place."
        )


def chosen(communities: Sequence[Community], guild_id: int | None) -> Community:
    """Give the one community, or the one of that server; raises NotFound when that leaves none or several."""
    them = [one for one in communities if guild_id in (None, one.guild_id)]
    if len(them) != 1:
        if not communities:
            raise NotFound(NO_COMMUNITY)
        there = ", ".join(f"{one.guild_id} ({one.name})" for one in communities)
        raise NotFound(f"Name one community with --guild; there are: {there}.")
    return them[0]


async def export_community(
    settings: Settings, *, path: Path | None, guild_id: int | None, say: Say, force: bool = False
) -> None:
    """Write a community into an archive: into one in the present folder that is named after now, when none is."""
    check_lived_in(settings)
    path = path or Path(f"selfroom-{SystemClock().now():%Y%m%d-%H%M%S}.zip")
    async with opened(settings) as store:
        spare_our_own(settings, store, path)
        async with store.reading() as read:
            community = chosen(await read.communities.all(), guild_id)
        moved = await store.export(community.id, path, replace=force, cipher=cipher_of(settings))
    say(f"{community.name} is in {path}: {sum(moved.counts.values()):,} rows.")
    say("Its keys are still sealed: elsewhere they open only with this Selfroom's secret (SELFROOM_OLD_SECRETS there).")
    for secret in moved.left_out:
        say(f"Left out, to be set again where it is imported: {secret}.")


async def import_community(
    settings: Settings, *, path: Path, guild_id: int | None, say: Say, closed: bool = False
) -> None:
    """Read a community back from an archive, all or nothing."""
    guild = Snowflake(guild_id) if guild_id else None
    async with opened(settings) as store:
        moved = await store.import_archive(path, guild_id=guild, cipher=cipher_of(settings), closed=closed)
    say(f"{path} is imported: {sum(moved.counts.values()):,} rows.")
    if moved.is_elsewhere:
        say(
            "It is in another server now: its agents get new channels there as soon as Selfroom runs with its bot in"
            " that server. Choose its category, its managers' channel and role there again with /setup places."
        )
    for secret in moved.left_out:
        say(f"To be set again, for no archive has its key: {secret}.")


async def back_up(settings: Settings, *, path: Path | None, say: Say, force: bool = False) -> None:
    """Copy the database into a file: into the folder of copies, which are removed in time, when none is named."""
    days = counted(settings.backup_days, "day")
    if not _is_there(settings):  # to open it would make an empty one
        where = database_url(settings.database).database
        raise BadSetting(f"There is no database {where} to be copied yet: {ELSEWHERE}.")
    check_data_folder(settings.data_dir)
    if path is None:
        path = _made(settings.backups) / f"selfroom-{SystemClock().now():%Y%m%d-%H%M%S}.db"
        until = f"it is removed after {days}"
    else:
        until = f"people were told that you delete it after {days}"
    async with opened(settings) as store:
        spare_our_own(settings, store, path)
        await store.back_up(path, replace=force)
    say(f"The database is copied to {path}; keep the data folder's `secret` with it ({until}).")


async def move(settings: Settings, *, to: str, say: Say, progress: Callable[[int, int], None]) -> None:
    """Copy everything into another, empty database, of the other kind as well; what was there stays there."""
    check_data_folder(settings.data_dir)
    url = database_url(to)
    if in_memory(url):
        raise BadSetting("A database in memory is gone with this command: name a file, or one of PostgreSQL.")
    async with await SqlStore.open(settings.database, post="run", timelines=settings.timelines) as source:
        if url == source.database.url:
            raise BadSetting("Everything is in that database already: name another one.")
        if url.get_backend_name() == "sqlite":
            spare_our_own(settings, source, Path(str(url.database)))
        async with await SqlStore.open(to, post="run") as target:
            rows = await source.copy_to(target, progress)
    say(f"{counted(rows, 'row')} copied: set SELFROOM_DATABASE_URL to {without_secrets(to)}, and keep the data folder.")
    say("What people delete from now on stays in the old database: delete it once Selfroom runs with the new one.")


def check_lived_in(settings: Settings) -> None:
    """Raise NotFound where nobody lives, for there is no database: who only looks makes neither it nor its folder."""
    if not _is_there(settings):
        raise NotFound(NO_COMMUNITY)


def _is_there(settings: Settings) -> bool:
    url = database_url(settings.database)
    return url.get_backend_name() != "sqlite" or in_memory(url) or Path(str(url.database)).exists()


def _made(folder: Path) -> Path:
    """Make the folder of copies."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise BadSetting(
            f"The folder {folder} cannot be made ({error.strerror or error}): move what is there."
        ) from error
    return folder


async def check_restorable(settings: Settings, *, path: Path) -> None:
    """Raise what keeps a copy from being put in the place of the database: it is none, or Selfroom runs."""
    check_data_folder(settings.data_dir)
    await may_be_put_back(settings.database, path)


async def restore(settings: Settings, *, path: Path, say: Say) -> None:
    """Put a copy in the place of the database; what that was is kept among the copies."""
    check_data_folder(settings.data_dir)
    folder = _made(settings.backups)
    keep = folder / f"before-restore-{SystemClock().now():%Y%m%d-%H%M%S}.db"
    done = await put_back(settings.database, path, keep=keep)
    say(f"{path} is in the database's place.")
    if done.kept is not None:
        say(f"What was there before is in {done.kept}; it is removed after {counted(settings.backup_days, 'day')}.")
    if done.posts is None or done.people is None:
        say("It cannot be read, so what people took back since the copy is there again: take it away by hand.")
    elif done.posts or done.people:
        gone, forgotten = counted(done.posts, "message"), counted(done.people, "person", "people")
        say(f"Taken away again, as people wished since: {gone}; forgotten again: {forgotten}.")
    say("What was said since then is read from Discord at the next start, as far as it goes back.")


async def migrate_database(settings: Settings, *, say: Say) -> None:
    """Bring the database up to date and say so."""
    async with opened(settings):
        say(f"The database is up to date: {without_secrets(settings.database)}")


async def keep_manner(settings: Settings, card: "Card", *, guild_id: int | None) -> str:
    """Have a community ask a model as was found best; gives a sentence."""
    from bot.engine.front_desk.providers import with_manner  # the whole desk, which other commands need not load

    async with opened(settings) as store:
        async with store.reading() as read:
            community = chosen(await read.communities.all(), guild_id)
        models = with_manner(settings.defaults.overlaid(community.overrides), card.model, card.manner)
        async with store.writing(community.id) as write:
            what = f"{card.model} is asked as a trial found best."
            audit = Audit(by="the command line", what=what, at=SystemClock().now())
            await write.apply(community.id, [SetOverride(name="models", value=models), audit])
    calls = (
        f" Set SELFROOM_CALLS_PER_PROVIDER={card.calls_to_set}: its server does no more." if card.calls_to_set else ""
    )
    return f"{community.name} asks {card.model} so from now on (`models` in /setup options).{calls}"


async def expire_backups(store: SqlStore, settings: Settings, clock: SystemClock) -> None:
    """Remove the copies of the database that are older than people were told."""
    if gone := await store.expire_backups(settings.backups, clock.now() - timedelta(days=settings.backup_days)):
        log.info("old copies of the database were removed", copies=gone)
