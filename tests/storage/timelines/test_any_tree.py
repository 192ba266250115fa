"""Whatever somebody makes of a tree's file is refused in a sentence or read, and never goes on for ever."""

import asyncio
import json
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from bot.core.errors import SelfroomError, StoreError
from bot.core.records import AgentId
from bot.core.timelines.records import NodeId, TreeId, TreeKey
from storage.timelines import deltas, images
from storage.timelines.deltas import RAW
from storage.timelines.tree_file import DAMAGED, tree_path
from storage.timelines.trees import SqlTrees
from tests.factories import COMMUNITY_ID
from tests.forked import forked
from tests.storage.timelines.orchard import Orchard, orchard

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)  # an example takes long, and tells enough as it is
KEY = TreeKey(COMMUNITY_ID, TreeId(1))
TABLES = ("tree", "base", "nodes", "deltas", "answers", "events")
SECONDS = 40.0  # a machine that has much else to do reads a small tree in a part of that


def bomb(size: int, ending: bytes = b"") -> bytes:
    """Give what unfolds to a thousand times its size, as rows of worlds are packed."""
    packing = zlib.compressobj(9, zlib.DEFLATED, RAW)
    return packing.compress(b'"' + b"a" * size + b'"' + ending) + packing.flush()


@pytest.fixture(scope="module")
def grown() -> Iterator[Path]:
    """A folder with a tree of some nodes, in which something of each kind is."""

    async def made(folder: Path) -> None:
        async with orchard(folder) as one:
            for at in range(4):
                await one.grow(at // 2, lambda world: world.execute("UPDATE rooms SET topic = topic || 'x'"))

    with TemporaryDirectory() as folder:
        asyncio.run(made(Path(folder)))
        yield Path(folder)


def changed(folder: Path, statements: Sequence[tuple[str, Sequence[object]]], flips: Sequence[tuple[int, int]]) -> None:
    """Change a tree's file, as far as it lets itself be changed."""
    file = tree_path(folder, KEY.community_id, KEY.id)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement, values in statements:
            with suppress(sqlite3.Error):
                connection.execute(statement, values)
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(file.read_bytes())
    for at, value in flips:
        data[at % len(data)] = value
    file.write_bytes(data)


async def read(folder: Path) -> set[str]:
    """Read all of a tree as it is read; gives what was said where that is refused."""
    trees, told = SqlTrees(folder), set[str]()
    one = Orchard(trees, KEY, None, folder)  # type: ignore[arg-type]  # nothing is begun here
    for id_ in map(NodeId, range(6)):
        for asked in (
            trees.node(KEY, id_),
            trees.path(KEY, id_),
            trees.subtree(KEY, id_),
            trees.recorded(KEY, id_),
            one.rows(id_, lambda world: world.execute("SELECT * FROM rooms").fetchall()),
            looked(trees, id_),
        ):
            try:
                await asked
            except SelfroomError as error:
                told.add(error.sentence)
    for asked in (trees.find(KEY), trees.nodes(KEY), trees.events(KEY), trees.snapshot(KEY), trees.requeue(KEY)):
        try:
            await asked
        except SelfroomError as error:
            told.add(error.sentence)
    await trees.close()
    return told


async def looked(trees: SqlTrees, id_: NodeId) -> None:
    """Look into a node's world, as somebody reads what was said in it."""
    async with trees.look(KEY, id_) as world, world.store.reading() as reading:
        await reading.talk.history(KEY.community_id, AgentId(1), limit=10)
        await reading.views.whole(KEY.community_id)


def _read_apart(folder: Path) -> None:
    sys.stdout.write(json.dumps(sorted(asyncio.run(read(folder)))))
    sys.stdout.flush()


def told_of(grown: Path, statements: Sequence[str]) -> list[str]:
    """Change a copy of the tree, and read it in a process of its own, which may hang."""
    with TemporaryDirectory() as folder:
        there = copytree(grown, Path(folder, "trees"))
        changed(there, [(one, ()) for one in statements], [])
        with forked(_read_apart, there) as one:
            one.process.join(SECONDS)
            assert one.process.exitcode == 0, "it went on for ever" if one.process.exitcode is None else "it broke"
            return list(json.loads(one.said.read()))


EVER = "FROM (WITH RECURSIVE ever (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ever) SELECT n FROM ever)"
ENDLESS_EVENTS = "CREATE VIEW events AS SELECT n AS seq, 1 AS node, '' AS kind, '' AS data"
ENDLESS_ANSWERS = "CREATE VIEW answers AS SELECT n AS node, n AS call, 1 AS request, 1 AS text, 1 AS usage"


@pytest.mark.parametrize(
    "statements",
    [
        ["UPDATE nodes SET parent = 3 WHERE id = 1"],
        ["UPDATE nodes SET parent = id WHERE id = 1"],
        ["ALTER TABLE events RENAME TO old", f"{ENDLESS_EVENTS} {EVER}"],
        ["DROP TABLE answers", f"{ENDLESS_ANSWERS} {EVER}"],
        ["CREATE TRIGGER more AFTER UPDATE ON nodes BEGIN DELETE FROM events; END"],
        ["DROP TABLE nodes", "PRAGMA user_version = 0"],
    ],
    ids=["a circle", "its own parent", "endless events", "endless answers", "a trigger", "without a version"],
)
def test_what_would_go_on_for_ever_is_refused_in_a_sentence(grown: Path, statements: list[str]) -> None:
    assert DAMAGED in told_of(grown, statements)


def test_a_row_that_unfolds_to_very_much_is_never_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "LARGEST_ROW", 1_000)
    assert str(deltas.unpacked(bomb(900))) == "a" * 900
    for packed in (bomb(1_100), bomb(900)[:-1]):
        with pytest.raises(ValueError, match="longer than any"):
            deltas.unpacked(packed)


