"""The folder in which runs are kept: each in a folder of its own, with its tree and what it was made of."""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from bot.core.errors import BadSetting, NotFound, StoreError
from bot.core.runs.spec import RunSpec
from bot.engine.runs.playing import KEY
from storage.private import keep_private
from storage.timelines.tree_file import tree_path
from storage.timelines.trees import SqlTrees

SPEC: Final = "run.json"
LOCK: Final = "lock"
NO_RUN: Final = "There is no run {}: `selfroom runs list` shows those that are."
PLAYS: Final = "Run {} is being played: wait for its end, or end it with Ctrl-C where it runs."


class RunHome:
    """All runs of an installation, by number; a number is never given again while a later one is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def numbers(self) -> list[int]:
        """Give the runs there are, the oldest first."""
        if not self.folder.is_dir():
            return []
        return sorted(int(one.name) for one in self.folder.iterdir() if one.name.isdecimal() and (one / SPEC).is_file())

    @property
    def bytes(self) -> int:
        """How large all of them are together."""
        found = 0
        for one in (one for number in self.numbers() for one in self.of(number, begun=False).rglob("*")):
            with suppress(FileNotFoundError):  # of one that is played, or deleted, now
                found += one.stat().st_size
        return found

    def take(self, spec: RunSpec) -> int:
        """Make the folder of a new run, which is its owner's alone; gives its number. Raises BadSetting."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            there = [int(one.name) for one in self.folder.iterdir() if one.name.isdecimal()]
            number = max(there, default=0) + 1
            while not self._made(number):  # somebody else begins one at the same time
                number += 1
            file = self.of(number, begun=False) / SPEC
            keep_private(file)
            file.write_text(spec.model_dump_json(indent=1), "utf-8")
        except OSError as error:
            raise BadSetting(
                f"The run cannot be kept in {self.folder} ({error.strerror or error}): check the data folder and "
                "free some space."
            ) from error
        return number

    def _made(self, number: int) -> bool:
        try:
            (self.folder / str(number)).mkdir(mode=0o700)
        except FileExistsError:
            return False
        return True

    def of(self, number: int, *, begun: bool = True) -> Path:
        """Give the folder of a run; raises NotFound."""
        folder = self.folder / str(number)
        if begun and not (folder / SPEC).is_file():
            raise NotFound(NO_RUN.format(number))
        return folder

    def spec(self, number: int) -> RunSpec:
        """Give what a run was made of; raises NotFound, and StoreError for a file that is damaged."""
        try:
            return RunSpec.model_validate_json((self.of(number) / SPEC).read_bytes())
        except (ValidationError, OSError) as error:
            raise StoreError(
                f"What run {number} was made of cannot be read: delete it, or put its file {SPEC} back."
            ) from error

    @asynccontextmanager
    async def opened(self, number: int) -> AsyncIterator[tuple[RunSpec, SqlTrees]]:
        """Open a run's tree."""
        spec = self.spec(number)
        trees = SqlTrees(self.of(number), spec.config)
        try:
            yield spec, trees
        finally:
            await trees.close()

    @contextmanager
    def held(self, number: int) -> Iterator[None]:
        """Be the only one that plays a run, copies or deletes it; raises BadSetting where somebody does."""
        lock = self.of(number) / LOCK
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise BadSetting(PLAYS.format(number)) from error
        try:
            yield
        finally:
            os.close(descriptor)

    def copy(self, number: int) -> int:
        """Copy a run with all its worlds; gives the copy's number."""
        with self.held(number):
            made = self.take(self.spec(number))
            source, target = (tree_path(self.of(one), KEY.community_id, KEY.id) for one in (number, made))
            try:
                target.parent.mkdir(mode=0o700, exist_ok=True)
                keep_private(target)
                with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
                    old.backup(new)
            except (OSError, sqlite3.Error) as error:
                shutil.rmtree(self.of(made), ignore_errors=True)
                raise StoreError(f"Run {number} cannot be copied ({error}): free some space.") from error
        return made

    def delete(self, number: int) -> None:
        """Delete a run with all its worlds."""
        with self.held(number):
            try:
                shutil.rmtree(self.of(number))
            except OSError as error:
                raise StoreError(
                    f"Run {number} cannot be deleted ({error.strerror or error}): check the data folder's rights."
                ) from error
