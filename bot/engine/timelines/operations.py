"""What is done to trees, by the one process that writes them: nodes are made, run, stopped and deleted."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog

from bot.core.errors import NotFound, Rejected, SelfroomError
from bot.core.ports import Clock
from bot.core.ports.trees import Telling, Trees
from bot.core.records import Beat, BeatId, CommunityId
from bot.core.sentences import Sentence
from bot.core.timelines.growth import MOST_AT_ONCE, MOST_COMMUNITIES, Growth, check_parent, planned
from bot.core.timelines.merging import Carried
from bot.core.timelines.records import ROOT, Image, Node, NodeId, Status, Tree, TreeKey
from bot.core.timelines.showing import MindShown
from bot.engine.timelines import looking
from bot.engine.timelines.runner import Runner


class Slots:
    """So many slots for whoever comes; beyond them each community that has none has one, up to a bound.

    Who waits is served by how few its community has, and then by how long that was not served: so nobody who has many
    nodes waiting goes before others again and again.
    """

    def __init__(self, most: int, everywhere: int) -> None:
        self._most = most
        self._everywhere = everywhere
        self._taken: Counter[CommunityId] = Counter()
        self._waiting: list[tuple[CommunityId, asyncio.Future[None]]] = []
        self._served: dict[CommunityId, int] = {}  # when a community was last given a slot, by count
        self._count = 0

    @asynccontextmanager
    async def taken(self, community_id: CommunityId) -> AsyncIterator[None]:
        """Wait for a slot, and hold it for the block."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((community_id, turn))
        self._hand_out()
        try:
            await turn
            yield
        finally:
            if turn.cancelled():
                self._waiting.remove((community_id, turn))
            else:
                self._taken[community_id] -= 1
            self._hand_out()

    def _hand_out(self) -> None:
        while free := [one for one in self._waiting if not one[1].done() and self._is_free(one[0])]:
            next_one = min(free, key=lambda one: (self._taken[one[0]], self._served.get(one[0], 0)))
            self._waiting.remove(next_one)
            community_id, turn = next_one
            self._taken[community_id] += 1
            self._count += 1
            self._served[community_id] = self._count
            turn.set_result(None)
        there = {community_id for community_id, _ in self._waiting} | set(+self._taken)
        self._served = {one: at for one, at in self._served.items() if one in there}

    def _is_free(self, community_id: CommunityId) -> bool:
        total = self._taken.total()
        return total < self._most or (total < self._everywhere and not self._taken[community_id])