def test_a_base_that_unfolds_to_very_much_takes_no_more_of_the_disk_than_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "LARGEST_BASE", 3_000_000)
    packed, sizes = zlib.compress(b"a" * 50_000_000), list[int]()

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(packed), 100):
            yield packed[start : start + 100]
            sizes.extend(one.stat().st_size for one in tmp_path.rglob("base.db"))

    with pytest.raises(StoreError, match="is damaged"):
        images.unfrozen(pieces(), tmp_path)
    assert max(sizes) < 5_000_000 and not list(tmp_path.iterdir())


many = st.sampled_from([3, 900, 100_000])
VALUES = st.one_of(
    st.sampled_from([None, 0, -1, 1, 2, 5, 2**62, -(2**62), 1.5, float("inf"), "", "x", "\x00", "\ud7ff", "running"]),
    st.sampled_from(
        ["[]", "{}", "[1]", '["a"]', '{"kind": 1}', '[{"kind":"public_event"}]', "9" * 5_000, "NaN", "1e999"]
    ),
    st.builds(lambda piece, count: piece * count, st.sampled_from(["[", '{"a":', "a", "😀", "9", "a "]), many),
    st.builds(lambda count: "[" * count + "]" * count, many),
    st.binary(max_size=30),
    st.builds(bomb, st.sampled_from([10, 100_000, 40_000_000])),
    st.builds(zlib.compress, st.binary(max_size=30)),
)


@dataclass(frozen=True)
class Otherwise:
    """A column of a table is another in some rows."""

    table: str
    column: int
    value: object

    def statement(self, columns: dict[str, list[str]]) -> tuple[str, Sequence[object]]:
        """Give what changes it."""
        names = columns[self.table]
        return f"UPDATE OR IGNORE {self.table} SET {names[self.column % len(names)]} = ?", (self.value,)  # noqa: S608


BLUNT = st.sampled_from(
    [
        *(f"DROP TABLE {table}" for table in TABLES),
        *("DELETE FROM tree", "DELETE FROM base", "DELETE FROM nodes", "CREATE VIEW more AS SELECT * FROM tree"),
        *(
            "PRAGMA user_version = 0",
            "PRAGMA user_version = 2",
            "PRAGMA user_version = 9",
            "DROP INDEX nodes_of_parent",
        ),
        *(
            "UPDATE nodes SET parent = 9 - id",
            "UPDATE sqlite_master SET sql = 'CREATE TABLE nodes (id)' WHERE name = 'nodes'",
        ),
        *("UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'BLOB')", "DELETE FROM deltas WHERE rowid % 2"),
    ]
)


@pytest.mark.long
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=NO_SHRINKING)
@given(
    changes=st.lists(
        st.one_of(st.builds(Otherwise, st.sampled_from(TABLES), st.integers(0, 40), VALUES), BLUNT), max_size=3
    ),
    flips=st.one_of(st.just([]), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=6)),
)
def test_any_file_of_a_tree_is_refused_in_a_sentence_or_read(
    grown: Path, changes: list[Otherwise | str], flips: list[tuple[int, int]]
) -> None:
    with TemporaryDirectory() as folder:
        there = copytree(grown, Path(folder, "trees"))
        with closing(sqlite3.connect(tree_path(there, KEY.community_id, KEY.id))) as connection:
            columns = {table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")] for table in TABLES}
        statements = [(one, ()) if isinstance(one, str) else one.statement(columns) for one in changes]
        changed(there, statements, flips)
        told = asyncio.run(read(there))
    event("refused" if told else "read")
    assert all(said.strip() and "\n" not in said and len(said) < 400 for said in told)
