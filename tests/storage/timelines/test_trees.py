"""Trees of any shape hold what a full copy per node would, and are there again after anything."""

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.core.errors import NotFound, Rejected, StoreError
from bot.core.models import ModelAnswer
from bot.core.records import CommunityId, Usage
from bot.core.timelines.changes import PublicEvent
from bot.core.timelines.growth import leaves
from bot.core.timelines.records import (
    ROOT,
    Answer,
    Edge,
    EventKind,
    Fault,
    Finished,
    Image,
    NodeId,
    Planned,
    Status,
    Told,
    edge_of,
)
from storage.timelines import tree_file
from storage.timelines.deltas import Row
from storage.timelines.tables import BLANKED, TABLES
from storage.timelines.tree_file import tree_path
from storage.timelines.trees import SqlTrees
from tests.fakes import START
from tests.storage.timelines.orchard import (
    MADE_BY,
    Operation,
    Orchard,
    Work,
    all_rows,
    growing,
    orchard,
    perform,
    thawed,
)

Rows = dict[str, list[Row]]


@pytest.fixture
async def grown(tmp_path: Path) -> AsyncIterator[Orchard]:
    async with orchard(tmp_path / "timelines") as one:
        yield one


@pytest.fixture(scope="module")
def image() -> Image:
    async def made() -> Image:
        with TemporaryDirectory() as folder:
            async with orchard(Path(folder)) as one:
                return one.image

    return asyncio.run(made())


def blank(connection: sqlite3.Connection) -> None:
    """Leave out what no delta holds."""
    for name, columns in BLANKED.items():
        for column, value in columns.items():
            connection.execute(f"UPDATE {name} SET {column} = ?", (value,))  # noqa: S608


class Reference:
    """A full copy of the database for each node."""

    def __init__(self, image: Image) -> None:
        self.copies = {0: thawed(image)}

    def grow(self, parent: int, id_: int, operations: Sequence[Operation]) -> None:
        self.copies[id_] = self.copies[parent].copied()
        with self.copies[id_].opened() as connection:
            connection.isolation_level = None
            connection.execute("PRAGMA foreign_keys = ON")
            for operation in operations:
                perform(connection, operation)
            blank(connection)

    def rows(self, id_: int) -> Rows:
        with self.copies[id_].opened() as connection:
            return all_rows(connection)


def done(operations: Sequence[Operation]) -> Work:
    def work(connection: sqlite3.Connection) -> None:
        for operation in operations:
            perform(connection, operation)

    return work


operations = st.lists(
    st.tuples(
        st.sampled_from(["insert", "upsert", "upsert", "update", "delete"]),
        st.integers(0, len(TABLES) - 1),
        st.integers(0, 50),
    ),
    max_size=25,
)


@pytest.mark.long
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 8), operations), min_size=1, max_size=8), cold=st.booleans())
def test_any_tree_holds_what_a_full_copy_for_each_node_does(
    image: Image, steps: list[tuple[int, list[Operation]]], cold: bool
) -> None:
    async def compared() -> None:
        with TemporaryDirectory() as folder:
            async with growing(Path(folder), image) as one:
                reference = Reference(image)
                for parent, what in steps:
                    parent %= len(reference.copies)
                    node = await one.grow(parent, done(what))
                    reference.grow(parent, node.id, what)
                    if cold:
                        await one.trees.close()
                for id_ in reference.copies:
                    assert await one.rows(id_, all_rows) == reference.rows(id_)

    asyncio.run(compared())


@pytest.mark.slow
async def test_every_row_of_every_table_survives_the_way_through_a_delta(grown: Orchard) -> None:
    """Each table gets rows, whose values have all kinds; then each column changes, and then they go."""

    def all_of(what: str, first: int, last: int) -> Work:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("PRAGMA foreign_keys = OFF")
            for at in range(len(TABLES)):
                for number in range(first, last):
                    perform(connection, (what, at, number))

        return work

    written, changed, removed = all_of("insert", 0, 8), all_of("update", 50, 90), all_of("delete", 0, 30)
    parent, seen = 0, thawed(grown.image)
    for work in (written, changed, removed):
        node = await grown.grow(parent, work)
        with seen.opened() as connection:
            connection.isolation_level = None
            work(connection)
            blank(connection)
            expected = all_rows(connection)
        await grown.trees.close()
        found = await grown.rows(node.id, all_rows)
        for table in TABLES:
            assert found[table.name] == expected[table.name], table.name  # type: ignore[index]
            assert bool(expected[table.name]) is (work is not removed) or table.name == "communities", table.name
        parent = node.id


