"""Worlds opened: stores over copies of images, which note what is written in them."""

import sqlite3
from dataclasses import dataclass, field

from bot.core.config import CommunityConfig
from bot.core.timelines.records import Node, Tree
from storage.database import Database, database_url
from storage.store import SqlStore
from storage.timelines.deltas import Delta, capture, differences, noted
from storage.timelines.images import WorldImage, keep_small


@dataclass(eq=False)
class SqlWorld:
    """Implements `ports.trees.World`: a store in a file without a name, and whose it is."""

    store: SqlStore
    tree: Tree
    node: Node
    before: WorldImage = field(repr=False)  # the parent's, which it began with
    generation: int
    is_noted: bool = False  # what is written is noted, and may be kept

    @classmethod
    async def open(
        cls, image: WorldImage, tree: Tree, node: Node, config: CommunityConfig, *, generation: int, noting: bool
    ) -> "SqlWorld":
        """Open a world; `noting`: what is written in it is noted."""
        store = SqlStore(Database(database_url("sqlite:///:memory:"), image.copy_into), config)
        store.leave_unindexed(tree.key.community_id)
        try:
            await store.database.plainly(keep_small)
            if noting:
                await store.database.plainly(capture)
        except BaseException:
            await store.close()
            raise
        return cls(store=store, tree=tree, node=node, before=image, generation=generation, is_noted=noting)

    async def deltas(self) -> list[Delta]:
        """Give what differs from the world it began with."""
        return await self.store.database.plainly(self._differences)

    def _differences(self, after: sqlite3.Connection) -> list[Delta]:
        with self.before.opened() as before:
            return list(differences(before, after, noted(after)))
