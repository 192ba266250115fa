"""Which nodes an operation makes: worked out from the nodes there are, all of them or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal, assert_never

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId, Person
from bot.core.sentences import Sentence
from bot.core.timelines.changes import MOST_CHANGES, Change
from bot.core.timelines.records import ROOT, Edge, Node, NodeId, Planned, Status, edge_of

Operation = Literal["advance", "selected", "multi", "chain", "frontier", "branch", "ask"]
MOST_AT_ONCE: Final = 4  # nodes that run, where whoever runs Selfroom does not set it
MOST_COMMUNITIES: Final = 4  # times as many at the most, with one of each community that has none
QUIET_PARENT: Final = Sentence("nobody has a reason: give an event")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of what one tree may have."""

    nodes: int = 200
    depth: int = 150
    siblings: int = 8
    turns: int = 20

    @classmethod
    def of(cls, config: CommunityConfig) -> "Limits":
        """Give a community's own."""
        return cls(
            nodes=config.timeline_nodes,
            depth=config.timeline_depth,
            siblings=config.timeline_siblings,
            turns=config.timeline_turns,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """One operation: on which nodes (of `frontier`: none), and with what."""

    what: Operation
    by: Person
    nodes: tuple[NodeId, ...] = ()
    turns: int = 1
    minutes: float | None = None
    siblings: int = 3
    only_max_depth: bool = True
    changes: tuple[Change, ...] = ()
    asked: tuple[AgentId, str] | None = None
    limits: Limits = Limits()


def leaves(nodes: Sequence[Node], *, only_max_depth: bool = True) -> list[Node]:
    """Give the finished nodes without children, by id: the deepest, or all of them."""
    parents = {one.parent for one in nodes}
    found = [one for one in nodes if one.status is Status.DONE and one.id not in parents]
    deepest = max((one.depth for one in found), default=0)
    return [one for one in found if not only_max_depth or one.depth == deepest]


def planned(growth: Growth, nodes: Sequence[Node], seed: str) -> tuple[Planned, ...]:
    """Give what is to be stored as queued; raises Rejected, or NotFound, in the words of whoever asked.

    A parent below 0 stands for another of them, as in `Trees.add`; `seed`: the tree's.
    """
    _check(growth)
    there = {one.id: one for one in nodes}
    parents = _parents(growth, nodes, there)
    made: list[Planned] = []
    for parent in parents:
        made += _from(growth, parent, len(made))
    limits = growth.limits
    if len(nodes) + len(made) > limits.nodes:
        raise Rejected(Sentence("Over the limit of {nodes} nodes: delete some first.", nodes=limits.nodes))
    deepest = max(parent.depth for parent in parents) + (growth.turns if growth.what == "chain" else 1)
    if deepest > limits.depth:
        raise Rejected(
            Sentence("Over the limit of {depth} steps from the root: begin from an earlier node.", depth=limits.depth)
        )
    first = max(there, default=ROOT) + 1
    return tuple(
        replace(one, seed=sha256(f"{seed}/{first + place}".encode()).hexdigest()[:16]) for place, one in enumerate(made)
    )


def _check(growth: Growth) -> None:
    limits = growth.limits
    if not 1 <= growth.turns <= limits.turns:
        raise Rejected(Sentence("Give 1 to {turns} turns at once.", turns=limits.turns))
    if growth.minutes is not None and not 0 < growth.minutes <= 1_440:
        raise Rejected(Sentence("Give up to 1,440 minutes at once."))
    if growth.what == "multi" and not 2 <= growth.siblings <= limits.siblings:
        raise Rejected(Sentence("Give 2 to {siblings} siblings at once.", siblings=limits.siblings))
    if growth.what == "selected" and not 1 <= len(growth.nodes) <= limits.siblings:
        raise Rejected(Sentence("Choose 1 to {siblings} nodes at once.", siblings=limits.siblings))
    if growth.what == "branch" and not 1 <= len(growth.changes) <= MOST_CHANGES:
        raise Rejected(Sentence("Give 1 to {most_changes} changes at once.", most_changes=MOST_CHANGES))
    if growth.what == "ask" and (growth.asked is None or not growth.asked[1].strip()):
        raise Rejected(Sentence("Ask something."))


def _parents(growth: Growth, nodes: Sequence[Node], there: Mapping[NodeId, Node]) -> Sequence[Node]:
    if growth.what == "frontier":
        found = leaves(nodes, only_max_depth=growth.only_max_depth)
        going = [one for one in found if not one.is_quiet]
        if not going:
            raise Rejected(
                Sentence("No leaf can go on: give one of them an event.") if found else Sentence("No leaf is done yet.")
            )
        return going
    for id_ in dict.fromkeys(growth.nodes):
        if id_ not in there:
            raise no_node(id_)
        check_parent(there[id_], goes_on=growth.what in ("advance", "selected", "multi", "chain"))
    return [there[id_] for id_ in dict.fromkeys(growth.nodes)]


def no_node(node_id: int) -> NotFound:
    """Give the error for a node that there is not."""
    return NotFound(Sentence("There is no node {id}.", id=node_id))


def still_going(node: Node) -> Sentence:
    """Give what to say of a node that is not over."""
    if node.status is Status.RUNNING:
        return Sentence("Node {node} is still running.", node=node.id)
    return Sentence("Node {node} still waits to run.", node=node.id)


def check_parent(node: Node, *, goes_on: bool) -> None:
    """Raise Rejected for a node from which nothing can begin; `goes_on`: without anything new there."""
    if not node.status.is_over:
        raise Rejected(still_going(node))
    if node.status is not Status.DONE:
        raise Rejected(
            Sentence("Node {node} failed: begin elsewhere.", node=node.id)
            if node.status is Status.FAILED
            else Sentence("Node {node} was stopped: begin elsewhere.", node=node.id)
        )
    if goes_on and node.is_quiet:
        raise Rejected(Sentence("Node {node} is quiet: {quiet_parent}.", node=node.id, quiet_parent=QUIET_PARENT))


def _from(growth: Growth, parent: Node, before: int) -> list[Planned]:
    """Give the nodes that begin from one; `before`: how many there are already. Their seeds come later."""
    base = Planned(
        parent=parent.id,
        edge=Edge.ADVANCE,
        seed="",
        turns_wanted=growth.turns if growth.minutes is None else 0,
        minutes=growth.minutes,
        made_by=growth.by.id,
    )
    match growth.what:
        case "advance" | "selected" | "frontier":
            return [base]
        case "multi":
            return [replace(base, edge=Edge.MULTI)] * growth.siblings
        case "chain":
            link = replace(base, edge=Edge.CHAIN, turns_wanted=1, minutes=None)
            return [
                replace(link, parent=parent.id if place == 0 else NodeId(-(before + place)))
                for place in range(growth.turns)
            ]
        case "branch":
            edge = edge_of(growth.changes)
            return [replace(base, edge=edge, changes=growth.changes, turns_wanted=0, minutes=None)]
        case "ask":
            return [replace(base, edge=Edge.ASK, asked=growth.asked, turns_wanted=1, minutes=None)]
        case _:
            assert_never(growth.what)
