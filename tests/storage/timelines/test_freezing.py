"""What comes into a base, and what stays behind, from both databases; and how far a community is taken back."""

import asyncio
import gc
import tracemalloc
import zlib
from collections import Counter
from datetime import timedelta
from errno import ENOSPC
from os import listdir
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core import knowledge
from bot.core.changes import (
    AddKey,
    Audit,
    Change,
    EndBeat,
    JournalPlan,
    RecordAction,
    RoomColumns,
    SetFocus,
    SetKnowledge,
    UpdateRoom,
)
from bot.core.errors import NotFound, Rejected, StoreError
from bot.core.kinds import Visibility
from bot.core.records import (
    PUBLIC_SIDE,
    AccessKey,
    ActionRecord,
    AgentId,
    CommunityId,
    Focus,
    Json,
    KeyId,
    Plan,
    PlanItem,
    Side,
    Snowflake,
)
from bot.core.scenes.records import SceneStatus
from bot.core.timelines.records import ROOT, AtMessage, AtStep, AtTime, Cut, Image
from storage.database import Database, database_url
from storage.private import UNFINISHED
from storage.session import Session
from storage.store import SqlStore
from storage.timelines import freezing
from storage.timelines.deltas import Row
from storage.timelines.past import before_change
from storage.timelines.trees import SqlTrees
from tests.factories import person
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import said
from tests.storage.scenes import a_council
from tests.storage.test_beats import beat
from tests.storage.timelines.orchard import a_tree, all_rows, thawed

ROOM = AgentId(1)
NOW = START + timedelta(hours=5)


@pytest.fixture
async def community_id(store: SqlStore) -> CommunityId:
    """Agents 1, 2 and 3 are in room 1; agent 4 lives elsewhere."""
    return await founded(store, 4, guests=((2, 1), (3, 1)))


async def apply(store: SqlStore, community_id: CommunityId, *changes: Change) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, changes)


async def talk(store: SqlStore, community_id: CommunityId, *numbers: int) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(f"word{number} is said", number) for number in numbers])


def rows(image: Image) -> dict[str, list[Row]]:
    with thawed(image).opened() as world:
        assert world.execute("PRAGMA foreign_key_check").fetchall() == []
        assert world.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return all_rows(world)


async def test_a_room_comes_with_who_is_in_it_and_nobody_else(store: SqlStore, community_id: CommunityId) -> None:
    await talk(store, community_id, 1, 2, 3)
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"), person("rob", 502))
    found = rows(await store.image(community_id, Cut(rooms=(ROOM,)), now=NOW))
    assert [row[1] for row in found["agents"]] == [1, 2, 3]
    assert len(found["messages"]) == 3
    assert [row[1] for row in found["people"]] == [501]


async def test_a_guest_brings_along_no_word_of_its_own_private_room(store: SqlStore, community_id: CommunityId) -> None:
    """Whoever reads room 1 may read what is said in a what-if of it, in the guests' own rooms there as well."""
    await talk(store, community_id, 1)
    for number, visibility in ((1, Visibility.PRIVATE), (2, Visibility.PRIVATE), (3, Visibility.PUBLIC)):
        fields: RoomColumns = {"topic": f"topic{number}", "billboard": f"code{number}", "visibility": visibility}
        await apply(store, community_id, UpdateRoom(room_id=AgentId(number), fields=fields))
    with thawed(await store.image(community_id, Cut(rooms=(ROOM,)), now=NOW)).opened() as world:
        found = world.execute("SELECT id, topic, billboard FROM rooms ORDER BY id").fetchall()
    assert found == [(1, "topic1", "code1"), (2, "", ""), (3, "topic3", "code3")]


async def test_no_more_is_frozen_than_a_world_may_take_of_the_disk(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("word " * 200, number) for number in range(1, 40)])
    monkeypatch.setattr(freezing, "MOST_CHARACTERS", 20_000)
    with pytest.raises(Rejected, match="choose fewer of them, or fewer messages"):
        await store.image(community_id, Cut(), now=NOW)
    few = rows(await store.image(community_id, Cut(newest_messages=2), now=NOW))
    assert len(few["messages"]) == 2


