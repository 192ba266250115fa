"""Chance and secrets of a world apart: both follow from the tree and the node, so that it can be run again."""

import hashlib
import hmac
import random

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
