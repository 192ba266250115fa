"""Storing a node in a process that is killed at its n-th statement, or in one of another hash seed."""

import asyncio
import itertools
import os
import signal
import sys
from pathlib import Path

from bot.core.models import ModelAnswer
from bot.core.records import CommunityId, Usage
from bot.core.timelines.records import Answer, EventKind, Finished, NodeId, Status, Told, TreeId, TreeKey
from storage.store import SqlStore
from storage.timelines.trees import SqlTrees
from tests.fakes import START
from tests.storage.timelines.orchard import TABLES, Operation, perform

KEY = TreeKey(CommunityId(1), TreeId(1))
OPERATIONS: list[Operation] = [
    (what, at, number)
    for what in ("insert", "update", "delete")
    for number in range(2)
    for at in range(0, len(TABLES), 4)
]


async def run_node(trees: SqlTrees, node_id: NodeId) -> str:
    """Run a queued node as far as it takes; gives its digest."""
    async with trees.open(KEY, node_id) as world:
        assert isinstance(world.store, SqlStore)
        for operation in OPERATIONS:
            await world.store.database.plainly(lambda connection, one=operation: perform(connection, one))  # type: ignore[misc]
        known = len(await trees.recorded(KEY, node_id))
        if known == 0:
            answer = ModelAnswer(text="hello", usage=Usage(input_tokens=3))
            await trees.record(KEY, node_id, Answer(call=1, request="ab" * 32, answer=answer))
        print("recorded", flush=True)  # noqa: T201 - what is printed is acknowledged
        await trees.tell(KEY, node_id, [Told(kind=EventKind.BEAT, data={"agent": 1})])
        node = await trees.keep(world, Finished(status=Status.DONE, at=START, turns=1))
    print("kept", flush=True)  # noqa: T201
    return node.digest


def arm(trees: SqlTrees, at: int) -> "itertools.count[int]":
    """Kill this process with SIGKILL before that statement on the tree's file; 0: count the statements only."""
    steps = itertools.count(1)

    def step(_: str) -> None:
        if next(steps) == at:
            os.kill(os.getpid(), signal.SIGKILL)

    trees._file(KEY)._connection.set_trace_callback(step)
    return steps


async def _stored(folder: Path, at: int) -> None:
    trees = SqlTrees(folder)
    steps = arm(trees, at)
    print("digest", await run_node(trees, NodeId(1)), flush=True)  # noqa: T201
    print("steps", next(steps) - 1, flush=True)  # noqa: T201
    await trees.close()


def stored(folder: Path, at: int) -> None:
    """Run node 1; it ends with its digest and the number of statements."""
    asyncio.run(_stored(folder, at))


if __name__ == "__main__":
    stored(Path(sys.argv[1]), 0)
