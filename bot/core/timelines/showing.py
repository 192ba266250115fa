"""A tree, and what its agents carry, as they are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from bot.core.records import AgentId, Json, Side
from bot.core.timelines.records import Node, NodeId, Timeline, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Where a tree is told of, and its nodes by id."""

    timeline: Timeline
    tree: Tree
    nodes: Sequence[Node]
    coin: str = "USD"
    point: str = ""  # a link to where it begins; empty where that is just a moment

    @property
    def usd(self) -> Decimal:
        """What it has cost so far."""
        return sum((one.usd for one in self.nodes), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class MindShown:
    """What an agent of a node carries on one side: what it knows, and its focus with what it is after."""

    agent_id: AgentId
    name: str
    side: Side
    knowledge: Mapping[str, Json]
    focus: Mapping[str, Json]


def same_as(nodes: Sequence[Node]) -> Mapping[NodeId, str]:
    """Tell of the nodes that came out just as an earlier one from the same parent did which that is, in words."""
    first: dict[tuple[NodeId | None, str], NodeId] = {}
    found = {}
    for one in nodes:
        if one.digest:
            earlier = first.setdefault((one.parent, one.digest), one.id)
            if earlier != one.id:
                found[one.id] = f"the same as node {earlier}"
    return found