async def test_equal_worlds_have_equal_digests_and_others_do_not(grown: Orchard) -> None:
    def say(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE rooms SET topic = 'tea' WHERE id = 1")

    one, same = [await grown.grow(0, say) for _ in range(2)]
    other = await grown.grow(0, lambda connection: connection.execute("UPDATE rooms SET topic = 'te' WHERE id = 1"))
    back = await grown.grow(
        one.id, lambda connection: connection.execute("UPDATE rooms SET topic = 'tea' WHERE id = 1")
    )
    assert one.digest == same.digest
    assert len({one.digest, other.digest, (await grown.trees.node(grown.key, ROOT)).digest, back.digest}) == 4
    async with grown.trees.again(grown.key, one.id) as world:
        await world.store.database.plainly(say)  # type: ignore[attr-defined]
        assert await grown.trees.digest(world) == one.digest


async def test_what_was_written_and_taken_back_is_no_difference(grown: Orchard) -> None:
    def to_and_fro(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE rooms SET topic = 'tea' WHERE id = 1")
        connection.execute("UPDATE rooms SET topic = '' WHERE id = 1")

    node = await grown.grow(0, to_and_fro)
    quiet = await grown.grow(0)
    assert node.digest == quiet.digest


async def test_only_the_owner_may_read_a_tree(grown: Orchard) -> None:
    await grown.grow(0)
    file = tree_path(grown.folder, grown.key.community_id, grown.key.id)
    for one in (file, file.with_name(f"{file.name}-wal")):
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
    for folder in (file.parent, file.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_leaves_ancestors_and_descendants(grown: Orchard) -> None:
    trees, key = grown.trees, grown.key
    a, b = (await grown.grow(0)).id, (await grown.grow(0)).id
    c = (await grown.grow(a)).id
    (waiting,) = await grown.plant(b)
    assert [node.id for node in leaves(await trees.nodes(key))] == [c]
    assert [node.id for node in leaves(await trees.nodes(key), only_max_depth=False)] == [c]
    await trees.end(key, waiting, Status.STOPPED, "stopped", at=START)
    assert [node.id for node in await trees.path(key, c)] == [0, a, c]
    assert [node.id for node in await trees.subtree(key, a)] == [a, c]
    assert [node.depth for node in await trees.nodes(key)] == [0, 1, 1, 2, 2]


async def test_a_subtree_goes_and_its_numbers_are_never_given_again(grown: Orchard) -> None:
    trees, key = grown.trees, grown.key
    a = (await grown.grow(0)).id
    b = (await grown.grow(a)).id
    assert await trees.prune(key, a) == [a, b]
    assert [node.id for node in await trees.nodes(key)] == [ROOT]
    assert (await grown.grow(0)).id == b + 1
    gone = [event.node_id for event in await trees.events(key) if event.kind is EventKind.DELETED]
    assert sorted(gone) == [a, b]
    with pytest.raises(Rejected, match=r"The root stays: delete the tree\."):
        await trees.prune(key, ROOT)
    with pytest.raises(NotFound, match=r"There is no node 99\."):
        await trees.prune(key, NodeId(99))


async def test_a_chain_is_queued_at_once_and_begun_link_by_link(grown: Orchard) -> None:
    trees, key = grown.trees, grown.key
    planned = [
        Planned(parent=NodeId(at), edge=Edge.CHAIN, seed="s", turns_wanted=1, made_by=MADE_BY) for at in (0, -1, -2)
    ]
    one, two, three = await trees.add(key, planned, at=START)
    assert (one.depth, two.parent, three.parent, three.depth) == (1, one.id, two.id, 3)
    with pytest.raises(Rejected, match=f"Node {one.id} still waits to run"):
        async with trees.open(key, two.id):
            pass
    assert (await trees.node(key, two.id)).status is Status.QUEUED
    for node in (one, two, three):
        await grown.run(node.id)
    assert [node.id for node in leaves(await trees.nodes(key))] == [three.id]


async def test_children_of_what_is_not_done_are_refused_and_none_is_stored(grown: Orchard) -> None:
    (waiting,) = await grown.plant(0)
    with pytest.raises(Rejected, match="still waits to run"):
        await grown.plant(0, waiting)
    assert len(await grown.trees.nodes(grown.key)) == 2


async def test_a_node_that_was_not_kept_is_queued_again_with_its_answers(grown: Orchard) -> None:
    trees, key = grown.trees, grown.key
    (id_,) = await grown.plant(0)
    given = Answer(call=1, request="ab" * 32, answer=ModelAnswer(text="hello", usage=Usage(input_tokens=3)))
    with pytest.raises(RuntimeError):
        async with trees.open(key, id_) as world:
            assert (await trees.node(key, id_)).status is Status.RUNNING
            await trees.record(key, id_, given)
            await trees.tell(key, id_, [Told(kind=EventKind.BEAT, data={"agent": 1})])
            assert world.node.id == id_
            raise RuntimeError
    assert (await trees.node(key, id_)).status is Status.QUEUED
    await grown.run(id_)
    assert list(await trees.recorded(key, id_)) == [given]
    kinds = [event.kind for event in await trees.events(key, node_id=id_)]
    assert kinds == [EventKind.ATTACHED, EventKind.RUN_START, EventKind.RUN_FINISH]


async def test_a_model_that_did_not_answer_is_recorded_too(grown: Orchard) -> None:
    (id_,) = await grown.plant(0)
    fault = Fault(name="ModelBusy", sentence="Too many requests.", retry_after_seconds=2.5, unsure=True)
    answer = Answer(call=1, request="cd" * 32, answer=None, fault=fault)
    await grown.trees.record(grown.key, id_, answer)
    assert list(await grown.trees.recorded(grown.key, id_)) == [answer]


async def test_events_are_numbered_over_the_tree_without_a_gap(grown: Orchard) -> None:
    trees, key = grown.trees, grown.key
    seen, _ = await trees.snapshot(key)
    a, b = await grown.plant(0, 0)
    await trees.tell(key, a, [Told(kind=EventKind.MESSAGE, data={"text": "hi"}, message_ids=(7,))])
    found = await trees.events(key, after=seen)
    assert [event.seq for event in found] == [seen + 1, seen + 2, seen + 3]
    assert [event.node_id for event in found] == [a, b, a]
    assert list(await trees.events(key, after=found[1].seq)) == [found[2]]
    assert (await trees.snapshot(key))[0] == found[2].seq


async def test_changes_and_notes_are_kept_as_they_were_given(grown: Orchard) -> None:
    changes = (PublicEvent(room_id=1, text="The bell rings."),)
    planned = Planned(parent=ROOT, edge=edge_of(changes), seed="s", changes=changes, made_by=MADE_BY)
    (node,) = await grown.trees.add(grown.key, [planned], at=START)
    assert (await grown.trees.annotate(grown.key, node.id, "why not")).note == "why not"
    found = await grown.trees.node(grown.key, node.id)
    assert (found.changes, found.edge) == (changes, Edge.PUBLIC_EVENT)


async def test_a_damaged_file_can_only_be_deleted_and_says_so(grown: Orchard) -> None:
    trees, key = grown.trees, grown.key
    await trees.close()
    tree_path(grown.folder, key.community_id, key.id).write_bytes(b"no database at all" * 300)
    with pytest.raises(StoreError, match="is damaged: delete it"):
        await trees.find(key)
    with pytest.raises(StoreError, match="is damaged"):
        await trees.nodes(key)
    await trees.remove(key)
    with pytest.raises(NotFound):
        await trees.nodes(key)


async def test_a_damaged_base_is_refused_in_a_sentence(grown: Orchard) -> None:
    await grown.trees.close()
    with sqlite3.connect(tree_path(grown.folder, grown.key.community_id, grown.key.id)) as connection:
        connection.execute("UPDATE base SET packed = x'00'")
    connection.close()
    with pytest.raises(StoreError, match="is damaged"):
        await grown.grow(0)


async def test_a_file_whose_base_is_in_one_piece_is_brought_up_to_date(
    grown: Orchard, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = await grown.grow(0, done([("insert", at, 7) for at in range(len(TABLES))]))
    before = await grown.rows(node.id, all_rows)
    await grown.trees.close()
    monkeypatch.setattr(tree_file, "IN_PIECES", tree_file.IN_PIECES.replace(str(tree_file.PIECE), "1000"))
    with sqlite3.connect(tree_path(grown.folder, grown.key.community_id, grown.key.id)) as connection:
        connection.execute("ALTER TABLE tree ADD COLUMN base BLOB NOT NULL DEFAULT x''")
        connection.execute("UPDATE tree SET base = ?", (bytes(grown.image.data),))
        connection.execute("ALTER TABLE tree DROP COLUMN managers_only")
        connection.executescript("DROP TABLE base; PRAGMA user_version = 1")
    connection.close()
    assert await grown.rows(node.id, all_rows) == before
    with grown.trees._files[grown.key].reading() as connection:
        pieces = connection.execute("SELECT length(packed) FROM base ORDER BY piece").fetchall()
    assert [row[0] for row in pieces] == [1_000] * (len(grown.image.data) // 1_000) + [len(grown.image.data) % 1_000]


async def test_a_file_into_which_words_of_closed_rooms_may_have_come_is_for_managers_alone(grown: Orchard) -> None:
    assert not (await grown.trees.find(grown.key)).managers_only
    await grown.trees.close()
    with sqlite3.connect(tree_path(grown.folder, grown.key.community_id, grown.key.id)) as connection:
        connection.executescript("ALTER TABLE tree DROP COLUMN managers_only; PRAGMA user_version = 2")
    connection.close()
    both = [SqlTrees(grown.folder), SqlTrees(grown.folder)]  # two processes open it at the same moment
    found = await asyncio.gather(*(one.find(grown.key) for one in both))
    assert [one.managers_only for one in found] == [True, True]
    for one in both:
        await one.close()


async def test_on_a_full_disk_a_tree_is_read_and_written_again_once_there_is_space(grown: Orchard) -> None:
    trees, key = grown.trees, grown.key
    node = await grown.grow(0)
    connection = trees._files[key]._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="The disk is full"):
        await trees.annotate(key, node.id, "x" * 100_000)
    assert "can only be read" in (await trees.find(key)).usable
    assert (await trees.node(key, node.id)).note == ""
    connection.execute("PRAGMA max_page_count = 1000000")
    await trees.annotate(key, node.id, "x")
    assert (await trees.find(key)).usable == ""


async def test_an_older_schema_is_read_and_not_run(grown: Orchard) -> None:
    node = await grown.grow(0)
    await grown.trees.close()
    with sqlite3.connect(tree_path(grown.folder, grown.key.community_id, grown.key.id)) as connection:
        connection.execute("UPDATE tree SET revision = '0001'")
    connection.close()
    with pytest.raises(StoreError, match="not run any more"):
        await grown.grow(node.id)
    async with grown.trees.look(grown.key, node.id) as world, world.store.reading() as read:
        assert len(await read.talk.history(CommunityId(1), world.tree.rooms[0], limit=10)) == 5


async def test_a_deleted_tree_is_gone_for_who_has_it_open(grown: Orchard) -> None:
    other = SqlTrees(grown.folder)
    await other.remove(grown.key)
    with pytest.raises(NotFound, match="no such what-if"):
        await grown.trees.nodes(grown.key)


async def test_a_failed_node_keeps_nothing_of_its_world(grown: Orchard) -> None:
    (id_,) = await grown.plant(0)
    async with grown.trees.open(grown.key, id_) as world:
        await world.store.database.plainly(lambda one: one.execute("DELETE FROM messages"))  # type: ignore[attr-defined]
        failed = Finished(status=Status.FAILED, at=START, outcome="The model did not answer.")
        node = await grown.trees.keep(world, failed)
    assert (node.status, node.digest, node.outcome) == (Status.FAILED, "", "The model did not answer.")
    with pytest.raises(Rejected, match="has failed"):
        await grown.plant(id_)
