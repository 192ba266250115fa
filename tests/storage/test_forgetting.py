"""A person who is forgotten stands nowhere any more, and does not come back."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, text

from bot.core.changes import (
    AddCheckpoint,
    AddKey,
    AddLetter,
    AddLookup,
    AddRequest,
    AddSchedule,
    Audit,
    Change,
    CountFailure,
    EndBeat,
    React,
    RecordAction,
    Say,
    SetKnowledge,
    UpdateAgent,
    UpdateRoom,
)
from bot.core.kinds import Emotion, LetterKind, RequestState
from bot.core.records import (
    PUBLIC_SIDE,
    AccessKey,
    AccessRequest,
    ActionRecord,
    AgentId,
    Attachment,
    Checkpoint,
    CheckpointId,
    CommunityId,
    Json,
    KeyId,
    Lookup,
    MessageId,
    RequestId,
    Schedule,
    ScheduleId,
    Side,
    Snowflake,
)
from storage.store import SqlStore
from storage.tables import METADATA
from tests.factories import by_agent, by_person, person
from tests.fakes import START
from tests.storage.lines import said
from tests.storage.test_beats import beat

ROOM, OTHER = AgentId(1), AgentId(2)
LATER = START + timedelta(days=1)
MIRA = Snowflake(501)
WREN = by_person("wren", 502)


async def everything(store: SqlStore) -> str:
    """Give all that lies in all tables, as text."""
    found: list[str] = []
    async with store.database.reading() as connection:
        for table in METADATA.sorted_tables:
            for row in (await connection.execute(select(table))).mappings():
                found += [f"{table.name}.{name}: {value}" for name, value in row.items() if value is not None]
        if store.database.is_sqlite:
            words = "SELECT rowid FROM message_words WHERE message_words MATCH 'words:mira OR words:lighthouse'"
        else:
            words = "SELECT message_id FROM message_words WHERE words @@ to_tsquery('selfroom', 'mira | lighthouse')"
        found += [f"index: mira in {row}" for row in await connection.execute(text(words))]
    return "\n".join(found)


def knock() -> list[Change]:
    """Give a key with her name on it, and her knock with it."""
    key = AccessKey(
        id=KeyId(1), room_id=ROOM, label="for Mira", ciphertext=b"c", digest=b"d", created_at=START - timedelta(1)
    )
    request = AccessRequest(
        id=RequestId(1),
        room_id=ROOM,
        requester_person_id=MIRA,
        requester_name="mira",
        key_id=KeyId(1),
        key_label="for Mira",
        created_at=START,
    )
    return [AddKey(key=key), AddRequest(request=request)]


def traces() -> list[Change]:
    """Give changes that name Mira wherever free text is kept."""
    action = ActionRecord(
        type="set", at=START, parameters={"path": "people.Mira", "value": ["Mira is kind"]}, accepted=True, why="mira"
    )
    notice: dict[str, Json] = {"text": "@mira asks for room 1", "to_managers": True}
    return [
        Say(message_id=MessageId(90), room_id=ROOM, sender=by_agent(1), content="Hello Mira!", sent_at=START),
        RecordAction(agent_id=ROOM, side=PUBLIC_SIDE, record=action),
        AddSchedule(
            schedule=Schedule(id=ScheduleId(1), agent_id=ROOM, room_id=ROOM, content="Good night, mira", at=LATER)
        ),
        UpdateRoom(room_id=ROOM, fields={"topic": "Mira's corner", "billboard": "Welcome, @mira"}),
        UpdateAgent(agent_id=ROOM, fields={"prompt": "You adore Mira."}),
        *knock(),
        CountFailure(room_id=ROOM, person_id=MIRA, at=START),
        AddLetter(kind=LetterKind.NOTICE, room_id=ROOM, payload=notice, not_before=LATER),
        AddLookup(agent_id=OTHER, side=PUBLIC_SIDE, lookup=Lookup(question="recall tea", answer=["Mira likes tea"])),
        AddCheckpoint(
            checkpoint=Checkpoint(
                id=CheckpointId(1),
                room_id=ROOM,
                first_message_id=MessageId(2),
                last_message_id=MessageId(2),
                text="Mira spoke of a lighthouse.",
                created_at=START,
            )
        ),
        SetKnowledge(
            agent_id=OTHER,
            side=PUBLIC_SIDE,
            knowledge={},
            path="people.Mira.trust",
            before=None,
            after=0.8,
            by="itself",
            at=START,
        ),
        EndBeat(beat=beat(1, hud="nothing", thoughts="Mira again", agent_id=OTHER, outcome=("told mira",))),
        Audit(by="@mira", what="forbade Mira's things", at=START),
        React(message_id=MessageId(2), emoji="heart", emotion=Emotion.HEART, reactor=by_person(), at=START),
    ]


async def test_nothing_names_a_forgotten_person_in_any_table(store: SqlStore, community_id: CommunityId) -> None:
    file = Attachment(
        name="mira.txt", media_type="text/plain", size_bytes=9, url="https://cdn.example/1", text="by Mira"
    )
    async with store.writing(community_id) as write:
        await write.put_person(community_id, person("mira"))
        heard = [
            said("my lighthouse"),
            said("hi @Mira, I mean mira. Mirabilis?", 2, sender=WREN, attachments=(file,)),
            said("I was old_mira", 3, sender=by_person("old_mira")),
            said("ask old_mira about the lamp", 4, sender=WREN),
        ]
        await write.add_messages(community_id, heard)
        await write.apply(community_id, traces())
    assert "mira" in (await everything(store)).lower()
    async with store.writing(community_id) as write:
        forgotten = await write.forget_person(community_id, MIRA, LATER)
    assert (forgotten.messages, forgotten.names) == (2, ("Mira", "mira", "old_mira"))
    left = (await everything(store)).lower().replace("mirabilis", "")
    assert [line for line in left.splitlines() if "mira" in line or "lighthouse" in line] == []
    async with store.reading() as read:
        assert [one.content for one in await read.history(community_id, ROOM)] == [
            "hi @someone, I mean someone. Mirabilis?",
            "ask someone about the lamp",
        ]
        found = await read.search(community_id, "someone lamp", room_ids=[ROOM])
        assert [one.content for one, _ in found] == ["ask someone about the lamp"]
        said_later = await read.messages_by_id(community_id, [MessageId(90)])
        assert said_later[MessageId(90)].content == "Hello someone!"
        assert [one.content for one in await read.schedules(community_id, ROOM)] == ["Good night, someone"]
        assert await read.knocks() == []


async def test_a_knock_of_a_forgotten_person_is_cancelled(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.put_person(community_id, person("mira"))
        await write.apply(community_id, traces())
        await write.forget_person(community_id, MIRA, LATER)
    async with store.database.reading() as connection:
        [row] = (await connection.execute(text("SELECT state, requester_person_id FROM requests"))).all()
    assert tuple(row) == (RequestState.CANCELLED, MIRA)


@pytest.mark.parametrize(
    ("username", "shown", "written"),
    [
        ("jo", "Jo", "jo and JO, @someone"),  # too short for a word
        ("agent2", "Agent2", "jo and JO, @jo"),
        ("jolanda", "and", "jo and JO, @jo"),  # everybody says it: chosen to do harm, or by accident
    ],
)
async def test_a_name_that_is_a_common_word_or_an_agents_is_only_looked_for_after_an_at(
    store: SqlStore, community_id: CommunityId, username: str, shown: str, written: str
) -> None:
    async with store.writing(community_id) as write:
        await write.put_person(community_id, person(username, display_name=shown))
        talk = [said("you and me and Agent2", number, sender=WREN) for number in range(1, 20)]
        await write.add_messages(community_id, [*talk, said("jo and JO, @jo", 20, sender=WREN)])
        await write.forget_person(community_id, MIRA, LATER)
        *others, last = [one.content for one in await write.history(community_id, ROOM)]
    assert last == written
    assert set(others) == {"you and me and Agent2"}


async def test_a_forgotten_person_does_not_come_back(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.put_person(community_id, person("mira"))
        await write.add_messages(community_id, [said("mine"), said("theirs", 2, sender=WREN)])
        await write.forget_person(community_id, MIRA, LATER)
    async with store.writing(community_id) as write:
        assert await write.add_messages(community_id, [said("mine")]) == [None]
        edit: dict[str, Any] = {"content": "mine, edited", "edited_at": LATER, "tokens": 3}
        assert await write.edit_message(community_id, Snowflake(1001), **edit) is None
        await write.put_person(community_id, person("mira"))
        assert (await write.forget_person(community_id, MIRA, LATER)).names == ()
    assert "mine" not in await everything(store)
    assert "mira" not in await everything(store)


async def test_a_person_gets_all_that_is_kept_of_them_and_nothing_of_private_rooms(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.put_person(community_id, person("mira"))
        await write.add_messages(community_id, [said("mine"), said("about mira", 2, sender=WREN)])
        knows: dict[str, Any] = {"people": {"mira": {"trust": 1}, "wren": "no"}, "notes": ["mira sings", "tea"]}
        by: dict[str, Any] = {"path": "people", "before": None, "after": None, "by": "itself", "at": START}
        public = SetKnowledge(agent_id=ROOM, side=PUBLIC_SIDE, knowledge=knows, **by)
        secret = SetKnowledge(agent_id=ROOM, side=Side(2), knowledge={"mira": "a secret"}, **by)
        await write.apply(community_id, [*traces(), public, secret])
    async with store.reading() as read:
        data = await read.data_of(community_id, MIRA)
    counts = {name: len(value) if isinstance(value, list) else value for name, value in data.items()}
    assert counts | {"person": None} == {
        "person": None,
        "messages": 1,
        "attachments": 0,
        "reactions": 1,
        "access_requests": 1,
        "keys_that_did_not_open": 1,
        "beats_caused": 1,
        "names": 2,
        "known_by_agents": 1,
        "known_in_private_rooms": 1,
        "named_in_messages_of_others": 2,
        "changes_made": 1,
        "knowledge_changed": 0,
    }
    told = {"people.mira": {"trust": 1}, "notes": ["mira sings"]}
    assert data["known_by_agents"] == [{"agent_id": ROOM, "knowledge": told}]
    assert "a secret" not in str(data)
    assert "==== the HUD" not in str(data)
