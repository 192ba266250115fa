"""What is deleted live leaves the files of trees: bases, deltas, events, and answers that may repeat it.

Each world is put together as it was, what is deleted goes there as it goes live, and what then differs from the parent
is stored anew: so nothing is left of it, and all else of a tree stays.
"""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from sqlalchemy import delete, select, tuple_, update

from bot.core.errors import NotFound, StoreError
from bot.core.name_redaction import NameRedactor
from bot.core.records import CommunityId
from bot.core.sentences import Sentence
from bot.core.timelines.records import STUCK_TREES, UNREADABLE, Node, NodeId, Status
from storage.communities import SqlNotes
from storage.database import Database, database_url
from storage.emptying import work_off
from storage.erasing import erase
from storage.faults import Troubles, apart
from storage.ids import CountedIds
from storage.inline import unhurried
from storage.private import UNFINISHED
from storage.scenes import blank_said
from storage.session import INSTALLATION, Session, owned
from storage.tables import EVENTS, KEPT, MESSAGES, TIMELINES
from storage.timelines.deltas import (
    Delta,
    Row,
    capture,
    differences,
    digest_of,
    digest_of_all,
    noted,
    unpacked,
)
from storage.timelines.freezing import packed
from storage.timelines.images import WorldImage, brought_up_to_date, keep_small, laid_over, names_of, unfrozen
from storage.timelines.live import NOTE
from storage.timelines.nodes import base_in, deltas_of, put_base, put_deltas
from storage.timelines.rows import NODE, nodes_of
from storage.timelines.tables import TABLES
from storage.timelines.tree_file import BUSY, DAMAGED, TreeFile, legible, remove, sweep, tree_path, trees_in

FORGOTTEN = "Somebody asked to be forgotten who was in it."
LOST = "The file of this what-if is not there any more: fork anew."
BEGINNING = Sentence("A what-if is being made of what was deleted: it is looked at once more in a minute.")
Keys = frozenset[tuple[str, Row]]
_VISITOR = re.compile(r'"visitor": ?("[^"]*")')  # of a change, in JSON
_ESCAPED = re.compile(r"\\(?:[nrtbf]|u[0-9a-fA-F]{4})")  # in JSON: else its letter stood before the @
log = structlog.get_logger(__name__)


async def purge_trees(database: Database, folder: Path) -> Troubles:
    """Take what was deleted out of all trees; gives what was in the way, by community.

    That is a tree that is only being made, or cannot be written. One that cannot be read goes whole.
    """
    async with database.reading() as connection:
        session = Session(connection)
        asked = select(KEPT.c.name, KEPT.c.value)
        asked = asked.where(KEPT.c.scope == INSTALLATION, KEPT.c.name.startswith(f"{NOTE}:"))
        notes = {name: value for name, value in await session.rows(asked.order_by(KEPT.c.name))}
        live = select(TIMELINES.c.community_id, TIMELINES.c.id).where(TIMELINES.c.gone == "")
        expected = {tuple(row) for row in await session.rows(live)}
    troubles: dict[int, Exception] = {}
    for community_id in sorted({int(name.split(":")[1]) for name in notes}):
        owed = {name: value for name, value in notes.items() if int(name.split(":")[1]) == community_id}
        with apart(community_id, troubles):
            await _purge_all_of(
                database, folder, community_id, owed, {one for one in expected if one[0] == community_id}
            )
    return troubles


async def _purge_all_of(
    database: Database,
    folder: Path,
    community_id: int,
    owed: Mapping[str, dict[str, object]],
    expected: set[tuple[int, int]],
) -> None:
    there = set(trees_in(folder, community_id))
    troubles: dict[int, StoreError] = {}
    for tree in sorted(there):
        try:
            await _purge(database, folder, tree, list(owed.values()))
        except StoreError as error:  # the other trees are purged all the same
            troubles[tree[1]] = error
    await _note_stuck(database, CommunityId(community_id), troubles)
    if expected - there:
        raise StoreError(BEGINNING)
    for trouble in troubles.values():
        raise trouble
    async with database.writing() as connection:
        await Session(connection).run(delete(KEPT).where(KEPT.c.scope == INSTALLATION, KEPT.c.name.in_(owed)))


