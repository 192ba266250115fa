"""What comes in is stored once, whatever the order in which it arrives."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.changes import AddAgent
from bot.core.kinds import MessageType
from bot.core.ports import NewMessage
from bot.core.records import AgentId, Attachment, CommunityId, MessageId, Snowflake
from storage.store import SqlStore
from tests.factories import agent, by_agent, room
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import said

ROOM = AgentId(1)


async def lines(store: SqlStore, community_id: CommunityId) -> list[str]:
    async with store.reading() as read:
        return [message.content for message in await read.history(community_id, ROOM)]


async def add(store: SqlStore, community_id: CommunityId, *messages: NewMessage) -> None:
    async with store.writing(community_id) as write:
        await write.add_messages(community_id, messages)


async def test_the_same_message_twice_is_stored_once(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        assert await write.add_message(community_id, said("hello")) is not None
        assert await write.add_message(community_id, said("hello")) is None
    await add(store, community_id, said("hello"), said("again", 2), said("again", 2))
    assert await lines(store, community_id) == ["hello", "again"]


async def test_ids_are_counted_per_community_and_not_used_up_by_what_is_known(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing() as write:
        other = (await write.add_community(Snowflake(10), "Others")).id
    async with store.writing(other) as write:
        id = write.ids.take("agent")
        await write.apply(other, [AddAgent(agent=agent(id), room=room(id))])
        first = await write.add_message(other, said("over there"))
    await add(store, community_id, said("one"), said("one"))
    async with store.writing(community_id) as write:
        second = await write.add_message(community_id, said("two", 2))
    assert first is not None
    assert second is not None
    assert (first.id, second.id) == (1, 2)
    assert await lines(store, community_id) == ["one", "two"]


async def test_an_id_taken_in_a_transaction_that_fails_is_free_again(
    store: SqlStore, community_id: CommunityId
) -> None:
    try:
        async with store.writing(community_id) as write:
            await write.add_message(community_id, said("never said"))
            raise LookupError("something went wrong")
    except LookupError:
        pass
    assert await lines(store, community_id) == []
    async with store.writing(community_id) as write:
        assert write.ids.take("message") == 1


async def test_messages_stand_in_the_order_of_discord_and_not_of_arrival(
    store: SqlStore, community_id: CommunityId
) -> None:
    await add(store, community_id, said("third", 3), said("first", 1), said("second", 2))
    assert await lines(store, community_id) == ["first", "second", "third"]


async def test_messages_of_one_millisecond_stand_in_the_order_of_their_discord_ids(
    store: SqlStore, community_id: CommunityId
) -> None:
    for number in (3, 1, 5, 2, 4):
        await add(store, community_id, said(str(number), number, sent_at=START))
    assert await lines(store, community_id) == ["1", "2", "3", "4", "5"]
    async with store.reading() as read:
        view = await read.view(community_id, room_ids=[ROOM], messages=3)
        assert [message.content for message in view.rooms[ROOM].messages] == ["3", "4", "5"]
        paged: list[str] = []
        before: MessageId | None = None
        while page := await read.history(community_id, ROOM, before=before, limit=2):
            paged, before = [message.content for message in page] + paged, page[0].id
        assert paged == ["1", "2", "3", "4", "5"]
        found = await read.search(community_id, "3", room_ids=[ROOM])
        assert [message.content for message, _ in found] == ["3"]


async def test_history_pages_backwards(store: SqlStore, community_id: CommunityId) -> None:
    await add(store, community_id, *(said(str(number), number) for number in range(7)))
    async with store.reading() as read:
        page = await read.history(community_id, ROOM, limit=3)
        assert [message.content for message in page] == ["4", "5", "6"]
        page = await read.history(community_id, ROOM, before=page[0].id, limit=3)
        assert [message.content for message in page] == ["1", "2", "3"]
        assert await read.history(community_id, ROOM, before=MessageId(1)) == []


async def test_a_reply_finds_what_it_answers_even_when_that_comes_later(
    store: SqlStore, community_id: CommunityId
) -> None:
    await add(store, community_id, said("answer", 2, reply_to=Snowflake(1001)))
    await add(store, community_id, said("question", 1), said("me too", 3, reply_to=Snowflake(1001)))
    async with store.reading() as read:
        question, answer, too = await read.history(community_id, ROOM)
    assert answer.reply_to == too.reply_to == question.id


async def test_a_backfill_brings_an_edit_that_was_missed(store: SqlStore, community_id: CommunityId) -> None:
    await add(store, community_id, said("helo"))
    await add(store, community_id, said("hello", edited=True, edited_at=START + timedelta(seconds=9)))
    async with store.reading() as read:
        (message,) = await read.history(community_id, ROOM)
        assert (message.content, message.edited) == ("hello", True)
        assert [found.content for found, _ in await read.search(community_id, "hello", room_ids=[ROOM])] == ["hello"]
        assert await read.search(community_id, "helo", room_ids=[ROOM]) == []


async def test_attachments_come_back_and_pictures_make_an_image(store: SqlStore, community_id: CommunityId) -> None:
    files = (
        Attachment(name="a.png", media_type="image/png", size_bytes=4, url="https://example.org/a.png"),
        Attachment(name="b.txt", media_type="text/plain", size_bytes=2, url="https://example.org/b", text="hi"),
    )
    await add(store, community_id, said("look", attachments=files))
    async with store.reading() as read:
        (message,) = await read.history(community_id, ROOM)
        (again,) = (await read.messages_by_id(community_id, [message.id])).values()
        view = await read.view(community_id, room_ids=[ROOM])
    assert message.type is MessageType.IMAGE
    assert message.attachments == again.attachments == view.rooms[ROOM].messages[0].attachments == files


async def test_any_text_comes_back_as_it_was(store: SqlStore, community_id: CommunityId) -> None:
    texts = [
        "e" + "\u0301" * 4000,
        "a\u200bb\u200d",
        "\u202eright to left\u202c",
        "👩\u200d👩\u200d👧",
        "'; DROP TABLE messages; --",
        "%_\\",
    ]
    await add(store, community_id, *(said(text, number) for number, text in enumerate(texts)))
    assert await lines(store, community_id) == texts


async def test_what_no_database_can_hold_is_replaced_and_not_lost(store: SqlStore, community_id: CommunityId) -> None:
    await add(store, community_id, said("a\0b \ud83d end"))
    assert await lines(store, community_id) == ["a\ufffdb ? end"]


async def test_people_let_agents_speak_again(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [])
        await write.add_message(community_id, said("from a listened bot", sender=by_agent(2)))
        view = await write.view(community_id, room_ids=[ROOM])
        assert view.rooms[ROOM].room.agent_run == 0
        assert view.rooms[ROOM].room.last_message_at == START + timedelta(seconds=1)


@dataclass(frozen=True)
class Happening:
    """One thing that arrives: a message (live, or from the backfill with its newest text), an edit, or its end."""

    kind: str
    number: int
    version: int = 0

    async def arrive(self, store: SqlStore, community_id: CommunityId) -> None:
        id, edited_at = Snowflake(1000 + self.number), START + timedelta(minutes=self.version)
        content = f"text {self.number} version {self.version}"
        async with store.writing(community_id) as write:
            if self.kind == "end":
                await write.delete_messages(community_id, [id], START)
            elif self.kind == "edit":
                await write.edit_message(community_id, id, content=content, edited_at=edited_at, tokens=self.version)
            else:
                new = said(content, self.number, tokens=self.version, reply_to=Snowflake(1000 + self.number // 2))
                if self.version:
                    new = replace(new, edited=True, edited_at=edited_at)
                await write.add_message(community_id, new)


def story(numbers: Sequence[int], edits: int, ended: Sequence[int]) -> list[Happening]:
    """Give all that happened, as the gateway tells it and as a backfill tells it again."""
    told = [Happening("message", number) for number in numbers]
    told += [Happening("edit", number, version) for number in numbers for version in range(1, edits + 1)]
    told += [Happening("message", number, edits) for number in numbers]
    return told + [Happening("end", number) for number in ended]


async def outcome(happenings: Sequence[Happening]) -> list[tuple[object, ...]]:
    """Give what is stored in the end, without ids (they are counted in the order of arrival)."""
    async with await SqlStore.open("sqlite:///:memory:") as store:
        community_id = await founded(store, 1)
        for happening in happenings:
            await happening.arrive(store, community_id)
        async with store.reading() as read:
            messages = await read.history(community_id, ROOM)
            found = await read.search(community_id, "text", room_ids=[ROOM])
            view = (await read.view(community_id, room_ids=[ROOM])).rooms[ROOM]
        names = {message.id: message.discord_id for message in messages}
        assert {message.id for message, _ in found} == names.keys()
        assert (len(view.messages), view.older) == (len(messages), 0)
        return [
            (one.discord_id, one.content, one.edited, one.tokens, one.sent_at, names.get(one.reply_to or MessageId(0)))
            for one in messages
        ]


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_interleaving_with_repeats_gives_the_same_rows(data: st.DataObject) -> None:
    ended = data.draw(st.sets(st.integers(1, 4), max_size=2))
    told = story([1, 2, 3, 4], data.draw(st.integers(0, 2)), sorted(ended))
    repeated = told + data.draw(st.lists(st.sampled_from(told), max_size=4))
    shuffled = data.draw(st.permutations(repeated))
    assert asyncio.run(outcome(shuffled)) == asyncio.run(outcome(told))
