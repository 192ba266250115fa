"""How trees of timelines end by themselves, and what is left to be told of those that did."""

from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.changes import AddLetter
from bot.core.kinds import LetterKind
from bot.core.letters import NoticePayload
from bot.core.ports.timelines import WritableTimelines
from bot.core.records import Snowflake
from bot.core.timelines.records import UNREADABLE, Timeline, TreeKey
from bot.engine.front_desk.office import Office
from bot.engine.timelines.house import Orchard

NOBODY = Snowflake(0)


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
        await self._tell_makers()
        async with self.office.store.reading() as read:
            over = await read.timelines.expired(self.office.now())
        for one in over:
            await orchard.grower.remove(one.key)
            async with self.office.store.writing(one.community_id) as write:
                await laid_to_rest(write.timelines, one, f"Tree {one.id} was deleted: nobody had touched it for long.")

    async def _tell_makers(self) -> None:
        """Tell those whose tree went by itself why, once; who was forgotten is told nothing.

        That a file was damaged managers are told too.
        """
        async with self.office.store.reading() as read:
            gone = [one for one in await read.timelines.all() if one.gone and one.made_by]
        for one in gone:
            async with self.office.store.writing(one.community_id) as write:
                maker = await write.people.find(one.community_id, one.made_by)
                damaged = [NoticePayload(text=f"🌳 What-if {one.id} was deleted. {one.gone}")]
                told = damaged if one.gone == UNREADABLE else []
                if maker is not None and maker.username:
                    text = f"🌳 Your what-if {one.id} was deleted. {one.gone}"
                    told.append(NoticePayload(text=text, to_managers=False, person_id=one.made_by))
                await write.apply(one.community_id, [notice(one, each, self.office.now()) for each in told])
                await laid_to_rest(write.timelines, one, one.gone)


def notice(timeline: Timeline, told: NoticePayload, now: datetime) -> AddLetter:
    """Give the letter that tells something of a tree in the room that it is told of in."""
    return AddLetter(kind=LetterKind.NOTICE, room_id=timeline.room_id, not_before=now, payload=told.stored())


async def laid_to_rest(timelines: WritableTimelines, timeline: Timeline, why: str) -> None:
    """Forget a tree, and who made it, but for its thread: people were told that no agent hears what is said there."""
    if timeline.thread_id is None:
        await timelines.drop(timeline.community_id, timeline.id)
    else:
        await timelines.keep(replace(timeline, gone=why, title="", made_by=NOBODY))
