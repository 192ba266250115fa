"""A person who is forgotten goes by their id and by a username of theirs alone, and does not come back."""

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
    JournalPlan,
    React,
    RecordAction,
    Say,
    SetFocus,
    SetKnowledge,
    UpdateAgent,
    UpdateRoom,
    WholeAgentColumns,
)
from bot.core.keeping import Readable
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
    Focus,
    Json,
    KeyId,
    Lookup,
    MessageId,
    Plan,
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
from tests.storage.lines import forget, said, written_down
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
        requester_name="@mira",
        key_id=KeyId(1),
        key_label="for Mira",
        created_at=START,
    )
    return [AddKey(key=key), AddRequest(request=request)]


def traces() -> list[Change]:
    """Give changes that name Mira wherever texts are kept, by her id or her username."""
    action = ActionRecord(
        type="set", at=START, parameters={"path": "people", "value": ["@mira is kind"]}, accepted=True, why="@mira"
    )
    notice: dict[str, Json] = {"text": "@mira asks for room 1", "to_managers": True}
    return [
        Say(message_id=MessageId(90), room_id=ROOM, sender=by_agent(1), content="Hello @mira!", sent_at=START),
        RecordAction(agent_id=ROOM, side=PUBLIC_SIDE, record=action),
        AddSchedule(
            schedule=Schedule(id=ScheduleId(1), agent_id=ROOM, room_id=ROOM, content="Good night, @Mira", at=LATER)
        ),
        UpdateAgent(agent_id=ROOM, fields={"paused_reason": "paused by The Architect (<@501>)"}),
        CountFailure(room_id=ROOM, person_id=MIRA, at=START),
        AddLetter(kind=LetterKind.NOTICE, room_id=ROOM, payload=notice, not_before=LATER),
        AddLookup(agent_id=OTHER, side=PUBLIC_SIDE, lookup=Lookup(question="recall tea", answer=["@mira likes tea"])),
        AddCheckpoint(
            checkpoint=Checkpoint(
                id=CheckpointId(1),
                room_id=ROOM,
                first_message_id=MessageId(2),
                last_message_id=MessageId(2),
                text="@mira spoke of a lighthouse.",
                created_at=START,
            )
        ),
        learnt({}, "people.@mira.trust", by="<@501>"),
        planned("ask @mira"),
        EndBeat(beat=beat(1, hud="nothing", thoughts="@mira again", agent_id=OTHER, outcome=("told @mira",))),
        Audit(by="The Architect (<@501>)", what="set_muted: Agents ignore <@501>.", at=START),
        Audit(by="@mira", what="an entry of an older version", at=START),
        React(message_id=MessageId(2), emoji="heart", emotion=Emotion.HEART, reactor=by_person(), at=START),
    ]


def learnt(knowledge: dict[str, Json], path: str, *, by: str = "itself", side: Side = PUBLIC_SIDE) -> SetKnowledge:
    return SetKnowledge(
        agent_id=OTHER, side=side, knowledge=knowledge, path=path, before="earlier", after=0.8, by=by, at=START
    )


def planned(text: str) -> JournalPlan:
    before: dict[str, Json] = {"goal 1": {"text": text, "done": False}}
    return JournalPlan(
        agent_id=OTHER, side=PUBLIC_SIDE, path="goal 1", before=before, after={"goal 1": None}, by="itself", at=START
    )


def words_for_people_alone() -> list[Change]:
    """Give prompt, topic, billboard, label, knowledge and focus with a name, with and without an @."""
    return [
        UpdateRoom(room_id=ROOM, fields={"topic": "Mira's corner", "billboard": "Welcome, @mira"}),
        UpdateAgent(agent_id=ROOM, fields=WholeAgentColumns(prompt="You adore Mira, and the lighthouse.")),
        *knock(),
        learnt({"people": {"mira": "kind"}}, "people"),
        SetFocus(agent_id=OTHER, side=PUBLIC_SIDE, focus=Focus(plan=Plan(strategy="ask Mira"))),
    ]


