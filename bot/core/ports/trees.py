"""Timelines: images of a community, the files of trees that grow from them, and the pipe to the models."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from bot.core.models import ModelAnswer, ModelCall
from bot.core.ports.store import Store
from bot.core.records import Beat, BeatId, CommunityId
from bot.core.timelines.growth import Growth
from bot.core.timelines.merging import Carried
from bot.core.timelines.records import (
    Answer,
    Cut,
    Event,
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
from bot.core.timelines.showing import MindShown


class Images(Protocol):
    """The live community, from which trees begin; only the house has it."""

    async def image(self, community_id: CommunityId, cut: Cut, *, now: datetime) -> Image:
        """Freeze a part of a community in one read; raises NotFound where the point is not in it."""


class World(Protocol):
    """An opened node: a community apart, which nobody else sees and which is gone when it is closed."""

    @property
    def store(self) -> Store:
        """What is in it, to be read and written as ever."""

    @property
    def tree(self) -> Tree:
        """The tree it belongs to."""

    @property
    def node(self) -> Node:
        """The node, as it was when it was opened."""


class Trees(Protocol):
    """The files of trees. One process writes them, and any may read.

    All methods raise NotFound for a tree or a node that is not there, and StoreError, in one sentence, for a file that
    is damaged, a disk that is full, or a tree that can only be read.
    """

    async def begin(self, tree: Tree, image: Image) -> Tree:
        """Make the file of a new tree with its root, which is done; `revision` and `bytes` are filled in."""

    async def find(self, key: TreeKey) -> Tree:
        """Give a tree, with how large its file is now."""

    async def remove(self, key: TreeKey) -> None:
        """Delete a tree with all that is in it; one that is gone already is no fault."""

    async def nodes(self, key: TreeKey) -> Sequence[Node]:
        """Give all nodes, by id."""

    async def node(self, key: TreeKey, node_id: NodeId) -> Node:
        """Give one node."""

    async def subtree(self, key: TreeKey, node_id: NodeId) -> Sequence[Node]:
        """Give a node and all that came from it, parents first."""

    async def path(self, key: TreeKey, node_id: NodeId) -> Sequence[Node]:
        """Give a node's ancestors and itself, the root first."""

    async def add(self, key: TreeKey, nodes: Sequence[Planned], *, at: datetime) -> Sequence[Node]:
        """Store nodes as queued, all or none, with an event `attached` for each.

        A parent below 0 stands for another of them, -1 for the first: so a chain is stored at once. Raises Rejected
        where a parent is not done.
        """

    def open(self, key: TreeKey, node_id: NodeId) -> AbstractAsyncContextManager[World]:
        """Open a queued node's world, which is its parent's, and mark it as running; what is written there is noted.

        The node becomes queued again when the block ends and it was not kept.
        """

    def look(self, key: TreeKey, node_id: NodeId) -> AbstractAsyncContextManager[World]:
        """Open a finished node's world to look at; what is written there is kept nowhere."""

    def again(self, key: TreeKey, node_id: NodeId) -> AbstractAsyncContextManager[World]:
        """Open the world that a finished node began with, to run it again from the record; nothing is kept."""

    async def digest(self, world: World) -> str:
        """Give the digest that an opened world would have, were it kept as it is now."""

    async def keep(self, world: World, finished: Finished) -> Node:
        """Keep an opened world: what differs from its parent's, its digest and how it ended, in one transaction.

        Of a node that failed or was stopped nothing is kept but that.
        """

    async def end(self, key: TreeKey, node_id: NodeId, status: Status, why: str, *, at: datetime) -> Node:
        """End a node that never ran, or whose run broke off: failed or stopped."""

    async def requeue(self, key: TreeKey) -> Sequence[Node]:
        """Make queued again what was running when its process died; gives all that is queued, by id."""

    async def annotate(self, key: TreeKey, node_id: NodeId, note: str) -> Node:
        """Set what people note beside a node."""

    async def prune(self, key: TreeKey, node_id: NodeId) -> Sequence[NodeId]:
        """Delete a node and all that came from it, telling `deleted` of each; raises Rejected for the root."""

    async def record(self, key: TreeKey, node_id: NodeId, answer: Answer) -> None:
        """Record what a call came to, before it is used; it stays when the node has to run once more."""

    async def recorded(self, key: TreeKey, node_id: NodeId) -> Sequence[Answer]:
        """Give what a node's calls came to, by call."""

    async def tell(self, key: TreeKey, node_id: NodeId, events: Sequence[Told]) -> Sequence[Event]:
        """Keep what happened, and number it; a node that begins anew forgets what it told of itself before."""

    async def events(
        self, key: TreeKey, *, after: int = 0, node_id: NodeId | None = None, limit: int = 1_000
    ) -> Sequence[Event]:
        """Give what happened since an event, oldest first; `node_id`: in that node alone."""

    async def snapshot(self, key: TreeKey) -> tuple[int, Sequence[Node]]:
        """Give the number of the newest event, 0 without one, and all nodes by id, as they were at that event."""


class Asking(Protocol):
    """The pipe to the house, which asks the models and keeps pace and budget."""

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        """Ask once; raises ModelError's children as a model does."""


class Telling(Protocol):
    """Who hears of it when something has changed."""

    def changed(self, key: TreeKey, node_id: NodeId, node: Node | None, why: str = "") -> None:
        """A node is over, or (None) it is not there any more, or could not be kept: `why`, in a sentence."""


class Grower(Protocol):
    """Operations on trees, wherever they are carried out; each raises SelfroomError's children in plain sentences."""

    async def prepare(self) -> None:
        """Begin what takes its time until operations can be carried out, and do not wait for it."""

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

    async def read(self, key: TreeKey, node_id: NodeId) -> Sequence[str]:
        """Give what was said in a node since the fork, line by line."""

    async def minds(self, key: TreeKey, node_id: NodeId) -> Sequence[MindShown]:
        """Give what the agents of a finished node carry."""

    async def seen(self, key: TreeKey, node_id: NodeId, beat_id: BeatId) -> Beat:
        """Put together again what an agent saw at a beat of a node; raises Rejected where that is not exact."""

    async def compare(self, key: TreeKey, one: NodeId, two: NodeId | None, coin: str) -> tuple[str, Sequence[str]]:
        """Compare two nodes, or all finished children of one: a header, and every difference; `coin`: what money is."""

    async def carried(self, key: TreeKey, node_id: NodeId) -> Carried:
        """Give what may be taken over from a node."""

    async def remove(self, key: TreeKey) -> None:
        """Delete a tree, its running nodes stopped first."""
