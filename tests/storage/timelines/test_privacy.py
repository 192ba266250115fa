"""What is deleted live leaves the files of trees before it is reported done, and who is forgotten takes them along."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from errno import EACCES
from pathlib import Path

import pytest

from bot.core.changes import SetFocus
from bot.core.errors import NotFound, Rejected, StoreError
from bot.core.kinds import LetterKind
from bot.core.models import ModelAnswer
from bot.core.records import PUBLIC_SIDE, AgentId, Focus, Json, Snowflake, Usage
from bot.core.timelines.changes import PublicEvent
from bot.core.timelines.records import (
    ROOT,
    STUCK_TREES,
    Answer,
    Cut,
    Edge,
    EventKind,
    Finished,
    NodeId,
    Planned,
    Status,
    Told,
    TreeId,
    edge_of,
)
from bot.engine.front_desk.tree_news import tell_of_stuck
from storage.database import Database
from storage.faults import Troubles
from storage.index_purging import Slice, purge_index
from storage.inline import fill
from storage.store import SqlStore
from storage.timelines.deltas import digest_of_all
from storage.timelines.purging import mentions
from storage.timelines.tree_file import remove, tree_path, trees_in
from storage.timelines.trees import SqlTrees
from tests.factories import person
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import said
from tests.storage.scenes import LINE, a_council
from tests.storage.timelines.living import NORA, SECRET, Living, deleted, files, keep, living
from tests.storage.timelines.orchard import GUESTS, MADE_BY, Orchard, a_tree, all_rows


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[Living]:
    async with living(tmp_path) as one:
        yield one


async def quoting(live: Living, parent: NodeId) -> NodeId:
    """Grow a node in which the secret is said once more, told of, and answered."""
    trees, key = live.trees.trees, live.trees.key
    (id_,) = await live.trees.plant(parent)
    async with trees.open(key, id_) as world:
        async with world.store.writing(live.community_id) as write:
            focus = Focus(notes=("note",), updated_at=START)
            await write.apply(live.community_id, [SetFocus(agent_id=AgentId(1), side=PUBLIC_SIDE, focus=focus)])
            await write.talk.add(live.community_id, [said("what follows stays", 9)])
        answer = ModelAnswer(text=f"You said {SECRET}.", usage=Usage())
        await trees.record(key, id_, Answer(call=1, request="ab" * 32, answer=answer))
        await trees.tell(key, id_, [Told(kind=EventKind.MESSAGE, data={"text": SECRET}, message_ids=(2,))])
        await world.store.database.plainly(  # type: ignore[attr-defined]
            lambda one: one.execute("UPDATE messages SET answers_from_agents = 1 WHERE id = 2")
        )
        await trees.keep(world, Finished(status=Status.DONE, at=START, turns=1))
    return id_


async def test_a_deleted_message_leaves_base_deltas_events_and_answers(live: Living) -> None:
    one = await quoting(live, ROOT)
    two = await quoting(live, one)
    assert await live.is_anywhere(SECRET)
    await deleted(live)
    assert not await live.is_anywhere(SECRET)
    assert SECRET.encode() not in files(live)
    assert await live.is_anywhere("what follows stays")
    assert await live.is_anywhere("tea at five")
    nodes = {node.id: node for node in await live.trees.trees.nodes(live.trees.key)}
    assert (nodes[ROOT].exact, nodes[one].exact, nodes[two].exact) == (True, False, False)


async def test_after_a_deletion_worlds_are_what_their_digests_say(live: Living) -> None:
    one = await quoting(live, ROOT)
    await deleted(live)
    trees, key = live.trees.trees, live.trees.key
    root = await trees.node(key, ROOT)
    assert await live.trees.rows(ROOT, digest_of_all) == root.digest
    again = await live.trees.grow(ROOT)
    assert again.digest != (await trees.node(key, one)).digest
    assert await live.trees.rows(again.id, digest_of_all) == root.digest


async def test_what_was_said_after_the_fork_takes_nothing_along_that_has_its_number_in_a_world(live: Living) -> None:
    await quoting(live, ROOT)
    async with live.store.writing(live.community_id) as write:
        await write.talk.add(live.community_id, [said("later", 7)])
        gone = [Snowflake(1002), Snowflake(1007)]
        await write.talk.delete(live.community_id, gone, START + timedelta(hours=2))
    assert await live.store.gone_for_good()
    assert not await live.is_anywhere(SECRET)
    assert await live.is_anywhere("what follows stays")


async def test_a_message_said_after_the_fork_touches_no_tree(live: Living) -> None:
    one = await quoting(live, ROOT)
    before = {node.id: node.digest for node in await live.trees.trees.nodes(live.trees.key)}
    async with live.store.writing(live.community_id) as write:
        await write.talk.add(live.community_id, [said("later", 7)])
    await deleted(live, 7)
    after = {node.id: node.digest for node in await live.trees.trees.nodes(live.trees.key)}
    assert before == after
    assert len(await live.trees.trees.recorded(live.trees.key, one)) == 1


async def test_a_node_that_runs_while_its_base_changes_runs_once_more(live: Living) -> None:
    trees, key = live.trees.trees, live.trees.key
    (id_,) = await live.trees.plant(ROOT)
    with pytest.raises(Rejected, match="runs once more"):
        async with trees.open(key, id_) as world:
            await deleted(live)
            await trees.keep(world, Finished(status=Status.DONE, at=START))
    assert (await trees.node(key, id_)).status is Status.QUEUED
    await live.trees.run(id_)
    assert not await live.is_anywhere(SECRET)


async def test_who_is_forgotten_takes_the_trees_along_that_hold_anything_of_them(live: Living) -> None:
    await live.forget(501)
    with pytest.raises(NotFound):
        await live.trees.trees.nodes(live.trees.key)
    assert not tree_path(live.trees.folder, 1, 1).exists()
    async with live.store.reading() as read:
        (left,) = await read.timelines.all(live.community_id)
    assert left.gone == "Somebody asked to be forgotten who was in it."


async def test_words_that_were_taken_back_by_an_edit_leave_trees_too(live: Living) -> None:
    one = await quoting(live, ROOT)
    async with live.store.writing(live.community_id) as write:
        await write.talk.edit(
            live.community_id,
            Snowflake(1002),
            content="never mind",
            edited_at=START + timedelta(hours=2),
            tokens=3,
        )
    assert await live.store.gone_for_good()
    assert not await live.is_anywhere(SECRET)
    assert SECRET.encode() not in files(live)
    assert await live.trees.trees.recorded(live.trees.key, one) == []


async def test_a_line_that_is_deleted_in_a_scenes_thread_leaves_trees_too(live: Living, tmp_path: Path) -> None:
    async with live.store.writing(live.community_id) as write:
        await a_council(write, live.community_id)
    image = await live.store.image(live.community_id, Cut(rooms=(AgentId(1),)), now=START + timedelta(hours=1))
    trees, key = live.trees.trees, live.trees.key
    await trees.remove(key)
    await trees.begin(a_tree(live.community_id), image)
    await live.trees.grow(ROOT, lambda one: one.execute("UPDATE scene_seats SET turns = 9"))
    assert await live.is_anywhere("Mira brews it.")
    async with live.store.writing(live.community_id) as write:
        await write.talk.delete(live.community_id, [LINE], START + timedelta(hours=2))
    assert await live.store.gone_for_good()
    assert not await live.is_anywhere("Mira brews it.")
    assert b"Mira brews it." not in files(live)
    assert await live.is_anywhere("tea at five")


@pytest.mark.parametrize("how", ["made a node", "is named in a change", "was named by an agent"])
async def test_who_is_forgotten_takes_a_tree_along_that_grew_with_them(live: Living, how: str) -> None:
    trees, key = live.trees.trees, live.trees.key
    async with live.store.writing(live.community_id) as write:
        await write.people.put(live.community_id, person("nora", NORA))
    match how:
        case "made a node":
            wanted = Planned(parent=ROOT, edge=Edge.ASK, seed="s", asked=(AgentId(1), "why?"), made_by=Snowflake(NORA))
            await trees.add(key, [wanted], at=START)
        case "is named in a change":
            told = (PublicEvent(room_id=1, text="@Nora left."),)
            wanted = Planned(parent=ROOT, edge=Edge.BRANCH, seed="s", changes=told, made_by=MADE_BY)
            await trees.add(key, [wanted], at=START)
        case _:
            await live.trees.grow(ROOT, lambda one: one.execute("UPDATE rooms SET topic = '@Nora''s' WHERE id = 1"))
    await live.forget(NORA)
    assert not tree_path(live.trees.folder, 1, 1).exists()


async def test_who_stands_in_no_base_takes_no_tree_along(live: Living) -> None:
    await live.forget(777)
    assert len(await live.trees.trees.nodes(live.trees.key)) == 1


async def test_a_tree_that_is_only_being_made_is_waited_for(live: Living) -> None:
    async with live.store.reading() as read:
        (known,) = await read.timelines.all()
    async with live.store.writing(live.community_id) as write:
        await write.timelines.keep(replace(known, id=TreeId(2)))
    async with live.store.writing(live.community_id) as write:
        await write.talk.delete(live.community_id, [Snowflake(1002)], START + timedelta(hours=2))
        await write.timelines.drop(live.community_id, TreeId(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.store.PATIENCE_SECONDS", 0.5)
        assert not await live.store.gone_for_good()
    async with live.store.writing(live.community_id) as write:
        await write.timelines.drop(live.community_id, TreeId(2))
    assert await live.store.gone_for_good()
    assert not await live.is_anywhere(SECRET)


async def test_what_is_owed_to_a_tree_keeps_nothing_in_the_full_text_index(
    live: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    purged: list[bool] = []

    async def purge(database: Database, piece: Slice) -> bool:
        purged.append(await purge_index(database, piece))
        return purged[-1]

    monkeypatch.setattr("storage.index_purging.purge_index", purge)
    monkeypatch.setattr("storage.store.PATIENCE_SECONDS", 2.0)
    tree_path(live.trees.folder, live.community_id, 1).unlink()
    async with live.store.writing(live.community_id) as write:
        await write.talk.delete(live.community_id, [Snowflake(1002)], START + timedelta(hours=2))
    assert not await live.store.gone_for_good()
    assert purged[-1]


async def test_archives_and_their_copies_know_nothing_of_trees(live: Living, tmp_path: Path) -> None:
    await quoting(live, ROOT)
    archive = tmp_path / "community.zip"
    await live.store.export(live.community_id, archive)
    async with await SqlStore.open("sqlite://") as other:
        await other.import_archive(archive)
        async with other.reading() as read:
            assert await read.timelines.all() == []
    async with await live.store.clone(live.community_id) as copy, copy.reading() as read:
        assert await read.timelines.all() == []


def test_files_are_looked_through_for_a_name_whatever_its_case() -> None:
    world = sqlite3.connect(":memory:")
    fill(world)
    world.execute("INSERT INTO communities (id, guild_id, name, paused) VALUES (1, 9, 'A place of @Mira''s', 0)")
    assert mentions(world, 501, ["mira"])
    assert not mentions(world, 501, ["rob"])
    world.execute("UPDATE communities SET name = ?", (r'["first\n@mira"]',))
    assert mentions(world, 501, ["mira"])
    assert not mentions(world, 501, ["mir", "place", "communities"])
    world.execute("UPDATE communities SET name = '@mira.b is here'")
    assert not mentions(world, 501, ["mira"], ["mira.b"])
    assert not mentions(world, 9_999, [])
    world.close()


async def test_a_fork_that_was_killed_and_a_tree_without_a_row_leave_nothing(live: Living, tmp_path: Path) -> None:
    await live.trees.trees.begin(a_tree(live.community_id, 7), live.trees.image)  # whose row is gone
    async with live.store.reading() as read:
        (known,) = await read.timelines.all()
    async with live.store.writing(live.community_id) as write:
        await write.timelines.keep(replace(known, id=TreeId(2)))  # whose file was never made
    await live.store.close()
    url, folder = f"sqlite:///{tmp_path}/selfroom.db", live.trees.folder
    async with await SqlStore.open(url, post="run", timelines=folder) as again, again.reading() as read:
        assert await read.timelines.all() == [known]
    assert trees_in(folder) == [(1, 1)]


async def test_what_is_said_in_one_branch_is_heard_in_no_other(live: Living) -> None:
    trees, key = live.trees.trees, live.trees.key

    def whisper(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE rooms SET topic = 'a marzipan secret' WHERE id = 1")

    told = await live.trees.grow(ROOT, whisper)
    sibling = await live.trees.grow(ROOT)
    child, cousin = await live.trees.grow(told.id), await live.trees.grow(sibling.id)
    await trees.close()  # nothing at hand
    found = {node.id: "marzipan" in repr(await live.trees.rows(node.id, all_rows)) for node in await trees.nodes(key)}
    assert found == {ROOT: False, told.id: True, sibling.id: False, child.id: True, cousin.id: False}
    async with live.store.database.reading() as connection:
        topics = await connection.run_sync(lambda sync: sync.exec_driver_sql("SELECT topic FROM rooms").fetchall())
    assert "marzipan" not in repr(topics)


async def test_a_purge_that_was_broken_off_is_done_after_a_restart(live: Living, tmp_path: Path) -> None:
    await quoting(live, ROOT)

    def broken(*_: object) -> bool:
        raise StoreError("The disk is full.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.timelines.purging._Purge._is_written", broken)
        patch.setattr("storage.store.PATIENCE_SECONDS", 0.5)
        async with live.store.writing(live.community_id) as write:
            await write.talk.delete(live.community_id, [Snowflake(1002)], START + timedelta(hours=2))
        assert not await live.store.gone_for_good()
        await live.store.close()
    assert await live.is_anywhere(SECRET)
    url = f"sqlite:///{tmp_path}/selfroom.db"
    async with await SqlStore.open(url, post="run", timelines=live.trees.folder) as again:
        assert await again.gone_for_good()
    assert not await live.is_anywhere(SECRET)


async def noted(live: Living) -> Json:
    async with live.store.reading() as read:
        return await read.notes.find(live.community_id, STUCK_TREES)


async def notices(live: Living) -> list[str]:
    async with live.store.writing(live.community_id) as write:
        due = await write.letters.due(START + timedelta(days=1), limit=50)
    return [str(one.payload["text"]) for one in due if one.kind is LetterKind.NOTICE]


async def test_managers_hear_once_of_a_tree_that_keeps_what_was_deleted(live: Living) -> None:
    await quoting(live, ROOT)

    def broken(*_: object) -> bool:
        raise StoreError("Its file may not be written.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.timelines.purging._Purge._is_written", broken)
        patch.setattr("storage.store.PATIENCE_SECONDS", 0.5)
        async with live.store.writing(live.community_id) as write:
            await write.talk.delete(live.community_id, [Snowflake(1002)], START + timedelta(hours=2))
        assert not await live.store.gone_for_good()
        for _ in range(6_000):  # a minute, for a busy machine
            if await noted(live) is not None:
                break
            await asyncio.sleep(0.01)
        for _ in range(2):
            await tell_of_stuck(live.store, START)
    [told] = await notices(live)
    assert "still stands in the file of what-if 1: Its file may not be written. `/timeline delete`" in told
    assert await live.store.gone_for_good()
    await tell_of_stuck(live.store, START)
    assert await notices(live) == [told]
    assert await noted(live) is None


def test_a_file_that_cannot_be_removed_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else whoever works off what is owed stops there, and the trees after it keep what was deleted."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.raises(StoreError, match=r"cannot be removed \(Permission denied\)"):
        remove(tmp_path / "1.db")


async def test_trees_are_purged_whatever_database_the_community_lives_in(store: SqlStore, tmp_path: Path) -> None:
    community_id = await founded(store, guests=GUESTS, guild_id=9)
    store.timelines = tmp_path / "timelines"
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("tea at five", 1), said(f"{SECRET} is the word", 2)])
    await keep(store, community_id)
    image = await store.image(community_id, Cut(rooms=(AgentId(1),)), now=START + timedelta(hours=1))
    trees = SqlTrees(store.timelines)
    tree = await trees.begin(a_tree(community_id), image)
    one = Orchard(trees, tree.key, image, store.timelines)
    assert SECRET in repr(await one.rows(ROOT, all_rows))
    async with store.writing(community_id) as write:
        await write.talk.delete(community_id, [Snowflake(1002)], START + timedelta(hours=2))
    await store.gone_for_good()
    assert SECRET not in repr(await one.rows(ROOT, all_rows))
    assert "tea at five" in repr(await one.rows(ROOT, all_rows))
    await trees.close()


@pytest.mark.parametrize("made_by", [777, 501])
async def test_who_is_forgotten_takes_a_tree_along_in_which_only_a_node_is_theirs_or_names_them(
    live: Living, made_by: int
) -> None:
    asked = PublicEvent(room_id=1, text="The lights go out.", visitor="" if made_by == 777 else "zoe")
    planned = Planned(
        parent=ROOT,
        edge=edge_of((asked,)),
        changes=(asked,),
        seed="s",
        turns_wanted=0,
        made_by=Snowflake(made_by),
    )
    await live.trees.trees.add(live.trees.key, [planned], at=START)
    async with live.store.writing(live.community_id) as write:
        await write.people.put(live.community_id, person("zoe", 777))
    await live.forget(777)
    with pytest.raises(NotFound):
        await live.trees.trees.nodes(live.trees.key)


async def test_a_node_that_runs_while_its_base_changes_records_nothing_of_what_was_deleted(live: Living) -> None:
    trees, key = live.trees.trees, live.trees.key
    (id_,) = await live.trees.plant(ROOT)
    late = Answer(call=1, request="ab" * 32, answer=ModelAnswer(text=f"You said {SECRET}.", usage=Usage()))
    async with trees.open(key, id_):
        await deleted(live)
        await trees.record(key, id_, late)
        assert await trees.tell(key, id_, [Told(kind=EventKind.MESSAGE, data={"text": SECRET})]) == []
    assert not await live.is_anywhere(SECRET)
    async with trees.open(key, id_):
        await trees.record(key, id_, late)
        assert await trees.recorded(key, id_) == [late]


async def test_words_that_were_edited_away_leave_the_trees_as_well(live: Living) -> None:
    one = await quoting(live, ROOT)
    async with live.store.writing(live.community_id) as write:
        at = START + timedelta(hours=2)
        await write.talk.edit(live.community_id, Snowflake(1002), content="nothing", edited_at=at, tokens=1)
    assert await live.store.gone_for_good()
    assert not await live.is_anywhere(SECRET)
    assert SECRET.encode() not in files(live)
    assert not (await live.trees.trees.node(live.trees.key, one)).exact


async def test_a_purge_that_failed_is_not_said_to_be_done(live: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(database: Database, folder: Path) -> Troubles:
        raise ZeroDivisionError

    monkeypatch.setattr("storage.store.purge_trees", broken)
    assert not await live.store.gone_for_good()
