"""Which rooms are to be summed up, and summaries that are withdrawn."""

from datetime import datetime, timedelta

from bot.core.changes import AddCheckpoint, SetFocus, UpdateAgent, UpdateRoom
from bot.core.focus import compacted
from bot.core.records import PUBLIC_SIDE, AgentId, Checkpoint, CheckpointId, CommunityId, Focus, MessageId, Snowflake
from storage.store import SqlStore
from tests.fakes import START
from tests.storage.lines import said

ROOM, OTHER = AgentId(1), AgentId(2)
LONG_AGO = START - timedelta(days=365)


def summary(id: int, first: int, last: int, text: str = "so far") -> Checkpoint:
    return Checkpoint(
        id=CheckpointId(id),
        room_id=ROOM,
        first_message_id=MessageId(first),
        last_message_id=MessageId(last),
        text=text,
        created_at=START,
    )


async def found(store: SqlStore, since: datetime | None) -> list[tuple[int, bool, bool]]:
    async with store.reading() as read:
        return [(one.room_id, one.tokens > 0, one.asked) for one in await read.summaries.wanted(since)]


async def test_rooms_that_spoke_or_are_asked_for_are_found_with_what_is_not_covered(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"line {number}", number) for number in range(1, 6)])
    assert await found(store, LONG_AGO) == [(1, True, False)]
    assert await found(store, None) == []
    wish = UpdateRoom(room_id=ROOM, fields={"compact_asked_at": START})
    async with store.writing(community_id) as write:
        await write.apply(community_id, [AddCheckpoint(checkpoint=summary(1, 1, 3)), wish])
        after = await write.talk.after(community_id, ROOM, MessageId(3), limit=10)
        assert [message.id for message in after] == [4, 5]
    assert await found(store, None) == [(1, True, True)]
    async with store.writing(community_id) as write:
        await write.apply(community_id, [AddCheckpoint(checkpoint=summary(2, 4, 5))])
    assert await found(store, None) == [(1, False, True)]
    async with store.writing(community_id) as write:
        await write.apply(community_id, [UpdateAgent(agent_id=ROOM, fields={"retired_at": START})])
    assert await found(store, LONG_AGO) == []


async def test_only_summaries_that_may_hold_what_is_deleted_are_withdrawn_with_their_copies(
    store: SqlStore, community_id: CommunityId
) -> None:
    chain = [summary(number, number, number) for number in (1, 2, 3)]
    focus = Focus(compacted_context=compacted(chain[2]), current_task="tea")
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"line {number}", number) for number in range(1, 5)])
        await write.apply(community_id, [AddCheckpoint(checkpoint=one) for one in chain])
        await write.apply(community_id, [SetFocus(agent_id=ROOM, side=PUBLIC_SIDE, focus=focus)])
        await write.talk.delete(community_id, [Snowflake(1004)], START)
        assert len(await write.summaries.of_room(community_id, ROOM)) == 3
        await write.talk.delete(community_id, [Snowflake(1002)], START)
        assert [one.id for one in await write.summaries.of_room(community_id, ROOM)] == [1]
        view = await write.views.whole(community_id, agent_ids=[ROOM], minds=None)
    assert view.mind_of(ROOM).focus == Focus(current_task="tea")
    assert view.all_rooms[ROOM].compact_asked_at is not None
