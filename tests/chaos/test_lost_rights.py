"""The database's file may not be written any more: it is said clearly, and once it may, nothing has been lost."""

import os
import shutil
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.chaos.crowd import Crowd
from tests.chaos.processes import READY, Child
from tests.chaos.test_full_disk import lived
from tests.storage.unprivileged import UNPRIVILEGED

WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
pytestmark = pytest.mark.e2e


@contextmanager
def unwritable(folder: Path, *, whole: bool) -> Iterator[None]:
    """Take the right to write from the database's files, or from their whole folder."""
    places = [*folder.glob("selfroom.db*"), *([folder] if whole else [])]
    modes = {place: place.stat().st_mode for place in places}
    for place, mode in modes.items():
        place.chmod(mode & ~WRITE)
    try:
        yield
    finally:
        for place, mode in modes.items():
            if place.exists():
                place.chmod(mode)


async def lived_without_rights(folder: Path, how: signal.Signals, *, whole: bool, words: str, ends: bool) -> None:
    """End the bot and start it while it may not write; `ends`: it says so and ends; else it waits until it may."""

    async def trouble(crowd: Crowd, child: Child) -> None:
        with unwritable(child.folder, whole=whole):
            await crowd.talk(2.0)  # who holds the file open may write on, whatever its mode says
            await child.end(how)
            await child.start()
            await child.says(words)
            if ends:
                await child.says("cannot go on")
                assert child.process is not None
                assert await child.process.wait() != 0
            else:
                await crowd.talk(0.5)
                assert not child.said("cannot go on")
        if ends:
            await child.start()
        await child.says(READY)
        await crowd.talk(1.0)

    if os.getuid() == 0 and shutil.which(UNPRIVILEGED[0]) is None:
        pytest.skip("file modes do not bind root here")
    await lived(folder, trouble, through=UNPRIVILEGED if os.getuid() == 0 else [])


async def test_a_file_that_may_not_be_written_is_waited_for_and_costs_nothing(tmp_path: Path) -> None:
    await lived_without_rights(tmp_path, signal.SIGTERM, whole=False, words="may not be written", ends=False)


async def test_a_folder_that_may_not_be_written_ends_it_clearly_and_costs_nothing(tmp_path: Path) -> None:
    await lived_without_rights(tmp_path, signal.SIGKILL, whole=True, words="cannot be written", ends=True)