@pytest.mark.long
async def test_only_pieces_of_what_is_frozen_and_kept_are_in_memory(tmp_path: Path) -> None:
    async with await SqlStore.open(f"sqlite:///{tmp_path}/live.db") as store:
        community_id, drawn = await founded(store), Random(1)  # noqa: S311
        for first in range(0, 1_500, 100):
            async with store.writing(community_id) as write:
                lines = [said(drawn.randbytes(2_000).hex(), number) for number in range(first, first + 100)]
                await write.talk.add(community_id, lines)
        trees = SqlTrees(tmp_path / "timelines")
        await store.image(community_id, Cut(newest_messages=1), now=NOW)  # what is kept of a first time is there now
        gc.collect()
        tracemalloc.start()
        try:
            image = await store.image(community_id, Cut(), now=NOW)
            tree = await trees.begin(a_tree(community_id), image)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert tree.bytes > 3_000_000
        assert peak < 2_000_000, "6 million characters were said, in half as many bytes"
        assert zlib.decompress(image.data).startswith(b"SQLite format 3")
        async with trees.look(tree.key, ROOT) as world, world.store.reading() as read:
            view = await read.views.whole(community_id, agent_ids=[ROOM], minds=None)
        assert view.rooms
        await trees.close()
    assert [name for name in listdir(tmp_path) if name.startswith(UNFINISHED)] == []