async def _note_stuck(database: Database, community_id: CommunityId, troubles: Mapping[int, StoreError]) -> None:
    """Note which trees keep what was to leave them, and why, for managers to be told; one in use is tried again."""
    stuck = {str(tree): error.sentence for tree, error in troubles.items() if error.sentence != BUSY}
    async with database.reading() as connection:
        known = await SqlNotes(Session(connection)).find(community_id, STUCK_TREES) or {}
    if known != stuck:
        async with database.writing() as connection:
            await SqlNotes(Session(connection)).keep(community_id, STUCK_TREES, {**stuck} or None)


async def settle_trees(database: Database, folder: Path) -> None:
    """Bring files and rows of trees together before anybody runs: what has no row, or no file, is nobody's any more.

    So a fork that was killed leaves nothing, nor does a community that is gone, or a copy of the database put back.
    """
    there = set(await asyncio.to_thread(trees_in, folder))
    await asyncio.to_thread(sweep, folder)
    async with database.writing() as connection:
        session = Session(connection)
        known = select(TIMELINES.c.community_id, TIMELINES.c.id, TIMELINES.c.gone)
        rows = {(community_id, id_): gone for community_id, id_, gone in await session.rows(known)}
        for community_id, id_ in sorted(one for one, gone in rows.items() if not gone and one not in there):
            this = (owned(TIMELINES, community_id), TIMELINES.c.id == id_)
            await session.run(delete(TIMELINES).where(*this, TIMELINES.c.thread_id.is_(None)))
            await session.run(update(TIMELINES).where(*this).values(gone=LOST, title=""))  # no agent hears its thread
    for tree in sorted(one for one in there if rows.get(one) != ""):
        await asyncio.to_thread(remove, tree_path(folder, *tree))


async def _purge(database: Database, folder: Path, tree: tuple[int, int], owed: Sequence[dict[str, object]]) -> None:
    path = tree_path(folder, *tree)
    try:
        with legible():
            why = FORGOTTEN if await _is_to_go(path, tree[0], owed) else ""
    except NotFound:
        return
    except StoreError as error:
        if error.sentence != DAMAGED:
            raise
        log.exception("a what-if that cannot be read is deleted", community=tree[0], tree=tree[1])
        why = UNREADABLE
    if why:
        await _delete(database, path, tree, why)


async def _is_to_go(path: Path, community_id: int, owed: Sequence[dict[str, object]]) -> bool:
    """Tell whether a tree holds anything of a person who is forgotten; else take out of it what was deleted."""
    file = TreeFile(path)
    people = [one for one in owed if "person" in one]
    try:
        if await asyncio.to_thread(lambda: any(_holds_person(file, one) for one in people)):
            return True
        messages = {int(id_) for one in owed for id_ in one.get("messages", ())}  # type: ignore[attr-defined]
        said = {(int(scene), int(id_)) for one in owed for scene, id_ in one.get("said", ())}  # type: ignore[attr-defined]
        if messages or said:
            await _Purge(file, community_id, messages, said).done()
        return False
    finally:
        file.close()


async def _delete(database: Database, path: Path, tree: tuple[int, int], why: str) -> None:
    """Delete a tree, and leave in the live database why, for its maker."""
    async with database.writing() as connection:
        this = (owned(TIMELINES, tree[0]), TIMELINES.c.id == tree[1])
        await Session(connection).run(update(TIMELINES).where(*this).values(gone=why, title=""))
    await asyncio.to_thread(remove, path)


def _holds_person(file: TreeFile, one: dict[str, object]) -> bool:
    """Tell whether a tree holds anything of a person, in its base or what grew from it, or they had part in it."""
    person_id, names, others = int(str(one["person"])), *(_listed(one, name) for name in ("names", "others"))
    named = named_by(names, others)
    with file.reading() as connection:
        if any(str(person_id) in text or named(text) for text in _texts(connection)):
            return True
        base = brought_up_to_date(unfrozen(base_in(connection), file.file.parent))
    with base.opened() as world:
        return mentions(world, person_id, names, others)


def _listed(one: dict[str, object], name: str) -> list[str]:
    found = one.get(name, [])
    return [str(each) for each in found] if isinstance(found, list) else []


