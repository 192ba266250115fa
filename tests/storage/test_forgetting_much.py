"""However much there is, one person's wish to be forgotten holds nobody else up."""

import tracemalloc
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.core.changes import Change, EndBeat
from bot.core.errors import BadSetting
from bot.core.keeping import ForgetReport, Readable
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Attachment, CommunityId, Snowflake
from bot.core.scenes.records import SceneEvent
from storage import forgetting, inline, personal
from storage.columns import to_json
from storage.forgetting import MESSAGES_AT_ONCE
from storage.names import called_here
from storage.owed import work_off
from storage.scenes import TEXTS_AT_ONCE
from storage.session import Rows, Session
from storage.store import SqlStore
from storage.tables import BEATS, EVENTS, NAMES
from tests.factories import by_person, person
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import forget, kept_beats, said, written_down
from tests.storage.scenes import a_council
from tests.storage.test_beats import beat

ROOM, MIRA = AgentId(1), Snowflake(501)
WREN = by_person("wren", 502)
NOTE = Attachment(name="a.txt", media_type="text/plain", size_bytes=9, url="https://x.example/a", text="leaves")
COUNT = 2 * MESSAGES_AT_ONCE + 3


async def filled(store: SqlStore, community_id: CommunityId) -> None:
    """Give the community more lines and stored HUDs that name her than are looked through at once."""
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", 501))
        await write.talk.add(
            community_id, [said(f"{number} thanks @mira", number, sender=WREN) for number in range(COUNT)]
        )
        beats: list[Change] = [
            EndBeat(beat=beat(number + 1, hud=f"{number} @mira spoke", answer="", thoughts=""))
            for number in range(COUNT)
        ]
        await write.apply(community_id, beats)


async def test_whatever_may_touch_any_number_of_rows_is_done_off_the_loop(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not store.database.is_sqlite:
        pytest.skip("PostgreSQL works elsewhere")
    await filled(store, community_id)
    at_once: list[object] = []
    judge = inline.is_short

    def noting(args: tuple[object, ...]) -> bool:
        if short := judge(args):
            at_once.append(args)
        return short

    async with store.writing(community_id) as write:
        monkeypatch.setattr(inline, "is_short", noting)
        await forget(write.personal, community_id, MIRA, START)
        assert at_once == []
        await write.people.put(community_id, person("ann", 503))
        assert at_once, "what comes after is done at once again"
        monkeypatch.setattr(inline, "is_short", judge)


async def test_a_file_of_what_one_person_said_is_never_larger_than_can_be_held(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal, "LARGEST_FILE", 20_000)
    async with store.writing(community_id) as write:
        lines = [said("word " * 200, number, attachments=(NOTE,)) for number in range(COUNT)]
        await write.talk.add(community_id, lines)
    async with store.reading() as read:
        data = await written_down(
            read.personal, community_id, MIRA, Readable(rooms=frozenset({ROOM}), threads=frozenset())
        )
    assert 10_000 < len(to_json(data)) < 30_000
    assert isinstance(data["messages"], list)
    left_out = data["more_than_fits_into_a_file"]
    assert left_out == {"messages": COUNT - len(data["messages"]), "attachments": COUNT}
    assert data["where_you_may_not_read"] == {"messages": 0, "reactions": 0}


async def test_a_large_file_of_one_person_is_never_held_whole(store: SqlStore, community_id: CommunityId) -> None:
    long = replace(NOTE, text="word " * 20_000)
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("word " * 200, number, attachments=(long,)) for number in range(60)])
    length = 0

    def wrote(text: str) -> None:
        nonlocal length
        length += len(text)

    tracemalloc.start()
    async with store.reading() as read:
        await read.personal.write_down(community_id, MIRA, Readable(rooms=frozenset({ROOM})), wrote)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert length > 3_800_000
    assert most < length


async def carried_on(store: SqlStore, community_id: CommunityId, most: int = 10_000) -> ForgetReport | None:
    """Forget her on in a transaction after the other, so many at most; gives what went if that was all."""
    for _ in range(most):
        async with store.writing(community_id) as write:
            if (gone := await write.personal.forget_on(community_id, MIRA)) is not None:
                return gone
    return None