async def test_where_there_is_no_space_to_freeze_somebody_is_told(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(freezing, "TemporaryDirectory", full)
    with pytest.raises(StoreError, match="No space left on device"):
        await store.image(community_id, Cut(), now=NOW)


@pytest.mark.parametrize("rooms", [(ROOM,), ()])
async def test_private_threads_stay_behind(
    store: SqlStore, community_id: CommunityId, rooms: tuple[AgentId, ...]
) -> None:
    await talk(store, community_id, 1)
    async with store.writing(community_id) as write:
        thread = await write.rooms.add_thread(community_id, ROOM, Snowflake(77), name="a quiet word", at=START)
        await write.talk.add(community_id, [said("whispered", 2, room_id=thread)])
        kept: dict[str, Any] = {"knowledge": {"whispered": True}, "path": "whispered", "before": None, "after": True}
        known = SetKnowledge(agent_id=ROOM, side=Side(thread), by="itself", at=START, **kept)
        await write.apply(community_id, [known])
    found = rows(await store.image(community_id, Cut(rooms=rooms), now=NOW))
    assert "word1" in repr(found)
    assert "whisper" not in repr(found)
    assert "a quiet word" not in repr(found)
    with pytest.raises(NotFound, match="not there any more"):
        await store.image(community_id, Cut(rooms=(ROOM, thread)), now=NOW)


async def test_others_have_their_turn_while_much_that_was_known_is_unwound(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk(store, community_id, 1)
    whose: dict[str, Any] = {"agent_id": ROOM, "side": PUBLIC_SIDE, "path": "tea", "by": "itself", "at": NOW}
    changes = [SetKnowledge(knowledge={"tea": n}, before=n - 1, after=n, **whose) for n in range(1, 51)]
    await apply(store, community_id, *changes)
    turns, at_turn = 0, Counter[int]()

    def noted(whole: dict[str, Json], path: str, before: Json) -> dict[str, Json]:
        at_turn[turns] += 1
        return before_change(whole, path, before)

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    monkeypatch.setattr("storage.timelines.past.before_change", noted)
    working = asyncio.create_task(others())
    image = await store.image(community_id, Cut(rooms=(ROOM,), point=AtMessage(message_id=1)), now=NOW)
    working.cancel()
    assert sum(at_turn.values()) == len(changes)
    assert max(at_turn.values()) == 1
    past = SqlStore(Database(database_url("sqlite://"), thawed(image).copy_into), store.config)
    async with past, past.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[ROOM], minds=None)
    assert view.mind_of(ROOM, PUBLIC_SIDE).knowledge == {"tea": 0}


async def test_only_the_newest_messages_come(store: SqlStore, community_id: CommunityId) -> None:
    await talk(store, community_id, *range(1, 9))
    found = rows(await store.image(community_id, Cut(rooms=(ROOM,), newest_messages=3), now=NOW))
    assert [row[1] for row in found["messages"]] == [6, 7, 8]


async def test_nothing_that_opens_pays_or_waits_comes_along(store: SqlStore, community_id: CommunityId) -> None:
    await talk(store, community_id, 1)
    key = AccessKey(id=KeyId(1), room_id=ROOM, label="door", ciphertext=b"secret", digest=b"digest", created_at=START)
    await apply(store, community_id, AddKey(key=key), Audit(at=START, by="somebody", what="did it", agent_id=None))
    image = await store.image(community_id, Cut(), now=NOW)
    found = rows(image)
    assert b"secret" not in zlib.decompress(image.data)
    assert len(found["keys"]) == 1
    for name in ("providers", "letters", "audit", "usage", "reservations", "kept", "tombstones", "reasons"):
        assert found[name] == [], name


async def test_both_databases_give_the_same_base(store: SqlStore, community_id: CommunityId) -> None:
    await talk(store, community_id, 1, 2, 3)
    known = SetKnowledge(
        agent_id=ROOM,
        side=PUBLIC_SIDE,
        knowledge={"tea": "üß 😀"},
        path="tea",
        before=None,
        after=1,
        by="itself",
        at=START,
    )
    await apply(store, community_id, known)
    here = await store.image(community_id, Cut(rooms=(ROOM,)), now=NOW)
    async with await store.clone(community_id) as copy:
        there = await copy.image(community_id, Cut(rooms=(ROOM,)), now=NOW)
    assert rows(here) == rows(there)
    assert here.digest == there.digest


async def test_a_room_that_is_not_there_is_refused(store: SqlStore, community_id: CommunityId) -> None:
    with pytest.raises(NotFound, match="not there any more"):
        await store.image(community_id, Cut(rooms=(AgentId(77),)), now=NOW)
    with pytest.raises(NotFound, match="The point"):
        await store.image(community_id, Cut(rooms=(ROOM,), point=AtMessage(message_id=77)), now=NOW)


async def test_a_point_in_another_room_is_refused(store: SqlStore, community_id: CommunityId) -> None:
    await talk(store, community_id, 1)
    async with store.writing(community_id) as write:
        scene = await a_council(write, community_id, started_at=START)
    for point in (AtMessage(message_id=1), AtStep(scene_id=scene.id, step=1)):
        with pytest.raises(NotFound, match="The point"):
            await store.image(community_id, Cut(rooms=(AgentId(4),), point=point), now=NOW)


async def test_a_scene_that_began_later_is_not_there_yet(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await a_council(write, community_id, started_at=START + timedelta(minutes=5))
    point = AtTime(at=START + timedelta(minutes=1))
    found = rows(await store.image(community_id, Cut(rooms=(ROOM,), point=point), now=NOW))
    assert [found[name] for name in ("scenes", "scene_seats", "scene_moves", "scene_events")] == [[]] * 4


async def test_at_a_message_nothing_later_was_said(store: SqlStore, community_id: CommunityId) -> None:
    await talk(store, community_id, 1, 2, 3, 4)
    image = await store.image(community_id, Cut(rooms=(ROOM,), point=AtMessage(message_id=2)), now=NOW)
    found = rows(image)
    assert [row[1] for row in found["messages"]] == [1, 2]
    assert image.at == said("", 2).sent_at
    assert "Members, settings and prompts are as they are now." in image.not_unwound


def set_to(value: Json, before: Json, minutes: int) -> SetKnowledge:
    return SetKnowledge(
        agent_id=ROOM,
        side=PUBLIC_SIDE,
        knowledge={"mira": value, "stays": True},
        path="mira",
        before=before,
        after=value,
        by="itself",
        at=START + timedelta(minutes=minutes),
    )


async def test_knowledge_and_plan_are_unwound_and_a_changed_focus_is_empty(
    store: SqlStore, community_id: CommunityId
) -> None:
    early, late = START + timedelta(minutes=1), START + timedelta(minutes=30)
    await apply(store, community_id, set_to("kind", None, 1))
    await apply(store, community_id, set_to("rude", "kind", 30))
    await apply(store, community_id, set_to("gone", "rude", 40))
    plan = Plan(goals=(PlanItem(id=1, text="tea"), PlanItem(id=2, text="cake")), current=1, last_id=2)
    focus = Focus(notes=("later",), updated_at=late, plan=plan)
    goal: dict[str, Json] = {"goal 2": None}
    after: dict[str, Json] = {"goal 2": "cake"}
    journalled = JournalPlan(
        agent_id=ROOM, side=PUBLIC_SIDE, path="goals", before=goal, after=after, by="itself", at=late
    )
    await apply(store, community_id, SetFocus(agent_id=ROOM, side=PUBLIC_SIDE, focus=focus), journalled)
    for at in (early, late):
        record = ActionRecord(type="hud_note", at=at, parameters={})
        await apply(store, community_id, RecordAction(agent_id=ROOM, side=PUBLIC_SIDE, record=record))
    point = AtTime(at=START + timedelta(minutes=10))
    image = await store.image(community_id, Cut(rooms=(ROOM,), point=point), now=NOW)
    past = SqlStore(Database(database_url("sqlite://"), thawed(image).copy_into), store.config)
    async with past, past.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[ROOM], minds=None)
    (mind,) = [one for one in view.minds.values() if one.agent_id == ROOM]
    assert mind.knowledge == {"mira": "kind", "stays": True}
    assert mind.focus.notes == ()
    assert [goal.text for goal in mind.focus.plan.goals] == ["tea"]
    assert len(rows(image)["actions"]) == 1
    assert "The focus of agents whose focus changed since (1) is empty." in image.not_unwound


async def test_at_a_step_a_scene_stands_where_it_stood(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        scene = await a_council(write, community_id, started_at=START)
    point = AtStep(scene_id=scene.id, step=0)
    image = await store.image(community_id, Cut(rooms=(ROOM,), point=point), now=NOW)
    past = SqlStore(Database(database_url("sqlite://"), thawed(image).copy_into), store.config)
    async with past, past.reading() as read:
        back = await read.scenes.find(community_id, scene.id)
        log = await read.scenes.log(community_id, scene.id)
    assert back is not None
    assert (back.step, list(log)) == (0, [])
    assert back.digest == scene.first_digest
    assert [row[1] for row in rows(image)["reasons"]], "somebody is asked to move"


@pytest.mark.parametrize("minutes", [20, 2])
async def test_a_scene_whose_log_is_kept_no_longer_stays_as_it_ended(
    store: SqlStore, community_id: CommunityId, minutes: int
) -> None:
    over = {"status": SceneStatus.OVER, "ended_at": START + timedelta(minutes=5), "deadline_at": None}
    async with store.writing(community_id) as write:
        await a_council(write, community_id, started_at=START, **over)
        await write.upkeep.forget(community_id, messages_before=START, huds_before=START, logs_before=NOW)
    point = AtTime(at=START + timedelta(minutes=minutes))
    image = await store.image(community_id, Cut(rooms=(ROOM,), point=point), now=NOW)
    past = SqlStore(Database(database_url("sqlite://"), thawed(image).copy_into), store.config)
    async with past, past.reading() as read:
        (scene,) = await read.scenes.all(community_id)
    assert (scene.status, scene.step) == (SceneStatus.OVER, 1)
    assert any("Scenes that were made" in one for one in image.not_unwound) == (minutes == 2)


paths = st.sampled_from(["mira", "mira.trust", "mira.likes", "tea", "tea.kinds"])
values: st.SearchStrategy[Json] = st.sampled_from([1, "kind", [1, 2], {"deep": 1}, True])


@given(steps=st.lists(st.tuples(st.sampled_from(["set", "append", "delete"]), paths, values), max_size=20))
def test_the_journal_leads_back_to_what_was_known(steps: list[tuple[str, str, Json]]) -> None:
    known: dict[str, Json] = {}
    states, journal = [known], []
    for what, path, value in steps:
        try:
            match what:
                case "set":
                    edit = knowledge.assigned(known, path, value)
                case "append":
                    edit = knowledge.appended(known, path, value)
                case _:
                    edit = knowledge.deleted(known, path)
        except Rejected:
            continue
        known = dict(edit.whole)
        states.append(known)
        journal.append((path, edit.before))
    for (path, before), expected in zip(reversed(journal), reversed(states[:-1]), strict=True):
        known = before_change(known, path, before)
        assert _pruned(known) == _pruned(expected)


def _pruned(value: Json) -> Json:
    """Leave out empty objects: a path that was set made them, and no journal tells of them."""
    if not isinstance(value, dict):
        return value
    pruned = {name: _pruned(one) for name, one in value.items()}
    return {name: one for name, one in pruned.items() if one != {}}


async def test_what_beats_saw_and_answered_is_not_even_read_for_a_base(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk(store, community_id, 1)
    await apply(store, community_id, *(EndBeat(beat=beat(id_, hud="seen" * 9_000)) for id_ in range(1, 30)))
    largest, put = [0], Session.put_plainly

    async def noted(session: Session, statement: str, rows: list[tuple[object, ...]]) -> None:
        sizes = (len(value) for row in rows for value in row if isinstance(value, bytes | str))
        largest[0] = max([largest[0], *sizes])
        await put(session, statement, rows)

    monkeypatch.setattr(Session, "put_plainly", noted)
    found = rows(await store.image(community_id, Cut(rooms=(ROOM,)), now=NOW))
    assert len(found["beats"]) == 29
    assert not any(b"\x78\x9c" in value for row in found["beats"] for value in row if isinstance(value, bytes))
    assert largest[0] < 1_000


async def test_a_private_thread_comes_into_no_base(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        thread = await write.rooms.add_thread(community_id, ROOM, Snowflake(77), name="Plans", at=START)
        await write.talk.add(community_id, [said("open", 1), said("whispered", 2, room_id=thread)])
    for cut in (Cut(rooms=(ROOM,)), Cut()):
        image = await store.image(community_id, cut, now=NOW)
        assert b"open" in zlib.decompress(image.data)
        assert b"whispered" not in zlib.decompress(image.data)
        assert all(row[1] != thread for row in rows(image)["rooms"])
    with pytest.raises(NotFound):
        await store.image(community_id, Cut(rooms=(thread,)), now=NOW)