def named_by(names: Collection[str], others: Collection[str] = ()) -> Callable[[str], bool]:
    """Give what tells whether a text names somebody by an @username, or lets a visitor speak under it.

    A bare word may be anything: by one, whoever chose it for a name could have other people's trees deleted.
    """
    redactor = NameRedactor([name for name in names if name], words=(), others=others)
    spoken = {json.dumps(name.casefold(), ensure_ascii=False) for name in names if name}

    def named(text: str) -> bool:
        return redactor.found_in(_ESCAPED.sub(" ", text)) or any(
            one.casefold() in spoken for one in _VISITOR.findall(text)
        )

    return named


def _texts(connection: sqlite3.Connection) -> Iterator[str]:
    """Give all that a tree's file says beside its base."""
    told = "title, made_by, not_unwound FROM tree", "made_by, changes, asked, outcome, note FROM nodes"
    for columns in (*told, "key FROM deltas", "text, usage FROM answers", "data FROM events"):
        for row in connection.execute(f"SELECT {columns}"):  # our own words
            yield " ".join(str(value) for value in tuple(row) if value is not None)
    for (one,) in connection.execute("SELECT packed FROM deltas WHERE packed IS NOT NULL"):
        yield json.dumps(unpacked(one), ensure_ascii=False)


def mentions(world: sqlite3.Connection, person_id: int, names: Collection[str], others: Collection[str] = ()) -> bool:
    """Tell whether a person stands anywhere in a world, by their id or by an @username."""
    named = named_by(names, others)
    for table in TABLES:
        for column in table.columns:
            asked = f'SELECT "{column.name}" FROM "{table.name}" WHERE instr("{column.name}", ?) > 0'  # noqa: S608
            if world.execute(f"{asked} LIMIT 1", (str(person_id),)).fetchone():
                return True
            if names and any(named(str(text)) for (text,) in world.execute(asked, ("@",))):
                return True
    return False


