"""Files beside messages lie in a table of their own, also those that came from an older database or archive."""

import json
from datetime import timedelta
from pathlib import Path

from sqlalchemy import event, func, select, text

from bot.core.keeping import Readable
from bot.core.records import AgentId, Attachment, CommunityId, Message, MessageId, Snowflake
from storage.database import Database, database_url
from storage.migrations.path import upgrade
from storage.store import SqlStore
from storage.tables import ATTACHMENTS
from tests.factories import by_person, person
from tests.fakes import START
from tests.storage.databases import postgresql_database
from tests.storage.lines import hear, said

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
        await write.agents.delete(community_id, ROOM)
    assert await rows(store) == 0


async def test_a_forgotten_persons_name_leaves_the_files_of_others_and_theirs_go(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person())
        other = said("from bob", 2, sender=by_person("bob", 502), attachments=(NOTE,))
        await write.talk.add(community_id, [said("mine", 1, attachments=(PICTURE,)), other])
        data = await write.personal.data(community_id, Snowflake(501), Readable(rooms=frozenset({ROOM})))
        assert [file["name"] for file in data["attachments"]] == [PICTURE.name]  # type: ignore[union-attr,call-overload,index]
        await write.personal.forget(community_id, Snowflake(501), START)
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
        return sum("attachments" in statement.replace("attachment_count", "") for statement in statements)

    assert await asked() == 0
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("look", n, attachments=(PICTURE, NOTE)) for n in range(1, 30)])
    assert await asked() == 2  # `history` and the view, however many messages have files


BEFORE_0006 = """
INSERT INTO messages (community_id, id, room_id, sender_kind, sender_person_id, sender_name, content, type, sent_at,
                      attachments, discord_id, tokens, answers_from_agents, shown)
VALUES (:community, :id, 1, 'person', 501, 'mira', 'look', 'text', :at, :files, :discord_id, 5, 0, :shown)
"""


async def older(database: Database) -> None:
    """Make a database as the revision before left it, with files beside 1,201 of its messages."""
    files = json.dumps([dict_of(PICTURE), dict_of(NOTE) | {"text": "a\0b"}])
    at = int(START.timestamp() * 1_000_000) if database.is_sqlite else START
    community = "INSERT INTO communities (id, guild_id, name, paused) VALUES (1, 9, 'Testers', :paused)"
    agent = (
        "INSERT INTO agents (community_id, id, name, type, prompt, model, temperature, interval_seconds,"
        " resting_interval_seconds, token_budget, knowledge_percent, recent_actions_percent, rooms_percent,"
        " input_format, output_format, can_create_agents, aliases, listens_to_bare_name, created_at, last_beat_silent,"
        " failures_in_a_row) VALUES (1, 1, 'Wren', 'persona', '', 'm', 0.7, 5, 10, 10000, 30, 10, 60, 'text', 'json',"
        " :no, '[]', :no, :at, :no, 0)"
    )
    room = (
        "INSERT INTO rooms (community_id, id, access, visibility, topic, billboard, wpm, rpm, agent_run, message_count)"
        " VALUES (1, 1, 'knock', 'public', '', '', 80, 200, 0, 1300)"
    )
    async with database.writing() as connection:
        await connection.run_sync(lambda sync: upgrade(sync, "0005"))
        await connection.execute(text(community), {"paused": False})
        await connection.execute(text("INSERT INTO counters SELECT 1, 1, 1300, 0, 0, 0, 0, 0, 0"))
        await connection.execute(text(agent), {"no": False, "at": at})
        await connection.execute(text(room))
        lines = [
            {"community": 1, "id": id, "discord_id": id, "at": at, "files": files if id > 99 else None, "shown": True}
            for id in range(1, 1301)
        ]
        await connection.execute(text(BEFORE_0006), lines)


def dict_of(file: Attachment) -> dict[str, object]:
    return {name: getattr(file, name) for name in ("name", "media_type", "size_bytes", "url", "text")}


async def check_migrated(url: str) -> None:
    database = Database(database_url(url))
    await older(database)
    await database.close()
    async with await SqlStore.open(url) as store:
        async with store.reading() as read:
            found = await read.talk.by_id(CommunityId(1), [MessageId(99), MessageId(100), MessageId(1300)])
        assert await rows(store) == 2 * 1201
    assert [len(found[MessageId(id)].attachments) for id in (99, 100, 1300)] == [0, 2, 2]
    first, second = found[MessageId(1300)].attachments
    assert (first, second.text) == (PICTURE, "a\ufffdb")


async def test_files_of_an_older_sqlite_database_are_moved(tmp_path: Path) -> None:
    await check_migrated(f"sqlite:///{tmp_path}/older.db")


async def test_files_of_an_older_postgresql_database_are_moved() -> None:
    async with postgresql_database() as database:
        if database is not None:
            await check_migrated(database.url)


async def test_an_archive_of_the_first_format_is_still_read(store: SqlStore) -> None:
    moved = await store.import_archive(ARCHIVES / "format-1.zip", guild_id=Snowflake(77))
    assert moved.counts["messages"] == 7
    assert moved.images == {"agent-1.png": b"\x89PNG"}
    found = await messages(store, moved.community_id)
    assert (found[0].content, found[0].reactions) == ("line 0 ünïcode \u200f🎉", (("brain", 1),))
    assert [file.name for file in found[-1].attachments] == ["a ☂.png", "b.txt"]
    assert found[-1].attachments[1].text == "hi\ufffd there"
