"""Trees of any shape hold what a full copy per node would, and are there again after anything."""

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.core.errors import NotFound, Rejected, StoreError
from bot.core.models import ModelAnswer
from bot.core.records import CommunityId, Usage
from bot.core.timelines.changes import PublicEvent
from bot.core.timelines.records import (
    ROOT,
    Answer,
    Edge,
    EventKind,
    Fault,
    Finished,
    Image,
    NodeId,
    Planned,
    Status,
    Told,
    edge_of,
)
from storage.timelines.deltas import Row, all_rows, opened
from storage.timelines.tables import BLANKED, TABLES
from storage.timelines.tree_file import tree_path
from storage.timelines.worlds import unfrozen
from tests.fakes import START
from tests.storage.timelines.orchard import MADE_BY, Operation, Orchard, growing, orchard, perform

Rows = dict[str, list[Row]]


@pytest.fixture
async def grown(tmp_path: Path) -> AsyncIterator[Orchard]:
    async with orchard(tmp_path / "timelines") as one:
        yield one


@pytest.fixture(scope="module")
def image() -> Image:
    async def made() -> Image:
        with TemporaryDirectory() as folder:
            async with orchard(Path(folder)) as one:
                return one.image

    return asyncio.run(made())


class Reference:
    """A full copy of the database for each node."""

    def __init__(self, image: Image) -> None:
        self.copies = {0: unfrozen(image.data)}

    def grow(self, parent: int, id_: int, operations: Sequence[Operation]) -> None:
        connection = opened(self.copies[parent])
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        for operation in operations:
            perform(connection, operation)
        for name, columns in BLANKED.items():
            for column, value in columns.items():
                connection.execute(f"UPDATE {name} SET {column} = ?", (value,))  # noqa: S608
        self.copies[id_] = connection.serialize()
        connection.close()

    def rows(self, id_: int) -> Rows:
        connection = opened(self.copies[id_])
        try:
            return all_rows(connection)
        finally:
            connection.close()


def done(operations: Sequence[Operation]) -> "object":
    def work(connection: sqlite3.Connection) -> None:
        for operation in operations:
            perform(connection, operation)

    return work


operations = st.lists(
    st.tuples(
        st.sampled_from(["insert", "insert", "update", "delete"]),
        st.integers(0, len(TABLES) - 1),
        st.integers(0, 50),
    ),
    max_size=25,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 8), operations), min_size=1, max_size=8), cold=st.booleans())
def test_any_tree_holds_what_a_full_copy_for_each_node_does(
    image: Image, steps: list[tuple[int, list[Operation]]], cold: bool
) -> None:
    async def compared() -> None:
        with TemporaryDirectory() as folder:
            async with growing(Path(folder), image) as one:
                reference = Reference(image)
                for parent, what in steps:
                    parent %= len(reference.copies)
                    node = await one.grow(parent, done(what))  # type: ignore[arg-type]
                    reference.grow(parent, node.id, what)
                    if cold:
                        await one.trees.close()
                for id_ in reference.copies:
                    assert await one.rows(id_, all_rows) == reference.rows(id_)

    asyncio.run(compared())
