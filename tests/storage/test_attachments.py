"""Files beside messages lie in a table of their own, also those that came from an older database or archive."""

from datetime import timedelta
from pathlib import Path

from sqlalchemy import event, func, select

from bot.core.keeping import Readable
from bot.core.records import AgentId, Attachment, CommunityId, Message, Snowflake
from storage.store import SqlStore
from storage.tables import ATTACHMENTS
from tests.factories import by_person, person
from tests.fakes import START
from tests.storage.lines import forget, hear, said, written_down

ROOM = AgentId(1)
ARCHIVES = Path(__file__).with_name("archives")
PICTURE = Attachment(name="a ☂.png", media_type="image/png", size_bytes=4, url="https://example.org/a.png")
NOTE = Attachment(name="b.txt", media_type="text/plain", size_bytes=2, url="https://example.org/b", text="hi @mira")


async def messages(store: SqlStore, community_id: CommunityId) -> list[Message]:
    async with store.reading() as read:
        return list(await read.talk.history(community_id, ROOM))


async def rows(store: SqlStore) -> int:
    async with store.reading() as read:
        return int(await read.session.value(select(func.count()).select_from(ATTACHMENTS)))


async def test_files_go_with_their_message(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(
            community_id, [said("one", 1, attachments=(PICTURE, NOTE)), said("two", 2, attachments=(NOTE,))]
        )
        assert await write.talk.delete(community_id, [Snowflake(1001)], START) == 1
    assert [one.attachments for one in await messages(store, community_id)] == [(NOTE,)]
    assert await rows(store) == 1
    async with store.writing(community_id) as write:
        await write.agents.delete(community_id, ROOM, START)
    assert await rows(store) == 0


async def test_a_forgotten_persons_name_leaves_the_files_of_others_and_theirs_go(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person())
        other = said("from bob", 2, sender=by_person("bob", 502), attachments=(NOTE,))
        await write.talk.add(community_id, [said("mine", 1, attachments=(PICTURE,)), other])
        data = await written_down(write.personal, community_id, Snowflake(501), Readable(rooms=frozenset({ROOM})))
        assert [file["name"] for file in data["attachments"]] == [PICTURE.name]
        await forget(write.personal, community_id, Snowflake(501), START)
    (left,) = await messages(store, community_id)
    assert [file.text for file in left.attachments] == ["hi @someone"]


async def test_only_messages_with_files_cost_a_statement(store: SqlStore, community_id: CommunityId) -> None:
    statements: list[str] = []
    event.listen(
        store.database.engine.sync_engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, *rest: statements.append(statement),
    )

    async def asked() -> int:
        statements.clear()
        async with store.writing(community_id) as write:
            number = int(START.timestamp()) + len(await write.talk.history(community_id, ROOM))
            await hear(write.talk, community_id, said("plain", number, sent_at=START + timedelta(seconds=number)))
        async with store.reading() as read:
            await read.views.whole(community_id, room_ids=[ROOM])
        return sum(statement.startswith("SELECT attachments.") for statement in statements)

    assert await asked() == 0
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("look", n, attachments=(PICTURE, NOTE)) for n in range(1, 30)])
    assert await asked() == 2  # `history` and the view, however many messages have files


async def test_an_archive_of_the_first_format_is_still_read(store: SqlStore) -> None:
    moved = await store.import_archive(ARCHIVES / "format-1.zip", guild_id=Snowflake(77))
    assert moved.counts["messages"] == 7
    assert moved.images == {"agent-1.png": b"\x89PNG"}
    found = await messages(store, moved.community_id)
    assert (found[0].content, found[0].reactions) == ("line 0 ünïcode \u200f🎉", (("brain", 1),))
    assert [file.name for file in found[-1].attachments] == ["a ☂.png", "b.txt"]
    assert found[-1].attachments[1].text == "hi\ufffd there"
