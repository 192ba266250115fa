"""What is in the way of one community's trees is in no other's, and what cannot be read goes whole."""

import sqlite3
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bot.core.records import Snowflake
from bot.core.timelines.records import (
    ROOT,
    UNREADABLE,
)
from storage import owed
from storage.database import Database
from storage.timelines.tree_file import tree_path
from tests.fakes import START
from tests.storage.timelines.living import SECRET, Living, another, deleted, living


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[Living]:
    async with living(tmp_path) as one:
        yield one


async def test_one_communitys_trouble_with_a_tree_keeps_no_other_from_being_purged(live: Living) -> None:
    theirs = await another(live)
    other = theirs.community_id
    assert await theirs.is_anywhere(SECRET)
    tree_path(live.trees.folder, live.community_id, 1).unlink()  # which is a fork that is made, or a file that was lost
    for community_id, number in ((live.community_id, 2), (other, 12)):
        async with live.store.writing(community_id) as write:
            await write.talk.delete(community_id, [Snowflake(1000 + number)], START + timedelta(hours=2))
    assert await live.store.gone_for_good(other)
    assert not await theirs.is_anywhere(SECRET)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.store.PATIENCE_SECONDS", 0.5)
        assert not await live.store.gone_for_good(live.community_id)
        assert not await live.store.gone_for_good()


async def test_whatever_is_in_the_way_of_one_communitys_purge_keeps_no_other_from_it(
    live: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, there = await another(live), live.community_id

    def failing(works: Callable[..., Awaitable[object]], whose: int) -> Callable[..., Awaitable[object]]:
        async def work(database: Database, community_id: int, *given: object) -> object:
            if community_id == whose:
                raise ValueError("there is no telling what")
            return await works(database, community_id, *given)

        return work

    monkeypatch.setattr(owed, "_work_off_some", failing(owed._work_off_some, there))
    monkeypatch.setattr("storage.store.PATIENCE_SECONDS", 20.0)
    for community_id, number in ((there, 2), (theirs.community_id, 12)):
        async with live.store.writing(community_id) as write:
            await write.talk.delete(community_id, [Snowflake(1000 + number)], START + timedelta(hours=2))
    assert await live.store.gone_for_good(theirs.community_id)
    assert not await theirs.is_anywhere(SECRET)
    await live.store.export(theirs.community_id, live.trees.folder / "theirs.zip")
    with pytest.raises(ValueError, match="no telling"):
        await live.store.export(there, live.trees.folder / "ours.zip")


def _damage(live: Living, what: str) -> None:
    file = tree_path(live.trees.folder, live.community_id, 1)
    if what in ("emptied", "garbage"):
        for one in file.parent.glob("1.db?*"):
            one.unlink()
        file.write_bytes(b"" if what == "emptied" else b"no database at all" * 300)
        return
    with sqlite3.connect(file) as connection:
        if what == "a base without messages":
            world = sqlite3.connect(":memory:")
            world.deserialize(
                zlib.decompress(b"".join(row[0] for row in connection.execute("SELECT packed FROM base")))
            )
            world.execute("DROP TABLE messages")
            world.commit()
            connection.execute("UPDATE base SET packed = ?", (zlib.compress(world.serialize()),))
            world.close()
        else:
            connection.execute(what)
    connection.close()


EITHER = [
    *("emptied", "garbage", "a base without messages"),
    *("UPDATE base SET packed = x'00'", "UPDATE deltas SET packed = x'00'"),
]
ALONE = ("UPDATE deltas SET key = '['", "UPDATE deltas SET name = 'nothing'", "UPDATE nodes SET changes = '{'")


@pytest.mark.parametrize(
    ("what", "forgets"), [*((one, how) for one in EITHER for how in (False, True)), *((one, False) for one in ALONE)]
)
async def test_a_tree_that_cannot_be_read_goes_whole_with_what_was_deleted(
    live: Living, what: str, forgets: bool
) -> None:
    await live.trees.grow(ROOT, lambda one: one.execute("UPDATE rooms SET topic = 'otherwise' WHERE id = 1"))
    await live.trees.trees.close()
    _damage(live, what)
    if forgets:
        await live.forget(777)  # nobody can tell any more whether they are in it
    else:
        await deleted(live)
    async with live.store.reading() as read:
        (left,) = await read.timelines.all(live.community_id)
    assert left.gone == UNREADABLE
    assert list(tree_path(live.trees.folder, live.community_id, 1).parent.iterdir()) == []
