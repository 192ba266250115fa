"""Who may run a node now: so many at once, and no community keeps all others waiting."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.core.records import CommunityId


class Slots:
    """So many slots; the last one is for a community that has none, whose nodes would wait for hours otherwise."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[CommunityId] = Counter()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def taken(self, community_id: CommunityId) -> AsyncIterator[None]:
        """Wait for a slot, first come first served among those who may have it, and hold it for the block."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._is_free(community_id))
            self._taken[community_id] += 1
        try:
            yield
        finally:
            self._taken[community_id] -= 1
            async with self._changed:
                self._changed.notify_all()

    def _is_free(self, community_id: CommunityId) -> bool:
        left = self._most - self._taken.total()
        return left > 1 or (left == 1 and not self._taken[community_id])
