"""What may be asked of the one process that writes trees."""

from collections.abc import Sequence
from typing import Protocol

from bot.core.timelines.growth import Growth
from bot.core.timelines.records import Image, Node, NodeId, Tree, TreeKey


class Telling(Protocol):
    """Who hears of it when something has changed."""

    def changed(self, key: TreeKey, node_id: NodeId, node: Node | None) -> None:
        """A node is over, or (None) it is not there any more or could not be kept."""


class Grower(Protocol):
    """Operations on trees, wherever they are carried out; each raises SelfroomError's children in plain sentences."""

    async def begin(self, tree: Tree, image: Image) -> Tree:
        """Make a tree with its root."""

    async def grow(self, key: TreeKey, growth: Growth) -> Sequence[Node]:
        """Store the nodes of an operation as queued, and begin to run them."""

    async def resume(self, key: TreeKey) -> Sequence[Node]:
        """Run what was running or waiting when the process died; gives these nodes."""

    async def rerun(self, key: TreeKey, node_id: NodeId) -> str:
        """Run a node again from its record; gives the first difference in words, empty without one."""

    async def stop(self, key: TreeKey, node_id: NodeId) -> Node:
        """End a node that is not over yet, after the present call."""

    async def delete(self, key: TreeKey, node_id: NodeId) -> Sequence[NodeId]:
        """Delete a node and all that came from it, running ones stopped first."""

    async def note(self, key: TreeKey, node_id: NodeId, text: str) -> Node:
        """Set what people note beside a node."""

    async def remove(self, key: TreeKey) -> None:
        """Delete a tree, its running nodes stopped first."""
