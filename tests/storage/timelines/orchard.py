"""A tree that grew from a small community, and rows of any table to put into it."""

import random
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Boolean, Column, Date, Float, Integer, LargeBinary, Table

from bot.core.records import AgentId, CommunityId, Snowflake
from bot.core.timelines.records import (
    NOW,
    Cut,
    Edge,
    Finished,
    Image,
    Node,
    NodeId,
    Planned,
    Status,
    Tree,
    TreeId,
    TreeKey,
)
from storage.columns import Document, Packed, Usd, UtcTime, packed, to_microseconds
from storage.store import SqlStore
from storage.tables import METADATA
from storage.timelines.deltas import Row
from storage.timelines.images import WorldImage, unfrozen
from storage.timelines.tables import BY_NAME, key_names
from storage.timelines.trees import SqlTrees
from tests.factories import COMMUNITY_ID
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import said

MADE_BY = Snowflake(501)
GUESTS = ((2, 1), (3, 1))
Work = Callable[[sqlite3.Connection], object]


@dataclass
class Orchard:
    """Trees in a folder, and one that was just begun."""

    trees: SqlTrees
    key: TreeKey
    image: Image
    folder: Path

    async def plant(self, *parents: int, edge: Edge = Edge.ADVANCE) -> list[NodeId]:
        """Queue children of some nodes."""
        planned = [
            Planned(parent=NodeId(one), edge=edge, seed=f"s{one}", turns_wanted=1, made_by=MADE_BY) for one in parents
        ]
        return [node.id for node in await self.trees.add(self.key, planned, at=START)]

    async def grow(self, parent: int, work: Work = lambda connection: None) -> Node:
        """Run a child of a node, in which something is written."""
        (id_,) = await self.plant(parent)
        return await self.run(id_, work)

    async def run(self, id_: NodeId, work: Work = lambda connection: None) -> Node:
        """Run a queued node."""
        async with self.trees.open(self.key, id_) as world:
            assert isinstance(world.store, SqlStore)
            await world.store.database.plainly(work)
            return await self.trees.keep(world, Finished(status=Status.DONE, at=START, turns=1))

    async def rows(self, id_: int, work: Work) -> object:
        """Look at a node's world."""
        async with self.trees.look(self.key, NodeId(id_)) as world:
            assert isinstance(world.store, SqlStore)
            return await world.store.database.plainly(work)


def thawed(image: Image) -> WorldImage:
    """Give the world with which a tree begins."""
    with TemporaryDirectory() as folder:
        return unfrozen([image.data], Path(folder))


def a_tree(community_id: CommunityId, number: int = 1) -> Tree:
    return Tree(
        key=TreeKey(community_id, TreeId(number)),
        title="what if",
        rooms=(AgentId(1),),
        point=NOW,
        made_by=MADE_BY,
        made_at=START,
        at=START,
        seed="seed",
        revision="",
        program="test",
    )


async def talk(store: SqlStore, community_id: CommunityId, count: int = 5, first: int = 0) -> None:
    """Let a person say something in the first room."""
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"word{at} is said", at) for at in range(first, first + count)])


@asynccontextmanager
async def orchard(folder: Path, url: str = "sqlite://", *, messages: int = 5) -> AsyncIterator[Orchard]:
    """Begin a tree of a small community."""
    async with await SqlStore.open(url) as store:
        community_id = await founded(store, guests=GUESTS)
        await talk(store, community_id, messages)
        image = await store.image(community_id, Cut(rooms=(AgentId(1),)), now=START + timedelta(hours=1))
    async with growing(folder, image, community_id) as grown:
        yield grown


@asynccontextmanager
async def growing(folder: Path, image: Image, community_id: CommunityId = COMMUNITY_ID) -> AsyncIterator[Orchard]:
    trees = SqlTrees(folder)
    try:
        tree = await trees.begin(a_tree(community_id), image)
        yield Orchard(trees, tree.key, image, folder)
    finally:
        await trees.close()


# Rows of any table, the same for the same number


def a_value(column: Column[object], number: int) -> object:
    """Give a value that a column can hold, as it lies in SQLite."""
    drawn = random.Random(f"{column.table.name}.{column.name}.{number}")  # noqa: S311
    if column.nullable and drawn.random() < 0.2:
        return None
    match column.type:
        case UtcTime():
            return to_microseconds(START) + drawn.randrange(10**9)
        case Usd():
            return drawn.randrange(10**9)
        case Packed():
            return packed(f"packed {drawn.random()}")
        case LargeBinary():
            return drawn.randbytes(drawn.randrange(40))
        case Date():
            return f"2026-11-{drawn.randrange(10, 29)}"
        case Document():
            return drawn.choice(['{"a":1}', "[]", '"ü"', "null", '{"b":["😀",2.5]}'])
        case Float():
            return drawn.choice([0.0, 1.5, -2.25, drawn.random()])
        case Integer() | Boolean():
            return drawn.randrange(1, 4) if "id" in column.name else drawn.randrange(2)
        case _:
            return drawn.choice(["", "text", "naïve — 😀", f"{drawn.random()}", "x" * 300])


def a_row(table: Table, number: int) -> dict[str, object]:
    """Give a row of the only community."""
    row = {column.name: a_value(column, number) for column in table.columns}
    if "community_id" in row:
        row["community_id"] = 1
    if table.name == "communities":
        row |= {"id": 1, "guild_id": number + 10}
    return row


Operation = tuple[str, int, int]  # what is done, to which table, with which number
TABLES: Sequence[Table] = METADATA.sorted_tables


def perform(connection: sqlite3.Connection, operation: Operation) -> None:
    """Do one thing to one table; what its constraints refuse is not done."""
    what, at, number = operation
    table = TABLES[at % len(TABLES)]
    row = a_row(table, number)
    keys = [column.name for column in table.primary_key]
    there = f"SELECT {', '.join(keys)} FROM {table.name} ORDER BY {', '.join(keys)} LIMIT 1 OFFSET ?"  # noqa: S608
    (count,) = connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()  # noqa: S608
    chosen = connection.execute(there, (number % max(1, count),)).fetchone()
    where = " AND ".join(f"{name} = ?" for name in keys)
    try:
        match what:
            case "insert":
                names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
                connection.execute(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", list(row.values()))  # noqa: S608
            case "upsert":
                names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
                there_too = ", ".join(f'"{name}" = excluded."{name}"' for name in row)
                connection.execute(
                    f"INSERT INTO {table.name} ({names}) VALUES ({marks})"  # noqa: S608
                    f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {there_too}",
                    list(row.values()),
                )
            case "update" if chosen:
                names_ = [name for name in row if name not in ("community_id",)]
                name = names_[number % len(names_)]
                connection.execute(f'UPDATE {table.name} SET "{name}" = ? WHERE {where}', (row[name], *chosen))  # noqa: S608
            case "delete" if chosen:
                connection.execute(f"DELETE FROM {table.name} WHERE {where}", tuple(chosen))  # noqa: S608
    except sqlite3.IntegrityError:
        pass  # on both sides alike


def all_rows(connection: sqlite3.Connection) -> dict[str, list[Row]]:
    """Give every row of every table, by key, for whoever compares two worlds."""
    return {
        table.name: connection.execute(
            f'SELECT * FROM "{table.name}" ORDER BY {", ".join(key_names(table.name))}'  # noqa: S608
        ).fetchall()
        for table in BY_NAME.values()
    }