async def test_words_in_a_long_scene_go_in_short_turns(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", 501))
        scene = await a_council(write, community_id)
        spoken = [
            SceneEvent(id=number, step=number, kind="text", text="tea", seat=3, number=number, at=START)
            for number in range(10, 10 + COUNT)
        ]
        await write.scenes.tell(community_id, scene.id, spoken)
        turns = [beat(number + 1, reason=ReasonKind.TURN, scene_id=scene.id, hud="tea") for number in range(COUNT)]
        await write.apply(community_id, [EndBeat(beat=one) for one in turns])
        await write.personal.begin_forgetting(community_id, MIRA, START)
    changed: list[int] = []
    asked = Session.run

    async def counting(session: Session, statement: Any, values: Any = None) -> int:  # noqa: ANN401
        rows = await asked(session, statement, values)
        table = getattr(statement, "table", None)
        changed.append(rows if table is EVENTS or table is BEATS else 0)
        return rows

    monkeypatch.setattr(Session, "run", counting)
    gone, longest = None, 0
    while gone is None:
        gone = await carried_on(store, community_id, 1)
        longest = max(longest, sum(changed))
        changed.clear()
    assert 0 < longest <= TEXTS_AT_ONCE
    async with store.reading() as read:
        texts = [one.text for one in await read.scenes.events(community_id, scene.id) if one.seat == 3]
        assert texts == [None] * (COUNT + 1)
        kept = await kept_beats(read.beats, community_id, ROOM, limit=COUNT)
        assert {one.hud for one in kept} == {""}
        left = await read.scenes.find(community_id, scene.id)
    assert left is not None and [one.person_id for one in left.seats] == [None] * 3


async def test_no_transaction_touches_more_than_a_few_rows(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "LOOKED_THROUGH", 20)
    await filled(store, community_id)
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"mine {number}", 1_000 + number) for number in range(COUNT)])
        await write.personal.begin_forgetting(community_id, MIRA, START)
    changed: list[int] = []
    asked = Session.run

    async def counting(session: Session, statement: Any, values: Any = None) -> int:  # noqa: ANN401
        rows = await asked(session, statement, values)
        changed.append(rows)
        return rows

    monkeypatch.setattr(Session, "run", counting)
    turns: list[int] = []
    gone = None
    while gone is None:
        gone = await carried_on(store, community_id, 1)
        turns.append(sum(changed))
        changed.clear()
    assert (gone.messages, gone.texts) == (COUNT, COUNT)
    assert len(turns) > COUNT // MESSAGES_AT_ONCE + COUNT // 20
    assert max(turns) < 12 * MESSAGES_AT_ONCE


async def test_no_transaction_looks_through_all_that_was_said(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "LINES_LOOKED_THROUGH", 20)
    await filled(store, community_id)
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("mine", 1_000 + number) for number in range(3)])
    looked_at: list[int] = []
    asked = Session.rows

    async def counting(session: Session, statement: Any, values: Any = None) -> Rows:  # noqa: ANN401
        rows = await asked(session, statement, values)
        looked_at.append(len(rows) if "FROM messages" in str(statement) else 0)
        assert "FROM messages" not in str(statement) or "LIMIT" in str(statement) or "messages.id IN" in str(statement)
        return rows

    async with store.reading() as read:
        called = await read.personal.called(community_id, MIRA)
    monkeypatch.setattr(Session, "rows", counting)
    async with store.writing(community_id) as write:
        await write.personal.begin_forgetting(community_id, MIRA, START, called=called)
    gone = await carried_on(store, community_id)
    assert gone is not None
    assert gone.messages == 3
    assert sum(looked_at) > COUNT


def bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_what_was_begun_goes_on_after_a_restart_and_is_said_whole(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'selfroom.db'}"
    async with await SqlStore.open(url) as store:
        community_id = await founded(store, 1)
        await filled(store, community_id)
        async with store.writing(community_id) as write:
            await write.talk.add(community_id, [said("mine alone", 1_000)])
            await write.personal.begin_forgetting(community_id, MIRA, START)
        assert await carried_on(store, community_id, 4) is None
    async with await SqlStore.open(url) as store:
        with pytest.raises(BadSetting, match="being forgotten"):
            await store.export(community_id, tmp_path / "half.zip")
        async with store.reading() as read:
            assert await read.personal.forgetting() == [(community_id, MIRA)]
            known = await read.people.find(community_id, MIRA)
        assert known is not None
        assert (known.username, known.ignored) == ("", True), "nothing of her comes in meanwhile"
        gone = await carried_on(store, community_id)
        assert gone is not None
        assert (gone.messages, gone.texts, gone.names) == (1, COUNT, ("mira",))
        async with store.reading() as read:
            assert await read.personal.forgetting() == []
        assert await store.gone_for_good()
    assert b"@mira" not in bytes_in(tmp_path)


