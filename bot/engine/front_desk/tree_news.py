"""What people are told of trees unasked: whose went by itself, and which keep what was to leave them."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.core.changes import AddLetter
from bot.core.kinds import LetterKind
from bot.core.letters import NoticePayload
from bot.core.ports import Store
from bot.core.ports.timelines import WritableTimelines
from bot.core.records import Json, Snowflake
from bot.core.timelines.records import STUCK_TREES, UNREADABLE, Timeline

NOBODY: Final = Snowflake(0)
STUCK_TOLD: Final = f"{STUCK_TREES}, told"


async def tell_makers(store: Store, now: datetime) -> None:
    """Tell those whose tree went by itself why, once; who was forgotten is told nothing.

    That a file was damaged managers are told too.
    """
    async with store.reading() as read:
        gone = [one for one in await read.timelines.all() if one.gone and one.made_by]
    for one in gone:
        async with store.writing(one.community_id) as write:
            maker = await write.people.find(one.community_id, one.made_by)
            damaged = [NoticePayload(text=f"🌳 What-if {one.id} was deleted. {one.gone}")]
            told = damaged if one.gone == UNREADABLE else []
            if maker is not None and maker.username:
                text = f"🌳 Your what-if {one.id} was deleted. {one.gone}"
                told.append(NoticePayload(text=text, to_managers=False, person_id=one.made_by))
            await write.apply(one.community_id, [notice(one, each, now) for each in told])
            await laid_to_rest(write.timelines, one, one.gone)


async def tell_of_stuck(store: Store, now: datetime) -> None:
    """Tell managers, once of each, which trees keep what was deleted, or who was forgotten: they can delete them."""
    async with store.reading() as read:
        trees = await read.timelines.all()
    for community_id in sorted({one.community_id for one in trees}):
        async with store.reading() as read:
            stuck, told = [_noted(await read.notes.find(community_id, name)) for name in (STUCK_TREES, STUCK_TOLD)]
        if stuck == told:
            continue
        new = [one for one in trees if one.community_id == community_id and str(one.id) in stuck.keys() - told.keys()]
        async with store.writing(community_id) as write:
            await write.apply(community_id, [notice(one, _still_in(one, stuck[str(one.id)]), now) for one in new])
            await write.notes.keep(community_id, STUCK_TOLD, {**stuck} or None)


def _noted(found: Json) -> dict[str, str]:
    return {tree: str(why) for tree, why in found.items()} if isinstance(found, dict) else {}


def _still_in(one: Timeline, why: str) -> NoticePayload:
    text = (
        f"🌳 What was deleted here, or tells of who was forgotten, still stands in the file of what-if {one.id}: {why}"
    )
    mend = "" if one.gone else " `/timeline delete` takes all of it away."
    return NoticePayload(text=f"{text}{mend} If that does not help, tell whoever runs Selfroom.")


async def laid_to_rest(timelines: WritableTimelines, timeline: Timeline, why: str) -> None:
    """Forget a tree, and who made it, but for its thread: people were told that no agent hears what is said there."""
    if timeline.thread_id is None:
        await timelines.drop(timeline.community_id, timeline.id)
    else:
        await timelines.keep(replace(timeline, gone=why, title="", made_by=NOBODY))


def notice(timeline: Timeline, told: NoticePayload, now: datetime) -> AddLetter:
    """Give the letter that tells something of a tree."""
    return AddLetter(kind=LetterKind.NOTICE, room_id=timeline.room_id, not_before=now, payload=told.stored())