async def left_of(store: SqlStore, community_id: CommunityId) -> list[str]:
    """Give every text that people and agents can read."""
    async with store.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[ROOM, OTHER], minds=None)
        room, minds = view.all_rooms[ROOM], [view.mind_of(OTHER), view.mind_of(ROOM)]
        texts = [view.whole_agent(ROOM).prompt, room.topic, room.billboard, *(key.label for key in view.keys[ROOM])]
        texts += [str(mind.knowledge) + str(mind.focus) for mind in minds]
        return [*texts, *(one.content for one in await read.talk.history(community_id, ROOM))]


async def test_a_forgotten_person_stands_in_no_table_by_id_or_username(
    store: SqlStore, community_id: CommunityId
) -> None:
    file = Attachment(
        name="@mira, notes.txt", media_type="text/plain", size_bytes=9, url="https://cdn.example/1", text="by @mira"
    )
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("old_mira"))
        await write.people.put(community_id, person("mira"))
        heard = [
            said("my lighthouse"),
            said("hi @Mira, I mean @mira. @mirabilis?", 2, sender=WREN, attachments=(file,)),
            said("I was old_mira", 3, sender=by_person("old_mira")),
            said("ask @old_mira about the lamp", 4, sender=WREN),
        ]
        await write.talk.add(community_id, heard)
        asking = by_person("mira")
        again = Say(message_id=MessageId(91), room_id=ROOM, sender=asking, content="again", sent_at=START, post=False)
        await write.apply(community_id, [*traces(), again])
    assert "mira" in (await everything(store)).lower()
    async with store.writing(community_id) as write:
        forgotten = await forget(write.personal, community_id, MIRA, LATER)
    assert (forgotten.messages, forgotten.reactions) == (3, 1)
    assert forgotten.names == ("old_mira", "mira")
    assert forgotten.texts == 15
    await store.gone_for_good()
    left = (await everything(store)).lower().replace("@mirabilis", "")
    assert [line for line in left.splitlines() if "mira" in line or "lighthouse" in line or "<@501>" in line] == []
    async with store.reading() as read:
        assert [one.content for one in await read.talk.history(community_id, ROOM)] == [
            "hi @someone, I mean @someone. @mirabilis?",
            "ask @someone about the lamp",
        ]
        found = await read.talk.search(community_id, "someone lamp", room_ids=[ROOM])
        assert [one.content for one, _ in found] == ["ask @someone about the lamp"]
        assert [one.content for one in await read.agents.schedules(community_id, ROOM)] == ["Good night, @someone"]
        view = await read.views.whole(community_id)
    assert view.agents[ROOM].paused_reason == "paused by The Architect (someone)"


async def test_prompts_topics_labels_and_knowledge_are_left_to_managers(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.apply(community_id, words_for_people_alone())
    before = await left_of(store, community_id)
    async with store.writing(community_id) as write:
        forgotten = await forget(write.personal, community_id, MIRA, LATER)
    assert await left_of(store, community_id) == before
    assert [(one.kind.value, one.id) for one in forgotten.traces] == [
        ("prompt", ROOM),
        ("topic", ROOM),
        ("billboard", ROOM),
        ("label", 1),
        ("knowledge", OTHER),
        ("focus", OTHER),
    ]


@pytest.mark.parametrize("shown", ["mira", "lighthouse", "Mira", "@mira", "The Architect"])
async def test_a_nickname_reads_and_changes_nothing_of_others(
    store: SqlStore, community_id: CommunityId, shown: str
) -> None:
    eve = Snowflake(666)
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", is_architect=True))
        await write.people.put(community_id, person("eve", 666, display_name=shown))
        talk = [said("to the lighthouse, @mira"), said("Mira, @lighthouse", 2, sender=WREN)]
        await write.talk.add(community_id, talk)
        secret = learnt({"door": "a secret"}, "door", by="The Architect (<@501>)", side=Side(1))
        await write.apply(community_id, [*traces(), *words_for_people_alone(), secret])
        data = await written_down(write.personal, community_id, eve, Readable(rooms=frozenset({ROOM})))
    given = {name: value for name, value in data.items() if name not in ("person", "usernames")}
    assert given.pop("where_you_may_not_read") == {"messages": 0, "reactions": 0}
    assert set(map(str, given.values())) == {"[]"}
    before, kept = await left_of(store, community_id), await everything(store)
    async with store.writing(community_id) as write:
        forgotten = await forget(write.personal, community_id, eve, LATER)
    assert (forgotten.messages, forgotten.texts, forgotten.agents) == (0, 0, ())
    assert await left_of(store, community_id) == before
    assert len(kept.splitlines()) - len((await everything(store)).splitlines()) <= 2  # her own names


@pytest.mark.parametrize("how", ["bears it now", "bore it", "is an agent's", "was an agent's", "is a role's", "alias"])
async def test_a_username_that_is_not_theirs_alone_changes_nothing(
    store: SqlStore, community_id: CommunityId, how: str
) -> None:
    eve = Snowflake(666)
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("lamp", 666))
        if how in ("bears it now", "bore it"):
            await write.people.put(community_id, person("Lamp", 501))
        if how == "bore it":
            await write.people.put(community_id, person("mira", 501))
        if "agent" in how:
            await write.apply(community_id, [UpdateAgent(agent_id=OTHER, fields={"name": "Lamp"})])
        if how == "was an agent's":
            await write.apply(community_id, [UpdateAgent(agent_id=OTHER, fields={"name": "Moth"})])
        if how == "alias":
            await write.apply(community_id, [UpdateAgent(agent_id=OTHER, fields={"aliases": ("lamp",)})])
        await write.talk.add(community_id, [said("hello @lamp", sender=WREN)])
        others = ["Lamp"] if how == "is a role's" else []
        forgotten = await forget(write.personal, community_id, eve, LATER, others=others)
        assert (forgotten.names, forgotten.is_shared, forgotten.texts) == ((), True, 0)
        assert [one.content for one in await write.talk.history(community_id, ROOM)] == ["hello @lamp"]


