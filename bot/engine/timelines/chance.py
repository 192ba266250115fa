"""Chance and secrets of a world apart: both follow from the tree and the node, so that it can be run again."""

import asyncio
import hashlib
import hmac
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from heapq import heappop, heappush

from bot.core.records import BeatId, CommunityId
from bot.core.timelines.records import Node, Tree

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike


class NodeRandom:
    """The chance of one beat of one node; tokens too: a key of a world that is nowhere opens nothing."""

    def __init__(self, *seeds: object) -> None:
        seed = "/".join(map(str, seeds))
        self._random = random.Random(hashlib.sha256(seed.encode()).digest())  # noqa: S311 - nothing secret comes of it

    def uniform(self, low: float, high: float) -> float:
        """Give a number between the two."""
        return self._random.uniform(low, high)

    def token(self, characters: int) -> str:
        """Give letters and digits."""
        return "".join(self._random.choices(LETTERS, k=characters))


class NodeChance:
    """What a node's heartbeat asks for the chance of its beats."""

    def __init__(self, tree: Tree, node: Node) -> None:
        self._seeds = tree.seed, node.seed

    def __call__(self, community_id: CommunityId, beat_id: BeatId) -> NodeRandom:
        """Give the beat's own source of chance."""
        return NodeRandom(*self._seeds, beat_id)


class OpenCipher:
    """Keys of worlds apart lie open, for they open nothing; those of the community were left out of its image."""

    def encrypt(self, secret: str, row: str) -> bytes:
        """Give it as it is."""
        return secret.encode()

    def decrypt(self, ciphertext: bytes, row: str) -> str:
        """Give it as it was; nothing for a key of the community."""
        return ciphertext.decode()

    def is_bound(self, ciphertext: bytes) -> bool:
        """Say that there is nothing to seal anew."""
        return True

    def digest(self, secret: str) -> bytes:
        """Give by what it is found."""
        return hmac.digest(b"a world apart", secret.encode(), "sha256")

    def digests(self, secret: str) -> tuple[bytes, ...]:
        """Give the only one."""
        return (self.digest(secret),)


class VirtualClock:
    """A clock that stands still until it is advanced; sleepers wake in the order of their times."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> datetime:
        """Give the time, as it was last advanced to."""
        return self._now

    @property
    def sleeping(self) -> int:
        """How many wait for a later time."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        """Wait until it has been advanced so far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count += 1
        heappush(self._sleepers, (self._now + timedelta(seconds=seconds), self._count, future))
        await future

    @asynccontextmanager
    async def timeout(self, seconds: float) -> AsyncIterator[None]:
        """Raise TimeoutError in a block during which it is advanced further than that."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("there is no task whose time could be up")
        expired = False

        async def watch() -> None:
            nonlocal expired
            await self.sleep(seconds)
            expired = True
            task.cancel()

        watcher = asyncio.ensure_future(watch())
        try:
            yield
        except asyncio.CancelledError:
            if not expired:
                raise
            task.uncancel()
            raise TimeoutError from None
        finally:
            watcher.cancel()

    async def advance(self, seconds: float) -> None:
        """Let time pass, waking each sleeper at its own time."""
        until = self._now + timedelta(seconds=seconds)
        await settle()
        while self._sleepers and self._sleepers[0][0] <= until:
            at, _, future = heappop(self._sleepers)
            self._now = max(self._now, at)
            if not future.done():
                future.set_result(None)
            await settle()
        self._now = until
        await settle()


async def settle(rounds: int = 20) -> None:
    """Let ready tasks run."""
    for _ in range(rounds):
        await asyncio.sleep(0)
