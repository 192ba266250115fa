"""Letters wait in order per room and lane, and bring messages into view when they are sent."""

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import text

from bot.core.changes import AddLetter, Say
from bot.core.kinds import LetterKind, LetterState
from bot.core.records import AgentId, CommunityId, Letter, LetterId, MessageId, Snowflake
from storage import letters
from storage.parts import SqlWriting
from storage.store import SqlStore
from tests.factories import by_agent
from tests.fakes import START
from tests.founding import founded

ROOM, OTHER = AgentId(1), AgentId(2)
LATER = START + timedelta(minutes=1)


def say(write: SqlWriting, content: str, room_id: AgentId = ROOM, not_before: datetime = START) -> Say:
    return Say(
        message_id=MessageId(write.ids.take("message")),
        room_id=room_id,
        sender=by_agent(room_id),
        content=content,
        sent_at=START,
        not_before=not_before,
    )


def topic(room_id: AgentId, not_before: datetime = START) -> AddLetter:
    return AddLetter(kind=LetterKind.TOPIC, room_id=room_id, payload={"topic": "boats"}, not_before=not_before)


async def heads(store: SqlStore, now: datetime = LATER) -> list[tuple[int, str]]:
    async with store.reading() as read:
        return [(letter.room_id, letter.kind.value) for letter in await read.letters.due(now, limit=10)]


async def move(store: SqlStore, community_id: CommunityId, id: int, state: LetterState, *parts: int) -> None:
    async with store.writing(community_id) as write:
        posted = [Snowflake(part) for part in parts]
        await write.letters.move(community_id, LetterId(id), state, posted_as=posted, at=LATER)