@pytest.mark.parametrize("how", ["is an agent's", "was an agent's", "is a role's", "alias", "is a member's"])
async def test_a_longer_name_that_begins_like_theirs_stays_whose_it_is(
    store: SqlStore, community_id: CommunityId, how: str
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", 501))
        if "agent" in how:
            await write.apply(community_id, [UpdateAgent(agent_id=OTHER, fields={"name": "Mira Smith"})])
        if how == "was an agent's":
            await write.apply(community_id, [UpdateAgent(agent_id=OTHER, fields={"name": "Moth"})])
        if how == "alias":
            await write.apply(community_id, [UpdateAgent(agent_id=OTHER, fields={"aliases": ("Mira Smith",)})])
        if how == "is a member's":
            await write.people.put(community_id, person("mira smith", 666))
        knows: dict[str, Json] = {"@Mira Smith": "my host", "@mira": "a guest"}
        await write.apply(community_id, [learnt(knows, "people")])
        await write.talk.add(community_id, [said("@Mira Smith, is @mira with you?", sender=WREN)])
        others = ["Mira Smith"] if how == "is a role's" else []
        forgotten = await forget(write.personal, community_id, MIRA, LATER, others=others)
        assert (forgotten.names, forgotten.spared[0].casefold()) == (("mira",), "mira smith")
        history = await write.talk.history(community_id, ROOM)
        assert [one.content for one in history] == ["@Mira Smith, is @someone with you?"]


async def test_the_next_bearer_of_a_forgotten_name_is_nobodys_double(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.apply(community_id, [Audit(by="<@501>", what="pause: Bo is paused.", at=START)])
        await forget(write.personal, community_id, MIRA, LATER)
        await write.people.put(community_id, person("mira", 666))
        data = await written_down(write.personal, community_id, Snowflake(666), Readable(rooms=frozenset({ROOM})))
        assert data["changes_made"] == []
        assert [one.by for one in await write.logs.audit(community_id)] == ["someone"]


async def test_logs_show_the_name_that_somebody_has_now(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.apply(community_id, [*traces(), learnt({}, "tea", by="<@501>")])
        await write.people.put(community_id, person("mira_two"))
        newest, entry, *_ = await write.logs.audit(community_id)
        assert (entry.by, entry.what) == ("The Architect (@mira_two)", "set_muted: Agents ignore @mira_two.")
        assert newest.by == "@mira"  # as it was written down once
        assert {one.by for one in await write.logs.journal(community_id, OTHER)} == {"@mira_two"}
        for view in (
            await write.views.whole(community_id),
            await write.views.glance(community_id, agent_ids=[ROOM], messages=0),
        ):
            assert view.agents[ROOM].paused_reason == "paused by The Architect (@mira_two)"


async def test_a_knock_of_a_forgotten_person_is_cancelled(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.apply(community_id, [*traces(), *knock()])
        await forget(write.personal, community_id, MIRA, LATER)
    async with store.database.reading() as connection:
        [row] = (await connection.execute(text("SELECT state, requester_person_id FROM requests"))).all()
    assert tuple(row) == (RequestState.CANCELLED, MIRA)


async def test_a_forgotten_person_leaves_the_names_of_threads(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        named = {"thread_id": Snowflake(55), "thread_name": "why @mira left"}
        await write.talk.add(community_id, [said("theirs", 2, sender=WREN, **named)])
        assert (await forget(write.personal, community_id, MIRA, LATER)).texts == 1
        (line,) = await write.talk.history(community_id, ROOM)
    assert (line.content, line.thread_name) == ("theirs", "why @someone left")


async def test_a_forgotten_person_leaves_the_names_of_private_threads_and_nobody_else_does(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        named = await write.rooms.add_thread(community_id, ROOM, Snowflake(77), name="why @mira left", at=START)
        other = await write.rooms.add_thread(community_id, ROOM, Snowflake(78), name="@miranda, mira", at=START)
        assert (await forget(write.personal, community_id, MIRA, LATER)).texts == 1
    async with store.database.reading() as connection:
        asked = text("SELECT id, thread_name FROM rooms WHERE thread_of IS NOT NULL")
        names = {row.id: row.thread_name for row in await connection.execute(asked)}
    assert names == {named: "why @someone left", other: "@miranda, mira"}


async def test_a_forgotten_person_does_not_come_back(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.talk.add(community_id, [said("mine"), said("theirs", 2, sender=WREN)])
        await forget(write.personal, community_id, MIRA, LATER)
    async with store.writing(community_id) as write:
        assert await write.talk.add(community_id, [said("mine")]) == [None]
        edit: dict[str, Any] = {"content": "mine, edited", "edited_at": LATER, "tokens": 3}
        assert await write.talk.edit(community_id, Snowflake(1001), **edit) is None
        await write.people.put(community_id, person("mira"))
        assert (await forget(write.personal, community_id, MIRA, LATER)).names == ()
    await store.gone_for_good()
    assert "mine" not in await everything(store)
    assert "mira" not in await everything(store)


async def test_a_person_gets_what_they_said_and_did_where_they_may_read(
    store: SqlStore, community_id: CommunityId
) -> None:
    thread = Snowflake(77)
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        heard = [
            said("mine"),
            said("about @mira", 2, sender=WREN),
            said("behind the door", 3, room_id=OTHER),
            said("in a thread", 4, thread_id=thread),
        ]
        await write.talk.add(community_id, heard)
        hidden = learnt({"mira": "a secret"}, "door.code", by="<@501>", side=Side(2))
        behind = React(message_id=MessageId(3), emoji="heart", emotion=Emotion.HEART, reactor=by_person(), at=START)
        await write.apply(community_id, [*traces(), *knock(), hidden, behind])
        assert await write.personal.threads(community_id, MIRA) == [thread]
        data = await written_down(write.personal, community_id, MIRA, Readable(rooms=frozenset({ROOM})))
        more = await written_down(
            write.personal, community_id, MIRA, Readable(rooms=frozenset({ROOM}), threads=frozenset({thread}))
        )
    counts = {name: len(value) if isinstance(value, list) else value for name, value in data.items()}
    assert counts | {"person": None} == {
        "person": None,
        "usernames": 1,
        "messages": 1,
        "attachments": 0,
        "reactions": 1,
        "where_you_may_not_read": {"messages": 2, "reactions": 1},
        "access_requests": 1,
        "keys_that_did_not_open": 1,
        "beats_caused": 1,
        "changes_made": 1,
        "scenes": 0,
        "knowledge_changed": 1,
    }
    for words in ("secret", "behind the door", "in a thread", "door.code", "about @mira", "earlier", "for Mira", "HUD"):
        assert words not in str(data)
    assert data["changes_made"] == [{"at": "2026-11-20T10:00:00+00:00", "agent_id": None, "what": "set_muted"}]
    assert "in a thread" in str(more)
