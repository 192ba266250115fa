"""Trees of timelines that end by themselves, and the boards of those that did."""

from dataclasses import dataclass, replace

import structlog

from bot.core.errors import SelfroomError
from bot.core.timelines.records import Timeline, TreeKey
from bot.engine.front_desk.office import Office
from bot.engine.front_desk.tree_news import laid_to_rest, tell_makers, tell_of_stuck
from bot.engine.timelines.house import Orchard

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Endings:
    """The trees of all communities that are gone, or go because nobody touched them for long."""

    office: Office
    orchard: Orchard | None = None

    async def gone(self, key: TreeKey) -> Timeline | None:
        """Give a tree that is gone, as long as its board still tells of it."""
        async with self.office.store.reading() as read:
            timeline = await read.timelines.find(key.community_id, key.id)
        return timeline if timeline is not None and timeline.gone and timeline.board_post_id is not None else None

    async def cleared(self, timeline: Timeline) -> None:
        """Note that the board of a tree that is gone tells nothing of it any more."""
        async with self.office.store.writing(timeline.community_id) as write:
            known = await write.timelines.find(timeline.community_id, timeline.id)
            if known is not None:
                await write.timelines.keep(replace(known, board_post_id=None))

    async def expire(self) -> None:
        """Delete the trees that nobody touched for long; those that went with somebody leave their boards, too."""
        if self.orchard is None:
            return
        await self._expire(self.orchard)
        async with self.office.store.reading() as read:
            boards = [one.key for one in await read.timelines.all() if one.gone and one.board_post_id is not None]
        for key in boards:
            self.orchard.treasury.on_changed(key, None)

    async def _expire(self, orchard: Orchard) -> None:
        store, now = self.office.store, self.office.now()
        await tell_of_stuck(store, now)
        await tell_makers(store, now)
        async with store.reading() as read:
            over = await read.timelines.expired(now)
        for one in over:
            try:
                await orchard.grower.remove(one.key)
            except SelfroomError as error:  # the others go all the same
                log.warning("a what-if that nobody touched for long cannot be deleted", tree=one.id, why=error.sentence)
                continue
            async with store.writing(one.community_id) as write:
                await laid_to_rest(write.timelines, one, f"Tree {one.id} was deleted: nobody had touched it for long.")
