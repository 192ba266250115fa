"""Copies of the database are kept for as long as people were told, and no longer."""

import os
from datetime import timedelta
from pathlib import Path

from storage.backups import before_migration
from storage.store import SqlStore
from tests.fakes import START


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


async def test_where_there_are_no_copies_none_are_removed(tmp_path: Path) -> None:
    async with await SqlStore.open("sqlite:///:memory:") as store:
        assert await store.expire_backups(tmp_path / "nowhere", START) == 0
