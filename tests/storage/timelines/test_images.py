"""Worlds lie on the disk, in files without a name: several at once take little memory, and a kill leaves nothing."""

import os
import sqlite3
import subprocess
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.timelines.records import ROOT
from storage.inline import fill
from storage.store import SqlStore
from storage.timelines.freezing import packed
from storage.timelines.tree_file import sweep
from tests.storage.timelines.orchard import a_tree, orchard

PAGE = os.sysconf("SC_PAGE_SIZE")
MUCH, ROWS = 1_000, 60_000


def resident() -> int:
    """Give how many bytes of this process are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Only Linux says how much memory is in use.")
async def test_several_worlds_of_much_text_are_open_in_little_memory(tmp_path: Path) -> None:
    async with orchard(tmp_path / "timelines") as grown:
        big = a_tree(grown.key.community_id, 2)
        await grown.trees.begin(big, replace(grown.image, data=_packed_much(tmp_path)))
        key = big.key
        async with grown.trees.look(key, ROOT):
            before = resident()
            async with AsyncExitStack() as stack:
                worlds = [await stack.enter_async_context(grown.trees.look(key, ROOT)) for _ in range(4)]
                assert len(worlds) == 4
                assert resident() - before < 64_000_000
    assert {one.name for one in (tmp_path / "timelines").rglob("*") if one.is_dir()} == {str(key.community_id)}


def _packed_much(folder: Path) -> memoryview:
    world = sqlite3.connect("")
    fill(world)
    world.execute("INSERT INTO communities (id, guild_id, name, paused) VALUES (1, 9, 'much', 0)")
    world.execute("CREATE TABLE ballast (text TEXT)")
    world.executemany("INSERT INTO ballast VALUES (?)", ((f"{number} ".ljust(MUCH, "x"),) for number in range(ROWS)))
    world.commit()
    data = packed(world, folder / "whole.db")
    world.close()
    return data


async def test_what_a_kill_left_of_worlds_and_trees_is_swept_at_the_next_start(tmp_path: Path) -> None:
    folder = tmp_path / "timelines"
    (folder / "1" / ".selfroom-abc").mkdir(parents=True)
    (folder / "1" / ".selfroom-abc" / "base.db").write_bytes(b"a secret")
    for name in ("7.making", "7.making-wal", "7.making-shm"):
        (folder / "1" / name).write_bytes(b"a secret")
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db", post="run", timelines=folder):
        assert list((folder / "1").iterdir()) == []
    sweep(tmp_path / "nowhere")


NAMELESS = """
import os, sys
from pathlib import Path
from storage.timelines.images import WorldImage
from storage.timelines.trees import SqlTrees

SqlTrees(Path(sys.argv[1]))
with WorldImage().opened() as world:
    world.execute("CREATE TABLE said (text)")
    world.executemany("INSERT INTO said VALUES (?)", [("x" * 1_000,)] * 20_000)
    there = [Path("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]
    print(*[os.readlink(one) for one in there if one.is_symlink() and "etilqs" in os.readlink(one)])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing tells which files are open")
def test_worlds_lie_in_the_data_folder_and_not_where_everybody_writes(tmp_path: Path) -> None:
    """The environment, by which SQLite was told, is read when it is imported."""
    shown = subprocess.run(
        [sys.executable, "-c", NAMELESS, str(tmp_path / "timelines")], capture_output=True, text=True
    )
    assert shown.stdout.startswith(f"{tmp_path.resolve()}/"), shown.stdout + shown.stderr
