"""What is read and written of a tree's nodes within one transaction on its file."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from bot.core.errors import Rejected
from bot.core.records import Json
from bot.core.sentences import Sentence
from bot.core.timelines.growth import no_node, still_going
from bot.core.timelines.records import Event, EventKind, Finished, Node, NodeId, Status, Told
from storage.columns import to_microseconds
from storage.timelines.deltas import Delta
from storage.timelines.rows import NODE, event_columns, microseconds, node_of
from storage.timelines.tables import TABLES
from storage.timelines.tree_file import PIECE

PLACE = {table.name: number for number, table in enumerate(TABLES)}
SUBTREE = """
WITH RECURSIVE below (id) AS (
    SELECT id FROM nodes WHERE id = ? UNION SELECT nodes.id FROM nodes JOIN below ON nodes.parent = below.id
)
"""
ABOVE = """
WITH RECURSIVE above (id, parent) AS (
    SELECT id, parent FROM nodes WHERE id = ?
    UNION SELECT nodes.id, nodes.parent FROM nodes JOIN above ON nodes.id = above.parent
)
"""


def put_base(connection: sqlite3.Connection, packed: bytes | memoryview) -> None:
    """Set what a tree begins with, piece by piece."""
    connection.execute("DELETE FROM base")
    pieces = (packed[start : start + PIECE] for start in range(0, len(packed), PIECE))
    connection.executemany("INSERT INTO base (piece, packed) VALUES (?, ?)", enumerate(pieces))


def base_in(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Give the pieces of what a tree begins with, packed."""
    return (row[0] for row in connection.execute("SELECT packed FROM base ORDER BY piece"))


def node_in(connection: sqlite3.Connection, node_id: NodeId) -> Node:
    """Give a node; raises NotFound."""
    row = connection.execute(f"SELECT {NODE} FROM nodes WHERE id = ?", (node_id,)).fetchone()  # noqa: S608
    if row is None:
        raise no_node(node_id)
    return node_of(row)


def done_in(connection: sqlite3.Connection, node_id: NodeId) -> Node:
    """Give a node that is done; raises Rejected for another."""
    node = node_in(connection, node_id)
    if node.status is not Status.DONE:
        raise Rejected(_over(node) if node.status.is_over else still_going(node))
    return node


def _over(node: Node) -> Sentence:
    if node.status is Status.DONE:
        return Sentence("Node {node_id} is over.", node_id=node.id)
    if node.status is Status.FAILED:
        return Sentence("Node {node} has failed: choose another.", node=node.id)
    return Sentence("Node {node} has been stopped: choose another.", node=node.id)


def begin_in(connection: sqlite3.Connection, node_id: NodeId) -> Node:
    """Mark a queued node as running, and forget what an earlier run told."""
    node = node_in(connection, node_id)
    if node.status is not Status.QUEUED:
        raise Rejected(_over(node) if node.status.is_over else still_going(node))
    done_in(connection, cast(NodeId, node.parent))
    connection.execute("UPDATE nodes SET status = 'running' WHERE id = ?", (node_id,))
    connection.execute("DELETE FROM events WHERE node = ? AND kind != ?", (node_id, EventKind.ATTACHED.value))
    tell_in(connection, node_id, [Told(kind=EventKind.RUN_START, data={})])
    return node_in(connection, node_id)


def end_in(connection: sqlite3.Connection, node_id: NodeId, finished: Finished, digest: str) -> Node:
    """Write how a node ended, and tell it."""
    connection.execute(
        "UPDATE nodes SET status = ?, turns = ?, from_at = ?, until_at = ?, usd = ?, tokens = ?, digest = ?,"
        " outcome = ?, ended_at = ? WHERE id = ?",
        (
            finished.status.value,
            finished.turns,
            microseconds(finished.from_at),
            microseconds(finished.until_at),
            str(finished.usd),
            finished.tokens,
            digest,
            finished.outcome,
            to_microseconds(finished.at),
            node_id,
        ),
    )
    kind = EventKind.RUN_FAILED if finished.status is Status.FAILED else EventKind.RUN_FINISH
    data: dict[str, Json] = {"status": finished.status.value, "outcome": finished.outcome}
    tell_in(connection, node_id, [Told(kind=kind, data={**data, "turns": finished.turns, "usd": str(finished.usd)})])
    return node_in(connection, node_id)


def generation_of(connection: sqlite3.Connection) -> int:
    """Give how often deletions have changed what the tree holds."""
    return int(connection.execute("SELECT generation FROM tree").fetchone()[0])


def tell_in(connection: sqlite3.Connection, node_id: NodeId, events: Iterable[Told]) -> list[Event]:
    """Keep events under the next numbers."""
    (last,) = connection.execute("SELECT last_seq FROM tree").fetchone()
    told: list[Event] = []
    for one in events:
        last += 1
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", event_columns(last, node_id, one))
        told.append(Event(seq=last, node_id=node_id, kind=one.kind, data=one.data))
    connection.execute("UPDATE tree SET last_seq = ?", (last,))
    return told


def deltas_of(connection: sqlite3.Connection, node_id: NodeId) -> list[Delta]:
    """Give what differs in a node from its parent, in the order in which it was digested."""
    rows = connection.execute("SELECT name, key, packed FROM deltas WHERE node = ?", (node_id,)).fetchall()
    deltas = [Delta(row["name"], tuple(json.loads(row["key"])), row["packed"]) for row in rows]
    return sorted(deltas, key=lambda delta: (PLACE.get(delta.table, -1), delta.key_text))


def put_deltas(connection: sqlite3.Connection, node_id: NodeId, deltas: Sequence[Delta]) -> None:
    """Keep what differs in a node from its parent, in place of what was there."""
    rows = [(node_id, delta.table, delta.key_text, delta.packed) for delta in deltas]
    connection.execute("DELETE FROM deltas WHERE node = ?", (node_id,))
    connection.executemany("INSERT INTO deltas (node, name, key, packed) VALUES (?, ?, ?, ?)", rows)
