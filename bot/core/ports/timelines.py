"""Trees of timelines as the live community knows them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.core.records import CommunityId, Snowflake
from bot.core.timelines.records import Timeline, TreeId


class Timelines(Protocol):
    """Which trees there are, and where they are told of."""

    async def find(self, community_id: CommunityId, tree_id: TreeId) -> Timeline | None:
        """Give a tree; None for one that was deleted."""

    async def all(self, community_id: CommunityId | None = None) -> Sequence[Timeline]:
        """Give the trees of a community (None: of all of them), the oldest first."""

    async def of_thread(self, community_id: CommunityId, thread_id: Snowflake) -> Timeline | None:
        """Give the tree that is told of in a thread: what people say there is not the room's."""

    async def expired(self, now: datetime) -> Sequence[Timeline]:
        """Give the trees of all communities whose time is up."""


class WritableTimelines(Timelines, Protocol):
    """Trees, and what changes about them."""

    async def keep(self, timeline: Timeline) -> None:
        """Keep a tree as it is told of now; a new one is kept before its image is taken.

        From then on what is deleted in the community is taken out of its file, too, once there is one.
        """

    async def drop(self, community_id: CommunityId, tree_id: TreeId) -> None:
        """Know no more of a tree; its file is deleted by who asks for this."""
