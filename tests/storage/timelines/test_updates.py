"""What-ifs from before an update are read, and what is deleted leaves them."""

import json
import sqlite3
import zlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from bot.core.errors import StoreError
from bot.core.timelines.records import ROOT, NodeId
from storage.migrations.path import upgrade
from storage.timelines.deltas import RAW, unpacked
from storage.timelines.images import WorldImage, unfrozen
from storage.timelines.nodes import base_in, put_base
from storage.timelines.tree_file import tree_path
from tests.storage.timelines.living import SECRET, Living, deleted, living

BEFORE = "0024"


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[Living]:
    async with living(tmp_path) as one:
        yield one


def columns_then() -> Mapping[str, int]:
    """Give how many columns each table had."""
    with create_engine("sqlite://").begin() as connection:
        upgrade(connection, BEFORE)
        tables = inspect(connection)
        return {name: len(tables.get_columns(name)) for name in tables.get_table_names()}


def as_before(image: WorldImage) -> None:
    """Take from a world what updates added since."""
    then = columns_then()
    with image.opened() as connection:
        for table in [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for name in names[then.get(table, len(names)) :]:
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {name}")
        connection.execute("UPDATE alembic_version SET version_num = ?", (BEFORE,))
        connection.commit()


def packed_before(table: str, packed: bytes, then: Mapping[str, int]) -> bytes:
    row = unpacked(packed)
    most = then.get(table, 10_000)
    kept = row[:most] if isinstance(row, list) else {at: value for at, value in row.items() if int(at) < most}
    packing = zlib.compressobj(9, zlib.DEFLATED, RAW)
    return packing.compress(json.dumps(kept).encode()) + packing.flush()


async def written_before(live: Living) -> None:
    """Make the tree one that the program wrote before the update."""
    await live.trees.trees.close()
    path, then = tree_path(live.trees.folder, live.community_id, 1), columns_then()
    with sqlite3.connect(path) as connection:
        connection.row_factory = sqlite3.Row
        base = unfrozen(base_in(connection), path.parent)
        as_before(base)
        with base.opened() as world:
            put_base(connection, zlib.compress(world.serialize()))
        deltas = connection.execute("SELECT node, name, key, packed FROM deltas WHERE packed IS NOT NULL").fetchall()
        for node, table, key, packed in deltas:
            whose = (packed_before(table, packed, then), node, table, key)
            connection.execute("UPDATE deltas SET packed = ? WHERE node = ? AND name = ? AND key = ?", whose)
        connection.execute("UPDATE tree SET revision = ?", (BEFORE,))
    connection.close()


def speaking_of(name: str) -> str:
    return f"UPDATE agents SET model = '{name}', aliases = '[\"{name}\"]' WHERE id = 1"  # noqa: S608  # our own words


@pytest.mark.slow
async def test_a_tree_from_before_an_update_is_read_and_not_run(live: Living) -> None:
    one = await live.trees.grow(ROOT, lambda world: world.execute(speaking_of("first")))
    two = await live.trees.grow(one.id, lambda world: world.execute(speaking_of("second")))
    await written_before(live)
    with pytest.raises(StoreError, match="not run any more"):
        await live.trees.grow(two.id)
    asked = "SELECT model, lore FROM agents WHERE id = 1"
    for id_, name in ((one.id, "first"), (two.id, "second")):
        assert await live.trees.rows(id_, lambda world: world.execute(asked).fetchone()) == (name, None)


@pytest.mark.slow
async def test_what_is_deleted_leaves_a_tree_from_before_an_update_and_the_rest_stays(live: Living) -> None:
    one = await live.trees.grow(ROOT, lambda world: world.execute(speaking_of("first")))
    await written_before(live)
    await deleted(live)
    assert not await live.is_anywhere(SECRET)
    with pytest.raises(StoreError, match="not run any more"):  # a deletion makes it no newer
        await live.trees.grow(one.id)
    asked = "SELECT model FROM agents WHERE id = 1"
    assert await live.trees.rows(NodeId(one.id), lambda world: world.execute(asked).fetchone()) == ("first",)