log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class Operations:
    """The `Grower` over the files themselves."""

    trees: Trees
    runner: Runner
    clock: Clock
    telling: Telling
    worlds: int = MOST_AT_ONCE  # that run at once
    _slots: Slots = field(init=False)
    _running: dict[tuple[TreeKey, NodeId], asyncio.Task[None]] = field(default_factory=dict)
    _stopped: set[tuple[TreeKey, NodeId]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._slots = Slots(self.worlds, self.worlds * MOST_COMMUNITIES)

    async def prepare(self) -> None:
        """Do nothing: everything is at hand."""

    async def begin(self, tree: Tree, image: Image) -> Tree:
        """Make a tree with its root."""
        return await self.trees.begin(tree, image)

    async def grow(self, key: TreeKey, growth: Growth) -> Sequence[Node]:
        """Store the nodes of an operation as queued, and begin to run them."""
        tree = await self.trees.find(key)
        if tree.usable:
            raise Rejected(tree.usable)
        plans = planned(growth, await self.trees.nodes(key), tree.seed)
        if growth.changes:
            await self.runner.check(key, plans[0].parent, growth.changes, growth.by)
        nodes = await self.trees.add(key, plans, at=self.clock.now())
        self._run_all(key, nodes)
        return nodes

    async def resume(self, key: TreeKey) -> Sequence[Node]:
        """Run what was running or waiting when the process died; gives these nodes."""
        queued = [one for one in await self.trees.requeue(key) if (key, one.id) not in self._running]
        self._run_all(key, queued)
        return queued

    async def rerun(self, key: TreeKey, node_id: NodeId) -> str:
        """Run a node again from its record; gives the first difference in words, empty without one."""
        async with self._slots.taken(key.community_id):
            return await self.runner.rerun(key, node_id)

    async def stop(self, key: TreeKey, node_id: NodeId) -> Node:
        """End a node that is not over yet, after the present call."""
        node = await self.trees.node(key, node_id)
        if node.status.is_over:
            raise Rejected(Sentence("Node {node_id} is over.", node_id=node_id))
        await self._end([(key, node_id)])
        node = await self.trees.node(key, node_id)
        if not node.status.is_over:
            node = await self.trees.end(key, node_id, Status.STOPPED, "somebody stopped it", at=self.clock.now())
        return node

    async def delete(self, key: TreeKey, node_id: NodeId) -> Sequence[NodeId]:
        """Delete a node and all that came from it, running ones stopped first."""
        if node_id == ROOT:
            raise Rejected(Sentence("The root stays: delete the tree."))
        going = [(key, one.id) for one in await self.trees.subtree(key, node_id)]
        await self._end(going)
        return await self.trees.prune(key, node_id)

    async def note(self, key: TreeKey, node_id: NodeId, text: str) -> Node:
        """Set what people note beside a node."""
        return await self.trees.annotate(key, node_id, text)

    async def read(self, key: TreeKey, node_id: NodeId) -> Sequence[str]:
        """Give what was said in a node since the fork, line by line."""
        return await looking.transcript(self.trees, key, node_id)

    async def minds(self, key: TreeKey, node_id: NodeId) -> Sequence[MindShown]:
        """Give what the agents of a finished node carry."""
        return await looking.minds(self.trees, key, node_id)

    async def seen(self, key: TreeKey, node_id: NodeId, beat_id: BeatId) -> Beat:
        """Put together again what an agent saw at a beat of a node, by running the node from its record."""
        async with self._slots.taken(key.community_id):
            return await self.runner.seen(key, node_id, beat_id)

    async def compare(self, key: TreeKey, one: NodeId, two: NodeId | None, coin: str) -> tuple[str, Sequence[str]]:
        """Compare two nodes, or all finished children of one: a header, and every difference."""
        if two is not None:
            return await looking.difference(self.trees, key, one, two, coin)
        table = await looking.children_compared(self.trees, key, one, coin)
        if not table:
            raise Rejected(
                Sentence("Node {node_id} has no finished children: name another node beside it.", node_id=one)
            )
        return f"The children of node {one}:", table

    async def carried(self, key: TreeKey, node_id: NodeId) -> Carried:
        """Give what may be taken over from a node."""
        return await looking.carried(self.trees, key, node_id)

    async def remove(self, key: TreeKey) -> None:
        """Delete a tree, its running nodes stopped first."""
        await self._end([at for at in self._running if at[0] == key])
        await self.trees.remove(key)

    async def give_up(self, key: TreeKey, node_ids: Sequence[NodeId], why: str) -> None:
        """End nodes as failed that broke off with the process; those that only waited go on."""
        ran = {one.id for one in await self.trees.nodes(key) if one.status is Status.RUNNING}
        for node in await self.trees.requeue(key):
            if node.id in node_ids and node.id in ran:
                failed = await self.trees.end(key, node.id, Status.FAILED, why, at=self.clock.now())
                self.telling.changed(key, node.id, failed)

    async def close(self) -> None:
        """Let go of everything that runs: it is queued again."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def finished(self) -> None:
        """Wait until nothing runs."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    def _run_all(self, key: TreeKey, nodes: Sequence[Node]) -> None:
        for node in nodes:  # parents first: a link of a chain waits for the one before it
            task = asyncio.create_task(self._run(key, node), name=f"node {node.id}")
            self._running[key, node.id] = task
            task.add_done_callback(lambda _, at=(key, node.id): self._over(at))  # type: ignore[misc]

    def _over(self, at: tuple[TreeKey, NodeId]) -> None:
        self._running.pop(at, None)
        self._stopped.discard(at)

    async def _run(self, key: TreeKey, node: Node) -> None:
        """Run one node once its parent is done and there is room."""
        at, why = (key, node.id), ""
        try:
            if node.parent is not None and (parent := self._running.get((key, node.parent))) is not None:
                await asyncio.wait([parent])
            async with self._slots.taken(key.community_id):
                done = await self._run_now(key, node, at)
        except NotFound:  # it was deleted meanwhile
            done = None
        except SelfroomError as error:
            log.error("a node could not be kept", tree=key.id, node=node.id, why=error.sentence)
            done, why = None, error.sentence
        self.telling.changed(key, node.id, done, why)

    async def _run_now(self, key: TreeKey, node: Node, at: tuple[TreeKey, NodeId]) -> Node:
        if at in self._stopped:
            return await self.trees.end(key, node.id, Status.STOPPED, "somebody stopped it", at=self.clock.now())
        if node.parent is not None:
            try:
                check_parent(await self.trees.node(key, node.parent), goes_on=not node.changes and node.asked is None)
            except Rejected as error:
                return await self.trees.end(key, node.id, Status.STOPPED, error.sentence, at=self.clock.now())
        return await self.runner.run(key, node.id, lambda: at in self._stopped)

    async def _end(self, going: Sequence[tuple[TreeKey, NodeId]]) -> None:
        """Stop nodes, and wait until they have stopped."""
        tasks = [self._running[at] for at in going if at in self._running]
        self._stopped |= {at for at in going if at in self._running}
        if tasks:
            await asyncio.wait(tasks)
