"""Tokens by which programs ask the console, each for one person in one server: made, listed and withdrawn."""

import fcntl
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import structlog
from pydantic import AwareDatetime, BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.console.door import Guest, Holder, hashed
from bot.console.routes import Scope
from bot.core.errors import BadSetting, NotFound, StoreError
from bot.core.records import Snowflake
from storage.private import whole_file

BEGINS: Final = "selfroom_"  # so that whoever finds one somewhere knows what it is
MOST: Final = 100
LONGEST_NAME: Final = 60
UNREADABLE: Final = "The tokens cannot be read now: whoever runs Selfroom finds why in the log."
log = structlog.get_logger(__name__)


class Pass(BaseModel):
    """A token as it is kept: what it may do, for whom, and never itself."""

    model_config = ConfigDict(frozen=True)

    name: str
    guild_id: int
    user_id: int
    scopes: frozenset[Scope]
    hashed: str
    made_at: AwareDatetime
    ends_at: AwareDatetime | None = None


PASSES: TypeAdapter[tuple[Pass, ...]] = TypeAdapter(tuple[Pass, ...])


class PassFile:
    """All tokens of an installation, in a file that is its owner's alone; read again whenever it has changed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: tuple[int, int] = (0, 0)
        self._known: tuple[Pass, ...] = ()

    def all(self) -> Sequence[Pass]:
        """Give all tokens, the oldest first; raises StoreError for a file that is damaged."""
        try:
            there = self._file.stat()
            if (there.st_mtime_ns, there.st_ino) != self._seen:
                self._known = PASSES.validate_json(self._file.read_bytes())
                self._seen = (there.st_mtime_ns, there.st_ino)
        except FileNotFoundError:
            self._known, self._seen = (), (0, 0)
        except (OSError, ValidationError) as error:
            raise StoreError(f"The tokens in {self._file} cannot be read: mend the file, or remove it.") from error
        return self._known

    def create(self, name: str, guest: Guest, scopes: frozenset[Scope], *, days: int | None) -> str:
        """Make a token and give it, which nobody can do a second time; raises BadSetting."""
        with self._changing() as known:
            return self._create(known, name, guest, scopes, days)

    def _create(
        self, known: Sequence[Pass], name: str, guest: Guest, scopes: frozenset[Scope], days: int | None
    ) -> str:
        if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise BadSetting(f"A token's name has {LONGEST_NAME} characters at most: choose another.")
        if not scopes:
            raise BadSetting("A token without a scope opens nothing: name one with --scope.")
        if any(one.name == name for one in known):
            raise BadSetting(f"There is a token called {name!r} already: choose another name, or revoke it first.")
        if len(known) >= MOST:
            raise BadSetting(f"There are {MOST} tokens already: revoke one first.")
        token, now = f"{BEGINS}{secrets.token_urlsafe(32)}", datetime.now(UTC)
        made = Pass(
            name=name,
            guild_id=guest.guild_id,
            user_id=guest.user_id,
            scopes=scopes,
            hashed=hashed(token).hex(),
            made_at=now,
            ends_at=None if days is None else now + timedelta(days=days),
        )
        self._write((*known, made))
        return token

    def revoke(self, name: str) -> None:
        """Withdraw a token; raises NotFound."""
        with self._changing() as known:
            left = tuple(one for one in known if one.name != name)
            if len(left) == len(known):
                raise NotFound(f"There is no token called {name!r}: `selfroom token list` shows those that are.")
            self._write(left)

    def holder(self, token: str, now: datetime) -> Holder | None:
        """Give for whom a token asks, and what it may do; None where it opens nothing (any more). Raises StoreError."""
        digest = hashed(token).hex()
        try:
            known = self.all()
        except StoreError as error:  # where the file lies is for whoever runs Selfroom, not for who knocks
            log.error("no token opens the console", why=error.sentence)
            raise StoreError(UNREADABLE) from error
        for one in known:
            if secrets.compare_digest(one.hashed, digest) and (one.ends_at is None or one.ends_at > now):
                return Holder(Guest(Snowflake(one.guild_id), Snowflake(one.user_id)), one.scopes)
        return None

    @contextmanager
    def _changing(self) -> Iterator[Sequence[Pass]]:
        """Give all tokens to who changes them, one at a time: else what somebody withdraws meanwhile opens again."""
        lock = self._file.with_name(f"{self._file.name}.lock")
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(
                f"The tokens in {self._file} cannot be changed: check the data folder's rights."
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._seen = (0, 0)
            yield self.all()
        finally:
            os.close(descriptor)

    def _write(self, passes: tuple[Pass, ...]) -> None:
        with whole_file(self._file, replace=True) as file:
            file.write_bytes(PASSES.dump_json(passes, indent=1))
