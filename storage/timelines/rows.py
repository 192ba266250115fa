"""Trees, nodes, answers and events, as they lie in the columns of a tree's file."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from bot.core.models import ModelAnswer
from bot.core.records import AgentId, CommunityId, Snowflake, Usage
from bot.core.timelines.changes import CHANGES
from bot.core.timelines.records import (
    POINT,
    Answer,
    Edge,
    Event,
    EventKind,
    Fault,
    Node,
    NodeId,
    Planned,
    Status,
    Told,
    Tree,
    TreeId,
    TreeKey,
)
from storage.columns import from_microseconds, to_json, to_microseconds

TREE = "id, community, title, rooms, point, made_by, made_at, at, seed, revision, program, not_unwound, managers_only"
NODE = (
    "id, parent, depth, edge, changes, seed, status, turns_wanted, minutes, asked, turns, from_at, until_at, usd,"
    " tokens, digest, outcome, note, exact, made_by, made_at, ended_at"
)


def tree_columns(tree: Tree) -> tuple[object, ...]:
    """Give a tree in the order of `TREE`."""
    return (
        tree.key.id,
        tree.key.community_id,
        tree.title,
        json.dumps(list(tree.rooms)),
        POINT.dump_json(tree.point).decode(),
        tree.made_by,
        to_microseconds(tree.made_at),
        to_microseconds(tree.at),
        tree.seed,
        tree.revision,
        tree.program,
        to_json(list(tree.not_unwound)),
        int(tree.managers_only),
    )


def tree_of(row: tuple[object, ...], *, size: int, usable: str) -> Tree:
    """Give the tree of such a row."""
    id_, community, title, rooms, point, made_by, made_at, at, seed, revision, program, not_unwound, shut = row
    return Tree(
        key=TreeKey(CommunityId(_int(community)), TreeId(_int(id_))),
        title=str(title),
        rooms=tuple(AgentId(room) for room in json.loads(str(rooms))),
        point=POINT.validate_json(str(point)),
        made_by=Snowflake(_int(made_by)),
        made_at=from_microseconds(_int(made_at)),
        at=from_microseconds(_int(at)),
        seed=str(seed),
        revision=str(revision),
        program=str(program),
        bytes=size,
        not_unwound=tuple(json.loads(str(not_unwound))),
        usable=usable,
        managers_only=bool(shut),
    )


def planned_columns(planned: Planned, id_: int, parent: int, depth: int, at: datetime) -> tuple[object, ...]:
    """Give a new node in the order of `PLANNED`."""
    return (
        id_,
        parent,
        depth,
        planned.edge.value,
        CHANGES.dump_json(planned.changes).decode(),
        planned.seed,
        Status.QUEUED.value,
        planned.turns_wanted,
        planned.minutes,
        None if planned.asked is None else to_json(list(planned.asked)),
        planned.note,
        planned.made_by,
        to_microseconds(at),
    )


PLANNED = "id, parent, depth, edge, changes, seed, status, turns_wanted, minutes, asked, note, made_by, made_at"


def node_of(row: sqlite3.Row) -> Node:
    """Give the node of a row that holds `NODE`."""
    asked = None if row["asked"] is None else json.loads(row["asked"])
    if row["parent"] is not None and row["parent"] >= row["id"]:
        raise ValueError(f"node {row['id']} came before its parent")  # else a way up from it may never end
    return Node(
        id=NodeId(row["id"]),
        parent=None if row["parent"] is None else NodeId(row["parent"]),
        depth=row["depth"],
        edge=Edge(row["edge"]),
        seed=row["seed"],
        status=Status(row["status"]),
        changes=CHANGES.validate_json(row["changes"]),
        turns_wanted=row["turns_wanted"],
        minutes=row["minutes"],
        asked=None if asked is None else (AgentId(asked[0]), asked[1]),
        turns=row["turns"],
        from_at=moment(row["from_at"]),
        until_at=moment(row["until_at"]),
        usd=Decimal(row["usd"]),
        tokens=row["tokens"],
        digest=row["digest"],
        outcome=row["outcome"],
        note=row["note"],
        exact=bool(row["exact"]),
        made_by=Snowflake(row["made_by"]),
        made_at=from_microseconds(row["made_at"]),
        ended_at=moment(row["ended_at"]),
    )


def nodes_of(rows: Iterable[sqlite3.Row]) -> list[Node]:
    """Give the nodes of some rows."""
    return [node_of(row) for row in rows]


def moment(microseconds: int | None) -> datetime | None:
    """Give a time that may be missing."""
    return None if microseconds is None else from_microseconds(microseconds)


def microseconds(at: datetime | None) -> int | None:
    """Give a time that may be missing as it is stored."""
    return None if at is None else to_microseconds(at)


def answer_columns(node_id: NodeId, answer: Answer) -> tuple[object, ...]:
    """Give an answer: node, call, request, text, and what it used, or why there is none."""
    given, fault = answer.answer, answer.fault
    about: dict[str, object] = {}
    if given is not None:
        used = given.usage
        about = {
            "input": used.input_tokens,
            "cached": used.cached_tokens,
            "cache_write": used.cache_write_tokens,
            "output": used.output_tokens,
            "usd": str(used.cost_usd),
            "seconds": used.latency_seconds,
            "complete": given.complete,
            "response_id": given.response_id,
        }
    if fault is not None:
        about = {
            "fault": fault.name,
            "sentence": fault.sentence,
            "retry_after_seconds": fault.retry_after_seconds,
            "unsure": fault.unsure,
        }
    return node_id, answer.call, answer.request, None if given is None else given.text, to_json(about)


def answer_of(row: sqlite3.Row) -> Answer:
    """Give the answer of a row of `answers`."""
    about = json.loads(row["usage"])
    if "fault" in about:
        fault = Fault(
            name=about["fault"],
            sentence=about["sentence"],
            retry_after_seconds=about["retry_after_seconds"],
            unsure=about["unsure"],
        )
        return Answer(call=row["call"], request=row["request"], answer=None, fault=fault)
    usage = Usage(
        input_tokens=about["input"],
        cached_tokens=about["cached"],
        cache_write_tokens=about["cache_write"],
        output_tokens=about["output"],
        cost_usd=Decimal(about["usd"]),
        latency_seconds=about["seconds"],
    )
    given = ModelAnswer(text=row["text"], usage=usage, complete=about["complete"], response_id=about["response_id"])
    return Answer(call=row["call"], request=row["request"], answer=given)


def event_columns(seq: int, node_id: NodeId, told: Told) -> tuple[object, ...]:
    """Give an event: seq, node, kind, data, and the messages whose words are in it."""
    return seq, node_id, told.kind.value, to_json(dict(told.data)), json.dumps(list(told.message_ids))


def event_of(row: sqlite3.Row) -> Event:
    """Give the event of a row of `events`."""
    return Event(seq=row["seq"], node_id=NodeId(row["node"]), kind=EventKind(row["kind"]), data=json.loads(row["data"]))


def _int(value: object) -> int:
    return int(str(value))
