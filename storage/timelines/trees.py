"""Trees of timelines over files: begun, read, grown node by node, and cut back."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

import structlog

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected, StoreError
from bot.core.ports.trees import World
from bot.core.sentences import Sentence
from bot.core.timelines.growth import still_going
from bot.core.timelines.records import (
    ROOT,
    Answer,
    Edge,
    Event,
    EventKind,
    Finished,
    Image,
    Node,
    NodeId,
    Planned,
    Status,
    Told,
    Tree,
    TreeKey,
)
from storage.columns import to_microseconds
from storage.migrations.path import revisions
from storage.timelines.deltas import digest_of
from storage.timelines.images import Images, WorldImage, brought_up_to_date, laid_over, unfrozen
from storage.timelines.nodes import (
    ABOVE,
    SUBTREE,
    base_in,
    begin_in,
    deltas_of,
    done_in,
    end_in,
    generation_of,
    node_in,
    put_base,
    put_deltas,
    tell_in,
)
from storage.timelines.rows import (
    NODE,
    PLANNED,
    TREE,
    answer_columns,
    answer_of,
    event_of,
    nodes_of,
    planned_columns,
    tree_columns,
    tree_of,
)
from storage.timelines.tree_file import (
    DAMAGED,
    NO_TREE,
    TreeFile,
    legible,
    make,
    remove,
    tree_path,
    unfinished,
    unkept,
)
from storage.timelines.worlds import SqlWorld

T = TypeVar("T")
log = structlog.get_logger(__name__)
OLDER = Sentence("This what-if is from before an update: it can be read and compared, but not run any more; fork anew.")
CHANGED = Sentence("What this world began with was changed meanwhile by a deletion: it runs once more.")
ROOT_STAYS = Sentence("The root stays: delete the tree.")


class SqlTrees:
    """`bot.core.ports.trees.Trees` over a folder with a file for each tree."""

    def __init__(self, folder: Path, config: CommunityConfig | None = None) -> None:
        self.folder = folder
        self._config = config or CommunityConfig()
        self._files: dict[TreeKey, TreeFile] = {}
        self._images = Images(folder.parent)
        self._begun: dict[tuple[TreeKey, NodeId], int] = {}  # of which generation the worlds are that run
        self._revision = revisions()[-1]

    async def begin(self, tree: Tree, image: Image) -> Tree:
        """Make the file of a new tree with its root, which is done; `revision` and `bytes` are filled in."""
        whole = replace(tree, revision=self._revision, at=image.at, not_unwound=image.not_unwound)

        def begun() -> Tree:
            file = tree_path(self.folder, tree.key.community_id, tree.key.id)
            self._let_go(tree.key)
            try:
                make(unfinished(file))
                _filled(unfinished(file), whole, image)
                unfinished(file).replace(file)
            except OSError as error:
                remove(file)
                raise unkept(error) from error
            except BaseException:
                remove(file)
                raise
            return replace(whole, bytes=self._file(tree.key).bytes)

        return await asyncio.to_thread(begun)

    async def find(self, key: TreeKey) -> Tree:
        """Give a tree, with how large its file is now."""
        return await asyncio.to_thread(self._tree, key)

    def _tree(self, key: TreeKey) -> Tree:
        with legible():
            file = self._file(key)
            with file.reading() as connection:
                row = connection.execute(f"SELECT {TREE} FROM tree").fetchone()  # noqa: S608
            if row is None:
                raise StoreError(DAMAGED)
            usable = file.unwritable or ("" if row["revision"] == self._revision else OLDER)
            return tree_of(tuple(row), size=file.bytes, usable=usable)

    async def remove(self, key: TreeKey) -> None:
        """Delete a tree with all that is in it; one that is gone already is no fault."""

        def removed() -> None:
            self._let_go(key)
            remove(tree_path(self.folder, key.community_id, key.id))

        await asyncio.to_thread(removed)

    async def nodes(self, key: TreeKey) -> Sequence[Node]:
        """Give all nodes, by id."""
        return await self._nodes(key, "ORDER BY id")

    async def node(self, key: TreeKey, node_id: NodeId) -> Node:
        """Give one node."""
        return await self._read(key, lambda connection: node_in(connection, node_id))

    async def subtree(self, key: TreeKey, node_id: NodeId) -> Sequence[Node]:
        """Give a node and all that came from it, parents first."""
        await self.node(key, node_id)
        return await self._nodes(key, "WHERE id IN below ORDER BY id", SUBTREE, node_id)

    async def path(self, key: TreeKey, node_id: NodeId) -> Sequence[Node]:
        """Give a node's ancestors and itself, the root first."""
        await self.node(key, node_id)
        return await self._nodes(key, "WHERE id IN (SELECT id FROM above) ORDER BY depth", ABOVE, node_id)

    async def _nodes(self, key: TreeKey, which: str, before: str = "", *values: object) -> list[Node]:
        which = which.replace("IN below", "IN (SELECT id FROM below)")
        asked = f"{before} SELECT {NODE} FROM nodes {which}"  # noqa: S608  # our own words
        return await self._read(key, lambda connection: nodes_of(connection.execute(asked, values).fetchall()))

    async def add(self, key: TreeKey, nodes: Sequence[Planned], *, at: datetime) -> Sequence[Node]:
        """Store nodes as queued, all or none, with an event `attached` for each.

        A parent below 0 stands for another of them, -1 for the first: so a chain is stored at once. Raises Rejected
        where a parent is not done.
        """

        def added(connection: sqlite3.Connection) -> list[Node]:
            (last,) = connection.execute("SELECT last_node FROM tree").fetchone()
            made: list[Node] = []
            for number, planned in enumerate(nodes):
                parent = made[-planned.parent - 1] if planned.parent < 0 else done_in(connection, planned.parent)
                id_ = last + number + 1
                row = planned_columns(planned, id_, parent.id, parent.depth + 1, at)
                marks = ", ".join("?" for _ in row)
                connection.execute(f"INSERT INTO nodes ({PLANNED}) VALUES ({marks})", row)  # noqa: S608
                made.append(node_in(connection, NodeId(id_)))
            connection.execute("UPDATE tree SET last_node = ?", (last + len(nodes),))
            for node in made:
                data = {"parent": int(node.parent or 0), "depth": node.depth, "edge": node.edge.value}
                tell_in(connection, node.id, [Told(kind=EventKind.ATTACHED, data=data)])
            return made

        return await self._write(key, added)

    @asynccontextmanager
    async def open(self, key: TreeKey, node_id: NodeId) -> AsyncIterator[World]:
        """Open a queued node's world, which is its parent's, and mark it as running; what is written there is noted.

        The node becomes queued again when the block ends and it was not kept.
        """
        await self._check_usable(key)
        node = await self._write(key, partial(begin_in, node_id=node_id))
        try:
            async with self._world(key, node, cast(NodeId, node.parent), noting=True) as world:
                self._begun[key, node_id] = _own(world).generation
                yield world
        finally:
            self._begun.pop((key, node_id), None)
            await self._put_back(key, node_id)

    async def _put_back(self, key: TreeKey, node_id: NodeId) -> None:
        """Queue a node that was not kept; a file that is gone or cannot be written is looked at when it is opened."""
        asked = "UPDATE nodes SET status = 'queued' WHERE id = ? AND status = 'running'"
        try:
            await asyncio.shield(self._write(key, lambda connection: connection.execute(asked, (node_id,)).rowcount))
        except (StoreError, NotFound) as error:
            log.warning("a node of a what-if stays as running", tree=key.id, node=node_id, why=error.sentence)

    @asynccontextmanager
    async def look(self, key: TreeKey, node_id: NodeId) -> AsyncIterator[World]:
        """Open a finished node's world to look at; what is written there is kept nowhere."""
        node = await self._read(key, lambda connection: done_in(connection, node_id))
        async with self._world(key, node, node_id, noting=False) as world:
            yield world

    @asynccontextmanager
    async def again(self, key: TreeKey, node_id: NodeId) -> AsyncIterator[World]:
        """Open the world that a finished node began with, to run it again from the record; nothing is kept."""
        await self._check_usable(key)
        node = await self._read(key, lambda connection: done_in(connection, node_id))
        if node.parent is None:
            raise Rejected(Sentence("The root was never run: choose another node."))
        async with self._world(key, node, node.parent, noting=True) as world:
            yield world

    @asynccontextmanager
    async def _world(self, key: TreeKey, node: Node, at: NodeId, *, noting: bool) -> AsyncIterator[World]:
        tree = await self.find(key)
        generation, image = await asyncio.to_thread(self._image, key, at)
        with legible():
            image = await asyncio.to_thread(brought_up_to_date, image)
            world = await SqlWorld.open(image, tree, node, self._config, generation=generation, noting=noting)
        async with world.store:
            yield world

    async def digest(self, world: World) -> str:
        """Give the digest that an opened world would have, were it kept as it is now."""
        own = _own(world)
        parent = await self.node(own.tree.key, cast(NodeId, own.node.parent))
        return digest_of(parent.digest, await own.deltas())

    async def keep(self, world: World, finished: Finished) -> Node:
        """Keep an opened world: what differs from its parent's, its digest and how it ended, in one transaction.

        Of a node that failed or was stopped nothing is kept but that.
        """
        own = _own(world)
        deltas = await own.deltas() if finished.status is Status.DONE else []

        def kept(connection: sqlite3.Connection) -> Node:
            node = node_in(connection, own.node.id)
            if node.status is not Status.RUNNING:
                raise Rejected(still_going(node))
            if generation_of(connection) != own.generation:
                raise Rejected(CHANGED)
            parent = node_in(connection, cast(NodeId, node.parent))
            digest = digest_of(parent.digest, deltas) if finished.status is Status.DONE else ""
            put_deltas(connection, node.id, deltas)
            return end_in(connection, node.id, finished, digest)

        return await self._write(own.tree.key, kept)

    async def end(self, key: TreeKey, node_id: NodeId, status: Status, why: str, *, at: datetime) -> Node:
        """End a node that never ran, or whose run broke off: failed or stopped."""

        def ended(connection: sqlite3.Connection) -> Node:
            node = node_in(connection, node_id)
            if node.status.is_over:
                raise Rejected(Sentence("Node {node_id} is over.", node_id=node_id))
            return end_in(connection, node_id, Finished(status=status, at=at, outcome=why), "")

        return await self._write(key, ended)

    async def requeue(self, key: TreeKey) -> Sequence[Node]:
        """Make queued again what was running when its process died; gives all that is queued, by id."""
        asked = "UPDATE nodes SET status = 'queued' WHERE status = 'running'"
        await self._write(key, lambda connection: connection.execute(asked).rowcount)
        return await self._nodes(key, "WHERE status = 'queued' ORDER BY id")

    async def annotate(self, key: TreeKey, node_id: NodeId, note: str) -> Node:
        """Set what people note beside a node."""

        def annotated(connection: sqlite3.Connection) -> Node:
            node_in(connection, node_id)
            connection.execute("UPDATE nodes SET note = ? WHERE id = ?", (note, node_id))
            return node_in(connection, node_id)

        return await self._write(key, annotated)

    async def prune(self, key: TreeKey, node_id: NodeId) -> Sequence[NodeId]:
        """Delete a node and all that came from it, telling `deleted` of each; raises Rejected for the root."""

        def pruned(connection: sqlite3.Connection) -> list[NodeId]:
            if node_id == ROOT:
                raise Rejected(ROOT_STAYS)
            node_in(connection, node_id)
            below = connection.execute(f"{SUBTREE} SELECT id FROM below ORDER BY id DESC", (node_id,)).fetchall()  # noqa: S608
            gone = [NodeId(row["id"]) for row in below]
            running = f"{SUBTREE} SELECT id FROM nodes WHERE status = 'running' AND id IN (SELECT id FROM below)"  # noqa: S608
            if (found := connection.execute(running, (node_id,)).fetchone()) is not None:
                raise Rejected(still_going(node_in(connection, NodeId(found["id"]))))
            for id_ in gone:
                connection.execute("DELETE FROM events WHERE node = ?", (id_,))
                connection.execute("DELETE FROM nodes WHERE id = ?", (id_,))
                tell_in(connection, id_, [Told(kind=EventKind.DELETED, data={})])
            return gone[::-1]

        return await self._write(key, pruned)

    async def record(self, key: TreeKey, node_id: NodeId, answer: Answer) -> None:
        """Record what a call came to, before it is used; it stays when the node has to run once more.

        Nothing is recorded of a world out of which something was deleted since: its node runs once more, and asks anew.
        """
        row = answer_columns(node_id, answer)
        asked = "INSERT OR REPLACE INTO answers (node, call, request, text, usage) VALUES (?, ?, ?, ?, ?)"

        def recorded(connection: sqlite3.Connection) -> None:
            if self._is_of_now(connection, key, node_id):
                connection.execute(asked, row)

        await self._write(key, recorded)

    async def recorded(self, key: TreeKey, node_id: NodeId) -> Sequence[Answer]:
        """Give what a node's calls came to, by call."""
        asked = "SELECT call, request, text, usage FROM answers WHERE node = ? ORDER BY call"
        return await self._read(key, lambda connection: [*map(answer_of, connection.execute(asked, (node_id,)))])

    async def tell(self, key: TreeKey, node_id: NodeId, events: Sequence[Told]) -> Sequence[Event]:
        """Keep what happened, and number it; a node that begins anew forgets what it told of itself before.

        Nothing is kept of a world out of which something was deleted since.
        """

        def told(connection: sqlite3.Connection) -> list[Event]:
            return tell_in(connection, node_id, events) if self._is_of_now(connection, key, node_id) else []

        return await self._write(key, told)

    def _is_of_now(self, connection: sqlite3.Connection, key: TreeKey, node_id: NodeId) -> bool:
        """Tell whether the world of a node that runs holds nothing that was deleted since it was opened."""
        now = generation_of(connection)
        return self._begun.get((key, node_id), now) == now

    async def events(
        self, key: TreeKey, *, after: int = 0, node_id: NodeId | None = None, limit: int = 1_000
    ) -> Sequence[Event]:
        """Give what happened since an event, oldest first; `node_id`: in that node alone."""
        of_node = "" if node_id is None else f"AND node = {int(node_id)}"
        asked = f"SELECT seq, node, kind, data FROM events WHERE seq > ? {of_node} ORDER BY seq LIMIT ?"  # noqa: S608
        return await self._read(key, lambda connection: [*map(event_of, connection.execute(asked, (after, limit)))])

    async def snapshot(self, key: TreeKey) -> tuple[int, Sequence[Node]]:
        """Give the number of the newest event, 0 without one, and all nodes by id, as they were at that event."""

        def shown(connection: sqlite3.Connection) -> tuple[int, Sequence[Node]]:
            (last,) = connection.execute("SELECT last_seq FROM tree").fetchone()
            return int(last), nodes_of(connection.execute(f"SELECT {NODE} FROM nodes ORDER BY id").fetchall())  # noqa: S608

        return await self._read(key, shown)

    async def close(self) -> None:
        """Close all files."""
        for key in list(self._files):
            await asyncio.to_thread(self._let_go, key)

    # what threads do

    def _file(self, key: TreeKey) -> TreeFile:
        file = self._files.get(key)
        if file is not None and file.is_gone:
            self._let_go(key)
            raise NotFound(NO_TREE)
        if file is None:
            file = self._files[key] = TreeFile(tree_path(self.folder, key.community_id, key.id))
        return file

    def _let_go(self, key: TreeKey) -> None:
        self._images.forget(key)
        if (file := self._files.pop(key, None)) is not None:
            file.close()

    async def _read(self, key: TreeKey, work: Callable[[sqlite3.Connection], T]) -> T:
        def done() -> T:
            with legible(), self._file(key).reading() as connection:
                return work(connection)

        return await asyncio.to_thread(done)

    async def _write(self, key: TreeKey, work: Callable[[sqlite3.Connection], T]) -> T:
        def done() -> T:
            with legible(), self._file(key).writing() as connection:
                return work(connection)

        return await asyncio.to_thread(done)

    async def _check_usable(self, key: TreeKey) -> None:
        if usable := (await self.find(key)).usable:
            raise StoreError(usable)

    def _image(self, key: TreeKey, node_id: NodeId) -> tuple[int, WorldImage]:
        """Put a node's world together from the nearest ancestor that is at hand; gives the generation it is of."""
        with legible(), self._file(key).reading() as connection:
            generation = generation_of(connection)
            self._images.forget(key, but=generation)  # what was deleted since stands in older ones
            missing: list[NodeId] = []
            at: NodeId | None = node_id
            image = None
            while at is not None and (image := self._images.find((key, generation, at))) is None:
                missing.append(at)
                at = node_in(connection, at).parent
            if image is None:
                image = unfrozen(base_in(connection), self._file(key).file.parent)
                missing.pop()  # the root has no deltas
                self._images.keep((key, generation, ROOT), image)
            deltas = [delta for id_ in reversed(missing) for delta in deltas_of(connection, id_)]
        if missing:
            image = laid_over(image, deltas)
            self._images.keep((key, generation, node_id), image)
        return generation, image


def _filled(file: Path, tree: Tree, image: Image) -> None:
    """Write a tree with its root into an empty file."""
    filled = TreeFile(file)
    try:
        with filled.writing() as connection:
            marks = ", ".join("?" for _ in range(len(TREE.split(","))))
            connection.execute(f"INSERT INTO tree ({TREE}) VALUES ({marks})", tree_columns(tree))  # noqa: S608
            put_base(connection, image.data)
            connection.execute(
                "INSERT INTO nodes (id, parent, depth, edge, changes, seed, status, turns_wanted, digest,"
                " from_at, until_at, made_by, made_at, ended_at)"
                " VALUES (0, NULL, 0, ?, '[]', ?, ?, 0, ?, ?, ?, ?, ?, ?)",
                (Edge.ROOT.value, tree.seed, Status.DONE.value, image.digest)
                + (to_microseconds(image.at),) * 2
                + (tree.made_by, to_microseconds(tree.made_at), to_microseconds(tree.made_at)),
            )
    finally:
        filled.close()


def _own(world: World) -> SqlWorld:
    if not isinstance(world, SqlWorld) or not world.is_noted:
        raise TypeError("only a world that was opened to be run can be kept")
    return world