@dataclass(eq=False)
class _Purge:
    """One tree without some messages of its base, and some texts of its scenes."""

    file: TreeFile
    community_id: int
    messages: Collection[int]
    said: Collection[tuple[int, int]]  # scene and event
    touched: dict[NodeId, Keys] = field(default_factory=dict)

    async def done(self) -> None:
        """Do it, all at once; raises StoreError while somebody reads what the file's log still holds."""
        while not await self._is_done():
            pass  # a node was kept meanwhile
        if not await asyncio.to_thread(self.file.empty_log):
            raise StoreError(BUSY)

    async def _is_done(self) -> bool:
        base, nodes, deltas = await asyncio.to_thread(self._read)
        if not await asyncio.to_thread(self._are_in, base):
            return True
        names = await asyncio.to_thread(names_of, base)  # as its deltas have them, be it from before an update
        base = await asyncio.to_thread(brought_up_to_date, base)
        root = nodes[0].id
        after, self.touched[root] = await self._without(base)
        digests = {root: await asyncio.to_thread(_digest_of_base, after)}
        before_images, after_images = {root: base}, {root: after}
        made: dict[NodeId, list[Delta]] = {}
        left = Counter(node.parent for node in nodes if node.status is Status.DONE)  # children to come
        for node in _downwards(nodes):
            if node.status is not Status.DONE or node.parent is None:
                continue
            old = await asyncio.to_thread(laid_over, before_images[node.parent], deltas[node.id], names)
            new, self.touched[node.id] = await self._without(old)
            keys = {(one.table, one.key) for one in deltas[node.id]}
            keys |= self.touched[node.id] | self.touched[node.parent]
            made[node.id] = await asyncio.to_thread(_differences, after_images[node.parent], new, keys)
            digests[node.id] = await asyncio.to_thread(digest_of, digests[node.parent], made[node.id])
            before_images[node.id], after_images[node.id] = old, new
            left[node.parent] -= 1
            for id_ in [id_ for id_ in (node.id, node.parent) if not left[id_]]:
                del before_images[id_], after_images[id_]
        written = await asyncio.to_thread(_packed, after, self.file.file.parent)
        return await asyncio.to_thread(self._is_written, nodes, written, made, digests)

    def _read(self) -> tuple[WorldImage, list[Node], dict[NodeId, list[Delta]]]:
        with self.file.reading() as connection:
            base = unfrozen(base_in(connection), self.file.file.parent)
            nodes = _nodes(connection)
            return base, nodes, {node.id: deltas_of(connection, node.id) for node in nodes}

    def _are_in(self, base: WorldImage) -> bool:
        with base.opened() as world:
            there = {row[0] for row in world.execute("SELECT id FROM messages")}
            told = {
                (row[0], row[1]) for row in world.execute("SELECT scene_id, id FROM scene_events WHERE text NOT NULL")
            }
        # in worlds the next numbers are of other messages than in life
        self.messages, self.said = there.intersection(self.messages), told.intersection(self.said)
        return bool(self.messages or self.said)

    async def _without(self, image: WorldImage) -> tuple[WorldImage, Keys]:
        """Give a world in which the messages were deleted as they are live, and the keys of what that wrote."""
        database = Database(database_url("sqlite:///:memory:"), image.copy_into)
        try:
            await database.plainly(keep_small)
            await database.plainly(capture)
            with unhurried():
                async with database.writing() as connection:
                    ids = CountedIds(self.community_id)
                    await ids.open(connection)
                    session = Session(connection, ids, {self.community_id})
                    await erase(session, self.community_id, MESSAGES.c.id.in_(self.messages))
                    this = tuple_(EVENTS.c.scene_id, EVENTS.c.id)
                    await blank_said(session, self.community_id, this.in_(self.said))
                    await ids.flush(connection)
                for trouble in (await work_off(database)).values():
                    raise trouble
                async with database.writing() as connection:
                    await Session(connection).run(delete(KEPT).where(KEPT.c.scope == INSTALLATION))
            keys = frozenset(await database.plainly(noted))
            return await database.plainly(_copied), keys
        finally:
            await database.close()

    def _is_written(
        self, nodes: Sequence[Node], base: memoryview, made: dict[NodeId, list[Delta]], digests: dict[NodeId, str]
    ) -> bool:
        """Store it, unless other nodes are done by now than those that were looked at; tells whether it is."""
        with self.file.writing() as connection:
            if _done(_nodes(connection)) != _done(nodes):
                return False
            put_base(connection, base)
            connection.execute("UPDATE tree SET generation = generation + 1")
            for node_id, deltas in made.items():
                put_deltas(connection, node_id, deltas)
            for node_id, digest in digests.items():
                connection.execute("UPDATE nodes SET digest = ? WHERE id = ?", (digest, node_id))
            connection.execute("UPDATE nodes SET exact = 0 WHERE id IN (SELECT node FROM answers)")
            connection.execute("DELETE FROM answers")
            ids = ", ".join(str(int(id_)) for id_ in sorted(self.messages))
            told = f"SELECT 1 FROM json_each(events.messages) WHERE value IN ({ids})"  # noqa: S608  # numbers of our own
            connection.execute(f"DELETE FROM events WHERE EXISTS ({told})")  # noqa: S608
        return True


def _nodes(connection: sqlite3.Connection) -> list[Node]:
    return nodes_of(connection.execute(f"SELECT {NODE} FROM nodes ORDER BY id").fetchall())  # noqa: S608


def _done(nodes: Sequence[Node]) -> dict[NodeId, str]:
    return {node.id: node.digest for node in nodes if node.status is Status.DONE}


def _copied(connection: sqlite3.Connection) -> WorldImage:
    image = WorldImage()
    with image.opened() as world:
        connection.backup(world)
    return image


def _packed(image: WorldImage, beside: Path) -> memoryview:
    """Pack an image, without what was deleted in it, into a file without a name."""
    with (
        TemporaryDirectory(dir=beside, prefix=UNFINISHED, ignore_cleanup_errors=True) as folder,
        image.opened() as world,
    ):
        return packed(world, Path(folder, "whole.db"))


def _digest_of_base(image: WorldImage) -> str:
    with image.opened() as world:
        return digest_of_all(world)


def _differences(before: WorldImage, after: WorldImage, keys: Collection[tuple[str, Row]]) -> list[Delta]:
    place = {table.name: number for number, table in enumerate(TABLES)}
    with before.opened() as one, after.opened() as other:
        in_order = sorted(keys, key=lambda key: (place[key[0]], Delta(key[0], key[1], None).key_text))
        return list(differences(one, other, in_order))


def _downwards(nodes: Sequence[Node]) -> Iterator[Node]:
    """Give nodes, each after its parent and before any that is not below it: so few worlds are needed at once."""
    below: dict[NodeId | None, list[Node]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    waiting = below.get(None, [])[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += below.get(node.id, [])[::-1]
