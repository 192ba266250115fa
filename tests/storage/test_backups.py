"""Copies of the database are kept for as long as people were told, and no longer."""

import asyncio
import os
import stat
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from bot.core.errors import BadSetting
from storage.private import keep_private, whole_file
from storage.store import SqlStore, before_migration
from tests.fakes import START
from tests.forked import forked
from tests.storage.killed import killed_amid_copy


async def test_copies_that_are_too_old_are_removed_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db") as store:
        migrated, old, new, other = (
            before_migration(store.database, "0001"),
            *(folder / name for name in ("old.db", "new.db", "notes.txt")),
        )
        await store.back_up(old)
        for path in (migrated, new, other, tmp_path / "selfroom.db-else"):
            path.write_text("a copy")
        long_ago = (START - timedelta(days=40)).timestamp()
        for path in (migrated, old, other, tmp_path / "selfroom.db-else"):
            os.utime(path, (long_ago, long_ago))
        assert await store.expire_backups(folder, START - timedelta(days=30)) == 2
    assert sorted(path.name for path in folder.iterdir()) == ["new.db", "notes.txt"]
    assert not migrated.exists()
    assert (tmp_path / "selfroom.db-else").exists()


async def test_a_link_that_leads_nowhere_is_a_copy_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies/gone.db").symlink_to(tmp_path / "nowhere.db")
    async with await SqlStore.open("sqlite:///:memory:") as store:
        assert await store.expire_backups(tmp_path / "copies", START - timedelta(days=30_000)) == 0
        assert await store.expire_backups(tmp_path / "copies", START + timedelta(days=30_000)) == 1


async def test_what_a_killed_copying_left_is_removed_too_and_a_folder_stops_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    left = [folder / ".selfroom-abcd", tmp_path / ".selfroom-efgh"]
    for unfinished in left:
        unfinished.mkdir(parents=True)
        (unfinished / "partial").write_text("a part of a copy")
        (unfinished / "partial-journal").write_text("")
    (folder / "a.db").mkdir()
    (folder / "a.db" / "mine.txt").write_text("no copy")
    (folder / "b.db").write_text("a copy")
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db") as store:
        assert await store.expire_backups(folder, START - timedelta(days=30_000)) == 0
        assert all(unfinished.exists() for unfinished in left)
        assert await store.expire_backups(folder, START + timedelta(days=30_000)) == 3
    assert [path.name for path in folder.iterdir()] == ["a.db"]
    assert (folder / "a.db" / "mine.txt").exists()
    assert not left[1].exists()


async def test_half_a_copy_of_who_was_killed_expires_like_a_whole_one(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    with forked(killed_amid_copy, tmp_path / "backups/today.db") as process:
        assert (await asyncio.to_thread(process.ends))[0] == -9
    assert [path.read_text() for path in (tmp_path / "backups").glob("*/partial")] == ["half a copy"]
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db") as store:
        assert await store.expire_backups(tmp_path / "backups", START + timedelta(days=30_000)) == 1
    assert list((tmp_path / "backups").iterdir()) == []


async def test_where_there_are_no_copies_none_are_removed(tmp_path: Path) -> None:
    async with await SqlStore.open("sqlite:///:memory:") as store:
        assert await store.expire_backups(tmp_path / "nowhere", START) == 0


def without_links(*_: object, **__: object) -> None:
    raise PermissionError("no hard links here")


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_somebody_made_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", without_links)
    target = tmp_path / "copy.db"
    with pytest.raises(BadSetting, match=r"There is a file .* already"), whole_file(target, replace=False) as partial:
        partial.write_text("ours")
        target.write_text("theirs")
    assert target.read_text() == "theirs"
    target.unlink()
    with whole_file(target, replace=False) as partial:
        partial.write_text("ours")
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("ours", 0o600)
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("replace", [True, False])
def test_a_link_in_the_way_leads_nowhere(tmp_path: Path, replace: bool) -> None:
    victim, target = tmp_path / "victim", tmp_path / "copy.db"
    target.symlink_to(victim)
    planted = tmp_path / "copy.db.partial"
    planted.symlink_to(victim)
    if replace:
        with whole_file(target, replace=True) as partial:
            partial.write_text("ours")
        assert not target.is_symlink()
    else:
        with pytest.raises(BadSetting, match="already"), whole_file(target, replace=False):
            pass
    assert not victim.exists()
    assert planted.is_symlink()


def test_what_is_being_written_lies_where_nobody_else_gets_at_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with whole_file(tmp_path / "copy.db", replace=False) as partial:
        assert partial.stat().st_mode & 0o777 == 0o600
        assert partial.parent.stat().st_mode & 0o777 == 0o700
        assert partial.parent.parent == tmp_path


def test_what_is_no_file_keeps_its_rights_and_its_place(tmp_path: Path) -> None:
    """A device would be missed by everybody on the machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o666)
    pipe.chmod(0o666)
    with suppress(OSError), os.fdopen(os.open(pipe, os.O_RDWR | os.O_NONBLOCK)):
        keep_private(pipe)
    with pytest.raises(BadSetting, match="is no file"), whole_file(pipe, replace=True):
        pytest.fail("something would be written")
    assert stat.S_IMODE(pipe.lstat().st_mode) == 0o666
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