async def test_each_room_and_lane_gives_its_first_letter_when_its_time_has_come(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        first = say(write, "first", not_before=START + timedelta(seconds=9))
        await write.apply(community_id, [first, say(write, "second"), say(write, "there", OTHER), topic(ROOM)])
    assert sorted(await heads(store, START)) == [(1, "topic"), (2, "post")]
    assert sorted(await heads(store)) == [(1, "post"), (1, "topic"), (2, "post")]
    async with store.reading() as read:
        assert await read.letters.next_due_at() == START


async def test_what_lies_beside_a_post_is_read_only_for_the_one_that_is_carried(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        said = replace(say(write, "see the file"), files=(("long.txt", "x" * 200_000),))
        await write.apply(community_id, [said, topic(OTHER)])
    async with store.reading() as read:
        (post,) = [one for one in await read.letters.due(LATER, limit=10) if one.kind is LetterKind.POST]
        assert post.payload == {}
        assert "x" * 200_000 in str((await read.letters.whole(post)).payload)
        (other,) = [one for one in await read.letters.due(LATER, limit=10) if one.kind is LetterKind.TOPIC]
        assert other.payload == {"topic": "boats"}


async def test_communities_take_turns_however_many_letters_one_has(store: SqlStore, community_id: CommunityId) -> None:
    other = await founded(store, guild_id=10)
    async with store.writing(community_id) as write:
        await write.apply(community_id, [topic(AgentId(id)) for id in (1, 2, 3)])
    async with store.writing(other) as write:
        await write.apply(other, [topic(AgentId(id), START + timedelta(seconds=id)) for id in (1, 2)])
    async with store.reading() as read:
        found = [(one.community_id, one.room_id) for one in await read.letters.due(LATER, limit=3)]
    assert found == [(community_id, 1), (other, 1), (community_id, 2)]


async def test_of_one_community_the_first_letters_are_given_be_they_due_or_not(
    store: SqlStore, community_id: CommunityId
) -> None:
    other = await founded(store, guild_id=10)
    async with store.writing(community_id) as write:
        late = say(write, "first", not_before=START + timedelta(days=9))
        await write.apply(community_id, [late, say(write, "second"), topic(ROOM), topic(OTHER)])
    async with store.writing(other) as write:
        await write.apply(other, [topic(AgentId(id)) for id in (1, 2)])
    async with store.reading() as read:
        found = [(one.room_id, one.kind.value) for one in await read.letters.first_of(community_id)]
    assert found == [(1, "post"), (1, "topic"), (2, "topic")]


async def test_a_letter_that_is_held_lets_the_others_pass(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [say(write, "first"), say(write, "second")])
    await move(store, community_id, 1, LetterState.HELD)
    async with store.reading() as read:
        (next_letter,) = await read.letters.due(LATER, limit=5)
        (held,) = await read.letters.held(community_id)
    assert (next_letter.message_id, held.message_id) == (2, 1)


async def test_a_message_is_seen_once_it_is_posted_in_the_place_where_it_was_posted(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [say(write, "a long one")])
    async with store.reading() as read:
        view = await read.views.whole(community_id, room_ids=[ROOM])
        assert view.rooms[ROOM].messages == ()
        assert [letter.message_id for letter in view.unposted[ROOM]] == [1]
        assert await read.talk.search(community_id, "long", room_ids=[ROOM]) == []
        assert (await read.talk.by_id(community_id, [MessageId(1)]))[MessageId(1)].content == "a long one"
    await move(store, community_id, 1, LetterState.SENDING, 52)
    await move(store, community_id, 1, LetterState.SENT, 51, 53)
    await move(store, community_id, 1, LetterState.SENT)
    async with store.reading() as read:
        view = await read.views.whole(community_id, room_ids=[ROOM])
        (message,) = view.rooms[ROOM].messages
        assert (message.discord_id, message.sent_at) == (51, LATER)
        assert view.rooms[ROOM].older == 0
        assert view.rooms[ROOM].room.agent_run == 1
        assert view.unposted == {}
        assert await read.talk.find(community_id, Snowflake(53)) == message
        assert await read.letters.last_posted(community_id, ROOM) == 53
        assert [one.content for one, _ in await read.talk.search(community_id, "long", room_ids=[ROOM])] == [
            "a long one"
        ]


async def test_a_letter_whose_fate_is_unknown_stays_the_first(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [say(write, "first"), say(write, "second")])
    async with store.writing(community_id) as write:
        look_at = START + timedelta(seconds=5)
        await write.letters.move(
            community_id, LetterId(1), LetterState.SENDING, attempts=1, not_before=look_at, posted_as=[]
        )
    async with store.reading() as read:
        unsure = await read.letters.unconfirmed(community_id, ROOM)
        assert await read.letters.due(START, limit=5) == []
        assert await read.letters.due(look_at, limit=5) == [unsure]
        assert await read.letters.next_due_at() == look_at
    assert isinstance(unsure, Letter)
    assert (unsure.message_id, unsure.attempts) == (1, 1)


async def test_words_of_system_that_need_no_letter_are_seen_at_once(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        told = Say(
            message_id=MessageId(write.ids.take("message")),
            room_id=ROOM,
            sender=by_agent(2),
            content="joined",
            sent_at=START,
            post=False,
        )
        await write.apply(community_id, [told])
        view = await write.views.whole(community_id, room_ids=[ROOM])
    assert [message.content for message in view.rooms[ROOM].messages] == ["joined"]
    assert view.rooms[ROOM].room.last_message_at == START


async def test_a_post_that_was_deleted_before_we_knew_of_it_is_not_shown(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [say(write, "gone")])
        await write.talk.delete(community_id, [Snowflake(51)], START)
    await move(store, community_id, 1, LetterState.SENT, 51)
    async with store.reading() as read:
        assert await read.talk.history(community_id, ROOM) == []
        assert await read.talk.search(community_id, "gone", room_ids=[ROOM]) == []


async def test_sqlite_finds_what_waits_without_reading_what_was_sent(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.database.reading() as connection:
        if not store.database.is_sqlite:
            return
        statement = letters.heads().compile(connection.sync_engine, compile_kwargs={"literal_binds": True})
        plan = (await connection.execute(text(f"EXPLAIN QUERY PLAN {statement}"))).all()
    looks = [row.detail for row in plan if "letters" in row.detail or "waiting" in row.detail]
    assert any("ix_letters_open" in look for look in looks)
    assert all("ix_letters_open" in look or "USING PRIMARY KEY (community_id=? AND id=?)" in look for look in looks)


async def test_a_message_tells_its_letter_and_a_community_what_waits_there(
    store: SqlStore, community_id: CommunityId
) -> None:
    other = await founded(store, guild_id=77)
    async with store.writing(community_id) as write:
        first, second = say(write, "first"), say(write, "second")
        await write.apply(community_id, [first, second, topic(ROOM)])
    async with store.writing(other) as write:
        await write.apply(other, [topic(ROOM)])
    await move(store, community_id, 1, LetterState.SENT, 900)
    async with store.reading() as read:
        found = await read.letters.carrying(community_id, [first.message_id, second.message_id, MessageId(99)])
        here, there = await read.letters.queues(community_id), await read.letters.queues(other)
        everywhere = await read.letters.queues()
    assert {id_: letter.state for id_, letter in found.items()} == {
        first.message_id: LetterState.SENT,
        second.message_id: LetterState.WAITING,
    }
    assert sorted((one.kind.value, one.letters) for one in here) == [("post", 1), ("topic", 1)]
    assert [(one.kind.value, one.letters) for one in there] == [("topic", 1)]
    assert sorted((one.kind.value, one.letters) for one in everywhere) == [("post", 1), ("topic", 2)]


async def test_what_was_said_lately_is_counted_by_room(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        waiting, posted = say(write, "waits"), say(write, "posted", OTHER)
        await write.apply(community_id, [waiting, posted])
    await move(store, community_id, 2, LetterState.SENT, 900)
    async with store.reading() as read:
        assert await read.talk.lively(community_id, [ROOM, OTHER], START) == {OTHER: 1}
        assert await read.talk.lively(community_id, [ROOM], START) == {}
        assert await read.talk.lively(community_id, [ROOM, OTHER], LATER + timedelta(seconds=1)) == {}
