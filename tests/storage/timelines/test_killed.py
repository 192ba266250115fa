"""Killed at any statement of storing a node, a tree has it whole or not at all, and it comes out the same again."""

import asyncio
import os
import re
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from bot.core.timelines.records import NodeId, Status
from storage.timelines.tree_file import tree_path
from storage.timelines.trees import SqlTrees
from tests.forked import forked
from tests.storage.timelines.killed import KEY, run_node, stored
from tests.storage.timelines.orchard import orchard


async def planted(folder: Path) -> None:
    async with orchard(folder) as one:
        await one.plant(0)


async def ran(folder: Path, at: int) -> tuple[int, str]:
    with forked(stored, folder, at) as process:
        return await asyncio.to_thread(process.ends)


def is_whole(folder: Path) -> None:
    connection = sqlite3.connect(tree_path(folder, 1, 1))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


@pytest.mark.long
async def test_killed_at_every_statement_of_storing_a_node(tmp_path: Path) -> None:
    clean, folder = tmp_path / "clean", tmp_path / "timelines"
    await planted(clean)
    shutil.copytree(clean, folder)
    code, told = await ran(folder, 0)
    assert code == 0
    steps, digest = int(re.findall(r"steps (\d+)", told)[0]), re.findall(r"digest (\w+)", told)[0]
    assert steps > 20
    for at in range(1, steps + 1):
        shutil.rmtree(folder)
        shutil.copytree(clean, folder)
        code, told = await ran(folder, at)
        assert code == -9, told
        is_whole(folder)
        trees = SqlTrees(folder)
        waiting = await trees.requeue(KEY)
        node = await trees.node(KEY, NodeId(1))
        assert node.status is (Status.QUEUED if waiting else Status.DONE)
        assert "kept" not in told or node.status is Status.DONE
        assert "recorded" not in told or len(await trees.recorded(KEY, NodeId(1))) == 1
        if waiting:
            assert await run_node(trees, NodeId(1)) == digest
            assert len(await trees.recorded(KEY, NodeId(1))) == 1
        assert (await trees.node(KEY, NodeId(1))).digest == digest
        await trees.close()


@pytest.mark.long
async def test_equal_worlds_have_equal_digests_in_every_process(tmp_path: Path) -> None:
    digests = set()
    for seed in ("0", "1", "4711"):
        folder = tmp_path / seed
        await planted(folder)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.storage.timelines.killed", str(folder)),
            env=os.environ | {"PYTHONHASHSEED": seed},
            stdout=asyncio.subprocess.PIPE,
        )
        told, _ = await process.communicate()
        assert process.returncode == 0
        digests.add(re.findall(r"digest (\w+)", told.decode())[0])
    assert len(digests) == 1
