"""A tree as it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from bot.core.timelines.records import Node, Timeline, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Where a tree is told of, and its nodes by id."""

    timeline: Timeline
    tree: Tree
    nodes: Sequence[Node]
    coin: str = "USD"

    @property
    def usd(self) -> Decimal:
        """What it has cost so far."""
        return sum((one.usd for one in self.nodes), Decimal(0))