@pytest.mark.parametrize("what", ["a room", "a thread", "an export"])
async def test_much_that_goes_or_is_asked_for_at_once_is_worked_off_the_loop(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    if not store.database.is_sqlite:
        pytest.skip("PostgreSQL works elsewhere")
    thread = Snowflake(77)
    async with store.writing(community_id) as write:
        lines = [said(str(number), number, thread_id=thread) for number in range(COUNT)]
        await write.talk.add(community_id, [*lines, said("outside", COUNT)])
    on_loop: list[str] = []
    judge = inline.is_short

    def noting(args: tuple[object, ...]) -> bool:
        if short := judge(args):
            on_loop.append(str(args[0]))
        return short

    async with store.writing(community_id) as write:
        monkeypatch.setattr(inline, "is_short", noting)
        if what == "an export":
            data = await written_down(write.personal, community_id, MIRA, Readable(rooms=frozenset({ROOM})))
            assert data["where_you_may_not_read"] == {"messages": COUNT, "reactions": 0}
        else:
            gone = await write.talk.delete_room(community_id, ROOM, START, thread_id=thread if "th" in what else None)
            assert gone == COUNT + (what == "a room")
        assert [one for one in on_loop if "messages" in one] == []
        monkeypatch.setattr(inline, "is_short", judge)


async def test_a_beat_that_was_under_way_while_somebody_was_forgotten_keeps_nothing_of_what_it_saw(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", 501))
        await write.talk.add(community_id, [said("mine alone", 1)])
        await write.personal.begin_forgetting(community_id, MIRA, START)
        under_way = write.ids.take("beat")
    assert await carried_on(store, community_id) is not None
    await work_off(store.database)
    later = START + timedelta(minutes=5)
    async with store.writing(community_id) as write:
        seen = beat(under_way, at=later, hud="mira: mine alone", answer="mine alone", thoughts="mine alone")
        begun_after = beat(write.ids.take("beat"), at=later, hud="nobody is here")
        await write.apply(community_id, [EndBeat(beat=seen), EndBeat(beat=begun_after)])
    async with store.reading() as read:
        huds = [one.hud for one in await kept_beats(read.beats, community_id, ROOM, limit=2)]
    assert huds == ["nobody is here", ""]


@pytest.mark.slow
async def test_one_who_had_more_names_than_a_statement_takes_is_forgotten_all_the_same(
    store: SqlStore, community_id: CommunityId
) -> None:
    """An archive of the command line may bring any number."""
    async with store.writing(community_id) as write:
        names = [
            {"community_id": community_id, "name": f"mira-{at}", "bearer": f"person:{MIRA}"} for at in range(1_500)
        ]
        names.append({"community_id": community_id, "name": "mira-7", "bearer": "person:502"})
        names.append({"community_id": community_id, "name": "mira-8 of the hill", "bearer": "person:502"})
        await write.session.run(write.session.insert(NAMES), names)
        await write.people.put(community_id, person("mira", 501))
    async with store.reading() as read:
        called = await called_here(read.session, community_id, MIRA)
    assert len(called.names) == 1_501
    assert called.shared == {"mira-7"}
    assert called.longer == {"mira-7", "mira-8 of the hill"}
    async with store.writing(community_id) as write:
        await forget(write.personal, community_id, MIRA, START)
    async with store.reading() as read:
        assert (await called_here(read.session, community_id, MIRA)).names == ()


async def test_of_very_many_threads_the_newest_are_told(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal, "MOST_THREADS", 3)
    async with store.writing(community_id) as write:
        lines = [said("here", number, thread_id=Snowflake(9_000 + number)) for number in range(7)]
        await write.talk.add(community_id, lines)
    who = lines[0].sender.person_id
    assert who is not None
    async with store.reading() as read:
        assert await read.personal.threads(community_id, who) == [9_006, 9_005, 9_004]
