"""What is deleted is gone everywhere, and does not come back."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.core.changes import (
    AddCheckpoint,
    AddLetter,
    AddLookup,
    AddMembership,
    Change,
    EndBeat,
    React,
    RecordAction,
    RemoveMembership,
    Say,
    SetFocus,
    SetKnowledge,
    UpdateMembership,
)
from bot.core.keeping import Readable
from bot.core.kinds import Emotion, LetterKind, LetterState
from bot.core.letters import NoticePayload
from bot.core.records import (
    PUBLIC_SIDE,
    ActionRecord,
    AgentId,
    BeatId,
    Checkpoint,
    CheckpointId,
    CommunityId,
    Focus,
    Json,
    Lookup,
    MessageId,
    Snowflake,
)
from storage import talking
from storage.index_purging import MOST_PAGES, SLICE_SECONDS, Purger, Slice, purge_index
from storage.owed import debts_in
from storage.session import Session
from storage.store import SqlStore
from storage.talking import indexed
from tests.factories import by_agent, by_person, membership, person
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import forget, hear, kept_beats, last_beat, said, written_down
from tests.storage.test_beats import beat

ROOM, OTHER = AgentId(1), AgentId(2)
LATER = START + timedelta(days=1)


def summary(id: int, first: int, last: int) -> AddCheckpoint:
    return AddCheckpoint(
        checkpoint=Checkpoint(
            id=CheckpointId(id),
            room_id=ROOM,
            first_message_id=MessageId(first),
            last_message_id=MessageId(last),
            text="they spoke of @mira's lighthouse",
            created_at=START,
        )
    )


async def test_a_deletion_that_comes_first_leaves_a_tombstone(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        assert await write.talk.delete(community_id, [Snowflake(1001)], START) == 0
        assert await hear(write.talk, community_id, said("gone before it came")) is None
        assert await write.talk.history(community_id, ROOM) == []


async def test_a_deleted_post_leaves_the_answer_in_which_its_agent_said_it(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        number, began = MessageId(write.ids.take("message")), START - timedelta(seconds=3)
        words = Say(
            message_id=number,
            room_id=ROOM,
            sender=by_agent(1),
            content="my pin is 4711",
            sent_at=START,
            beat_id=BeatId(1),
        )
        answers = [EndBeat(beat=beat(id, at=began, answer="my pin is 4711")) for id in (1, 2)]
        await write.apply(community_id, [words, *answers])
        (letter,) = await write.letters.due(LATER, limit=1)
        await write.letters.move(community_id, letter.id, LetterState.SENT, posted_as=[Snowflake(77)], at=START)
    async with store.writing(community_id) as write:
        assert await write.talk.delete(community_id, [Snowflake(77)], LATER) == 1
    async with store.reading() as read:
        kept = {one.id: one.answer for one in await kept_beats(read.beats, community_id, ROOM, limit=5)}
    assert kept == {1: "", 2: "my pin is 4711"}


async def test_a_deleted_message_leaves_search_huds_summaries_and_counts(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("the lighthouse", 1), said("something else", 2)])
        lookup = AddLookup(agent_id=ROOM, side=PUBLIC_SIDE, lookup=Lookup(question="?", answer="the lighthouse"))
        kept: list[Change] = [
            summary(1, 1, 1),
            summary(2, 2, 2),
            lookup,
            EndBeat(beat=beat(write.ids.take("beat"))),
            EndBeat(beat=beat(write.ids.take("beat"), agent_id=OTHER)),
        ]
        await write.apply(community_id, kept)
    async with store.writing(community_id) as write:
        assert await write.talk.delete(community_id, [Snowflake(1001), Snowflake(1001)], START) == 1
    async with store.reading() as read:
        assert await read.talk.search(community_id, "lighthouse", room_ids=[ROOM]) == []
        assert [
            one.id for one in await read.summaries.of_room(community_id, ROOM)
        ] == []  # the later one carries it over
        seen, unseen = await last_beat(read.beats, community_id, ROOM), await last_beat(read.beats, community_id, OTHER)
        view = await read.views.whole(community_id, agent_ids=[ROOM], minds=None)
    assert seen is not None
    assert unseen is not None
    assert (seen.hud, seen.answer, seen.thoughts) == ("", "", "")
    assert unseen.hud
    assert view.mind_of(ROOM).lookups == ()
    assert [message.content for message in view.rooms[ROOM].messages] == ["something else"]
    assert view.rooms[ROOM].older == 0


WATCHED = "the lighthouse is at the end of the pier"


async def repeated(store: SqlStore, community_id: CommunityId, *, first: str = WATCHED) -> None:
    """Let something be said, and be repeated wherever it can be."""
    note = ActionRecord(type="hud_note", at=START, parameters={"text": f"she said {first}"}, accepted=True)
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(first, 1), said("something else", 2)])
        changes: list[Change] = [
            summary(1, 1, 1),
            AddLookup(agent_id=ROOM, side=PUBLIC_SIDE, lookup=Lookup(question="?", answer=first)),
            SetFocus(
                agent_id=ROOM, side=PUBLIC_SIDE, focus=Focus(active_files=("https://a.example", "https://b.example"))
            ),
            RecordAction(agent_id=ROOM, side=PUBLIC_SIDE, record=note),
            AddLetter(
                kind=LetterKind.NOTICE,
                room_id=ROOM,
                payload=NoticePayload(text=f"> {first}").stored(),
                not_before=LATER,
            ),
            EndBeat(beat=beat(write.ids.take("beat"))),
        ]
        await write.apply(community_id, changes)


async def edit(store: SqlStore, community_id: CommunityId, content: str, seconds: int = 60) -> None:
    async with store.writing(community_id) as write:
        at = START + timedelta(seconds=seconds)
        await write.talk.edit(community_id, Snowflake(1001), content=content, edited_at=at, tokens=3)


async def left_of(store: SqlStore, community_id: CommunityId) -> dict[str, object]:
    """Give where there is still something that was made of it."""
    await store.gone_for_good()
    async with store.reading() as read:
        seen = await last_beat(read.beats, community_id, ROOM)
        mind = (await read.views.whole(community_id, agent_ids=[ROOM], minds=None)).mind_of(ROOM)
        return {
            "hud": seen is not None and bool(seen.hud),
            "summaries": len(await read.summaries.of_room(community_id, ROOM)),
            "lookups": len(mind.lookups),
            "actions": str([one.parameters for one in mind.recent_actions]),
            "letters": len(await read.letters.due(LATER, limit=5)),
            "files": list(mind.focus.active_files),
        }


async def test_what_was_made_of_words_that_are_changed_goes_as_if_they_were_deleted(
    store: SqlStore, community_id: CommunityId
) -> None:
    await repeated(store, community_id, first=f"{WATCHED} https://a.example and https://b.example")
    await edit(store, community_id, "it is nowhere, see https://b.example")
    assert await left_of(store, community_id) == {
        "hud": False,
        "summaries": 0,
        "lookups": 0,
        "actions": "[{'text': '(deleted)'}]",
        "letters": 0,
        "files": ["https://b.example"],
    }
    async with store.reading() as read:
        first = (await read.talk.history(community_id, ROOM))[0]
        found = [one.id for one, _ in await read.talk.search(community_id, "nowhere", room_ids=[ROOM])]
        assert await read.talk.search(community_id, "lighthouse", room_ids=[ROOM]) == []
    assert (first.content, found) == ("it is nowhere, see https://b.example", [first.id])


async def test_words_that_still_stand_in_a_changed_message_take_nothing_back(
    store: SqlStore, community_id: CommunityId
) -> None:
    await repeated(store, community_id)
    before = await left_of(store, community_id)
    await edit(store, community_id, WATCHED, 60)
    await edit(store, community_id, f"{WATCHED}, I think", 61)
    assert await left_of(store, community_id) == before
    assert before["hud"]


async def test_a_second_change_does_not_keep_what_the_first_took_back(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Purger, "start", lambda purger: None)
        await repeated(store, community_id)
        await edit(store, community_id, "never mind, all of you", 60)
        await edit(store, community_id, "forget what I wrote", 61)
        async with store.writing(community_id) as write:
            await write.talk.delete(community_id, [Snowflake(1001)], START)
        async with store.database.reading() as connection:
            owed = [words for debt in (await debts_in(Session(connection))).values() for words in debt.said]
    assert owed == ["forget what I wrote", WATCHED, "never mind, all of you"]


async def test_a_deleted_message_leaves_the_huds_of_an_agent_that_left_the_room(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("the lighthouse"))
        joined = AddMembership(membership=membership(2, 1))
        await write.apply(community_id, [joined, EndBeat(beat=beat(write.ids.take("beat"), agent_id=OTHER))])
        await write.apply(community_id, [RemoveMembership(agent_id=OTHER, room_id=ROOM)])
    async with store.writing(community_id) as write:
        await write.talk.delete(community_id, [Snowflake(1001)], START)
        seen = await last_beat(write.beats, community_id, OTHER)
    assert seen is not None
    assert seen.hud == ""


async def test_a_message_of_ours_that_is_deleted_takes_its_letter_with_it(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        id = MessageId(write.ids.take("message"))
        say = Say(message_id=id, room_id=ROOM, sender=by_agent(1), content="long", sent_at=START)
        await write.apply(community_id, [say])
        (letter,) = await write.letters.due(LATER, limit=5)
        await write.letters.move(
            community_id, letter.id, LetterState.SENDING, posted_as=[Snowflake(50), Snowflake(51)], at=START
        )
        assert await write.talk.delete(community_id, [Snowflake(51)], START) == 1
        assert await write.letters.due(LATER, limit=5) == []
        assert await write.talk.by_id(community_id, [id]) == {}
        assert await write.talk.find(community_id, Snowflake(50)) is None


def contents_of(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.iterdir()]


async def test_the_words_of_a_deleted_message_are_not_in_the_file_any_more(tmp_path: Path) -> None:
    path = tmp_path / "selfroom.db"
    async with await SqlStore.open(f"sqlite:///{path}") as store:
        community_id = await founded(store, 1)
        for number in range(40):
            async with store.writing(community_id) as write:
                secret = " xylophonequartz" if number == 20 else ""
                await hear(write.talk, community_id, said(f"line {number} of many words{secret}", number))
        async with store.writing(community_id) as write:
            await write.talk.delete(community_id, [Snowflake(1020)], START)
        while not await purge_index(store.database):
            pass
    assert b"xylophonequartz" not in b"".join(contents_of(tmp_path))


async def test_nobody_has_to_wait_while_words_leave_the_file(tmp_path: Path) -> None:
    async with await SqlStore.open(f"sqlite:///{tmp_path / 'selfroom.db'}") as store:
        community_id = await founded(store, 1)
        async with store.writing(community_id) as write:
            await hear(write.talk, community_id, said("a word"))
        async with store.reading() as read:
            assert await read.talk.find(community_id, Snowflake(1001)) is not None
            async with store.writing(community_id) as write:
                await write.talk.delete(community_id, [Snowflake(1001)], START)
            assert not await purge_index(store.database)  # its log is in use, which is found out at once
            async with store.writing(community_id) as write:
                await hear(write.talk, community_id, said("another word", 2))
        while not await purge_index(store.database):
            pass
        assert (tmp_path / "selfroom.db-wal").stat().st_size < 100_000


async def test_all_of_a_room_goes_with_its_channel(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("here"), said("there", 2, room_id=OTHER)])
        assert await write.talk.delete_room(community_id, ROOM, START) == 1
        assert await hear(write.talk, community_id, said("here")) is None
        assert [message.content for message in await write.talk.history(community_id, OTHER)] == ["there"]


async def test_an_agent_deleted_for_good_leaves_its_id_used(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [AddMembership(membership=membership(1, 3))])
        await hear(write.talk, community_id, said("in its room", room_id=AgentId(3)))
        await write.agents.delete(community_id, AgentId(3), START)
    async with store.writing(community_id) as write:
        view = await write.views.whole(community_id, agent_ids=[ROOM], minds=None)
        assert AgentId(3) not in view.agents
        assert view.rooms.keys() == {ROOM}
        assert await write.talk.search(community_id, "room", room_ids=[AgentId(3)]) == []
        assert write.ids.take("agent") == 4


async def test_a_forgotten_person_leaves_nothing_but_an_id(store: SqlStore, community_id: CommunityId) -> None:
    wren = by_person("wren", 502)
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.talk.add(community_id, [said("my lighthouse"), said("hi @Mira, @miranda", 2, sender=wren)])
        knows: dict[str, Json] = {"people": {"@mira": {"trust": 0.8}}}
        await write.apply(
            community_id,
            [
                React(message_id=MessageId(2), emoji="heart", emotion=Emotion.HEART, reactor=by_person(), at=START),
                summary(1, 2, 2),
                EndBeat(beat=beat(1, hud="[1 10:00] @mira: my lighthouse", at=START)),
                EndBeat(beat=beat(2, hud="nobody", agent_id=OTHER, at=START)),
                SetKnowledge(
                    agent_id=OTHER,
                    side=PUBLIC_SIDE,
                    knowledge=knows,
                    path="people.@mira",
                    before=None,
                    after=1,
                    by="<@501>",
                    at=START,
                ),
            ],
        )
    async with store.writing(community_id) as write:
        forgotten = await forget(write.personal, community_id, Snowflake(501), LATER)
    assert (forgotten.messages, forgotten.names, forgotten.agents) == (1, ("mira",), (OTHER,))
    await store.gone_for_good()
    async with store.writing(community_id) as write:
        (left,) = await write.talk.history(community_id, ROOM)
        assert (left.content, left.reactions) == ("hi @someone, @miranda", ())
        assert await write.talk.search(community_id, "lighthouse", room_ids=[ROOM]) == []
        assert await write.summaries.of_room(community_id, ROOM) == []
        assert [(one.path, one.by) for one in await write.logs.journal(community_id, OTHER)] == [
            ("people.@someone", "someone")
        ]
        seen, unseen = (
            await last_beat(write.beats, community_id, ROOM),
            await last_beat(write.beats, community_id, OTHER),
        )
        assert (seen is not None and seen.hud, unseen is not None and unseen.hud) == ("", "nobody")
        assert await hear(write.talk, community_id, said("my lighthouse")) is None
        await write.people.put(community_id, person("mira"))
        again = await write.people.find(community_id, Snowflake(501))
        data = await written_down(write.personal, community_id, Snowflake(501), Readable(rooms=frozenset({ROOM})))
    assert again is not None
    assert (again.username, again.display_name, again.ignored) == ("", "", True)
    assert (data["messages"], data["reactions"]) == ([], [])


async def test_a_person_can_have_all_that_is_stored_of_them(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        await write.talk.add(community_id, [said("mine"), said("not mine", 2, sender=by_person("wren", 502))])
    async with store.reading() as read:
        data = await written_down(read.personal, community_id, Snowflake(501), Readable(rooms=frozenset({ROOM})))
    assert isinstance(data["messages"], list)
    assert [line["content"] for line in data["messages"] if isinstance(line, dict)] == ["mine"]


async def test_old_messages_go_when_they_are_outside_every_window(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"line {number}", number) for number in range(1, 251)])
        window = UpdateMembership(agent_id=ROOM, room_id=ROOM, fields={"window_start": MessageId(31)})
        await write.apply(community_id, [window, summary(1, 1, 40), EndBeat(beat=beat(1, at=START))])
        gone = await write.upkeep.forget(community_id, messages_before=LATER, huds_before=LATER, logs_before=LATER)
        assert gone == 30
        assert [one.id for one in await write.summaries.of_room(community_id, ROOM)] == [1]
        old = await last_beat(write.beats, community_id, ROOM)
        assert old is not None
        assert (old.hud, old.outcome) == ("", ("said something",))
        assert await write.upkeep.forget(community_id, messages_before=START, huds_before=START, logs_before=START) == 0
        assert len(await write.talk.search(community_id, "line", room_ids=[ROOM], limit=500)) == 220


async def test_more_can_be_deleted_at_once_than_a_statement_takes_values(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("hello", 32_999))
        ids = [Snowflake(1_000 + number) for number in range(33_000)]
        assert await write.talk.delete(community_id, ids, START) == 1
        assert await hear(write.talk, community_id, said("hello", 20_000)) is None


def test_as_much_of_the_index_is_merged_at_a_time_as_the_machine_does_in_time() -> None:
    part = Slice()
    for _ in range(20):
        part.took(0.0001 * part.pages)
    assert 0.0001 * part.pages <= 2 * SLICE_SECONDS
    part.took(20 * SLICE_SECONDS)
    assert part.pages < MOST_PAGES / 10
    for _ in range(20):
        part.took(1.0)
    assert part.pages == 1
    for _ in range(20):
        part.took(0)
    assert part.pages == MOST_PAGES


async def test_others_have_their_turn_while_the_words_of_much_that_is_deleted_leave_the_index(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("é " * 1_000, number) for number in range(1, 31)])
    at_once, most = 0, 0

    def counted(message_id: int, room_id: int, content: str) -> tuple[int, int, str]:
        nonlocal at_once, most
        at_once += len(content)
        most = max(most, at_once)
        return indexed(message_id, room_id, content)

    async def others() -> None:
        nonlocal at_once
        while True:
            at_once = 0
            await asyncio.sleep(0)

    monkeypatch.setattr(talking, "indexed", counted)
    beside = asyncio.create_task(others())
    async with store.writing(community_id) as write:
        assert await write.talk.delete(community_id, [Snowflake(1_000 + one) for one in range(1, 31)], START) == 30
    beside.cancel()
    await asyncio.gather(beside, return_exceptions=True)
    assert 2_000 <= most <= talking.CHARACTERS_AT_A_TIME
