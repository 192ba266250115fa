"""A copy takes the database's place, and nobody comes back who asked to be forgotten since."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.core.changes import AddKey, AddLetter, UpdateKey
from bot.core.errors import BadSetting, StoreError
from bot.core.kinds import LetterKind, LetterState
from bot.core.ports import NewMessage
from bot.core.records import AccessKey, AgentId, CommunityId, KeyId, Snowflake
from storage.restoring import Restored, restore
from storage.store import SqlStore
from storage.tables import MESSAGES
from tests.factories import agent, by_person, person, room
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import said

MIRA, ROB = Snowflake(501), Snowflake(502)


async def inhabited(store: SqlStore) -> CommunityId:
    """Make a community of two people who said something."""
    community_id = await founded(store, [(agent(name="Wren"), room())], guild_id=9)
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", MIRA), person("rob", ROB))
        await write.talk.add(community_id, [by("mira", MIRA, 71), by("rob", ROB, 72)])
    return community_id


def by(name: str, id: Snowflake, number: int, words: str = "") -> NewMessage:
    return said(words or f"from {name}", number, sender=by_person(name, id))


async def lines(store: SqlStore, community_id: CommunityId) -> list[str]:
    asked = select(MESSAGES.c.content).where(MESSAGES.c.community_id == community_id).order_by(MESSAGES.c.id)
    async with store.database.reading() as connection:
        return [row[0] for row in await connection.execute(asked)]


@pytest.mark.slow
async def test_what_people_took_back_since_the_copy_does_not_come_back_with_it(tmp_path: Path) -> None:
    url, copy, keep = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db", tmp_path / "before.db"
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        async with store.writing(community_id) as write:
            await write.talk.add(community_id, [by("rob", ROB, 73, "one more of rob")])
        await store.back_up(copy)
        async with store.writing(community_id) as write:
            await write.talk.delete(community_id, [Snowflake(1072)], START)
            await write.personal.begin_forgetting(community_id, MIRA, START)
            await write.talk.add(community_id, [by("rob", ROB, 74, "after the copy")])
        await store.gone_for_good()
    assert await restore(url, copy, keep=keep) == Restored(kept=keep, posts=1, people=1)
    async with await SqlStore.open(url) as store:
        assert await lines(store, community_id) == ["one more of rob"]
        async with store.reading() as read:
            assert await read.talk.taken_back(community_id, Snowflake(1072))
    for name in ("selfroom.db", "selfroom.db-wal"):
        assert b"from mira" not in ((tmp_path / name).read_bytes() if (tmp_path / name).exists() else b"")
    async with await SqlStore.open(f"sqlite:///{keep}") as store:
        assert (await lines(store, community_id))[-1] == "after the copy"


async def test_what_waited_to_be_posted_is_looked_for_first(tmp_path: Path) -> None:
    url, copy = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db"
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        letters = [
            AddLetter(kind=kind, room_id=AgentId(1), payload={}, not_before=START)
            for kind in (LetterKind.POST, LetterKind.TOPIC)
        ]
        async with store.writing(community_id) as write:
            await write.apply(community_id, letters)
        await store.back_up(copy)
    assert await restore(url, copy, keep=tmp_path / "before.db") == Restored(
        kept=tmp_path / "before.db", posts=0, people=0
    )
    async with await SqlStore.open(url) as store, store.reading() as read:
        due = {letter.kind: letter.state for letter in await read.letters.due(START, limit=9)}
    assert due == {LetterKind.POST: LetterState.SENDING, LetterKind.TOPIC: LetterState.WAITING}


async def test_a_copy_takes_the_place_of_a_damaged_database_and_of_none(tmp_path: Path) -> None:
    url, copy, keep = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db", tmp_path / "before.db"
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        await store.back_up(copy)
    (tmp_path / "selfroom.db").write_bytes(b"not a database at all" * 1_000)
    assert await restore(url, copy, keep=keep) == Restored(kept=keep, posts=None, people=None)
    assert keep.read_bytes().startswith(b"not a database")
    elsewhere = f"sqlite:///{tmp_path}/new.db"
    assert await restore(elsewhere, copy, keep=tmp_path / "none.db") == Restored(kept=None, posts=0, people=0)
    for there in (url, elsewhere):
        async with await SqlStore.open(there) as store:
            assert await lines(store, community_id) == ["from mira", "from rob"]


async def test_what_is_no_sound_copy_of_ours_changes_nothing(tmp_path: Path) -> None:
    url, copy, keep = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db", tmp_path / "before.db"
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        await store.back_up(copy)
    before = (tmp_path / "selfroom.db").read_bytes()
    (tmp_path / "text.db").write_text("a text")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE notes (id INTEGER)")
    with closing(sqlite3.connect(tmp_path / "new.db")) as new:
        new.executescript(
            "CREATE TABLE alembic_version (version_num TEXT); INSERT INTO alembic_version VALUES ('9999')"
        )
    torn = bytearray(copy.read_bytes())
    torn[8192:20480] = b"\xff" * 12288
    (tmp_path / "torn.db").write_bytes(torn)
    for name in ("text.db", "other.db", "nowhere.db", "torn.db", "new.db"):
        with pytest.raises((BadSetting, StoreError)) as caught:
            await restore(url, tmp_path / name, keep=keep)
        assert "\n" not in caught.value.sentence
    assert (tmp_path / "selfroom.db").read_bytes() == before
    assert not keep.exists()
    async with await SqlStore.open(url, post="run") as store:
        assert await lines(store, community_id) == ["from mira", "from rob"]
        with pytest.raises(BadSetting, match="Another Selfroom runs on this database"):
            await restore(url, copy, keep=keep)


async def test_who_is_not_to_be_heard_and_keys_that_were_withdrawn_stay_so(tmp_path: Path) -> None:
    url, copy = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db"
    key = AccessKey(
        id=KeyId(1), room_id=AgentId(1), label="door", ciphertext=b"sealed", digest=b"digest", created_at=START
    )
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        async with store.writing(community_id) as write:
            await write.apply(community_id, [AddKey(key=key), AddKey(key=replace(key, id=KeyId(2), digest=b"other"))])
        await store.back_up(copy)
        async with store.writing(community_id) as write:
            await write.people.put(community_id, person("zoe", 503))
            await write.people.decide_about(community_id, person("rob", ROB, ignored=True))
            await write.people.decide_about(community_id, person("zoe", 503, muted=True))
            await write.apply(community_id, [UpdateKey(key_id=KeyId(1), fields={"revoked_at": START})])
    await restore(url, copy, keep=tmp_path / "before.db")
    async with await SqlStore.open(url) as store, store.reading() as read:
        rob, zoe, mira = [await read.people.find(community_id, Snowflake(id_)) for id_ in (ROB, 503, MIRA)]
        keys = (await read.views.whole(community_id, room_ids=[AgentId(1)])).keys[AgentId(1)]
    assert rob is not None and zoe is not None and mira is not None
    assert (rob.username, rob.ignored, rob.muted) == ("rob", True, False)
    assert (zoe.ignored, zoe.muted) == (False, True)
    assert (mira.ignored, mira.muted) == (False, False)
    assert {one.id: one.revoked_at for one in keys} == {KeyId(1): START, KeyId(2): None}


async def test_a_restoring_that_is_killed_before_its_end_leaves_the_database_that_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, copy, keep = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db", tmp_path / "before.db"
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        await store.back_up(copy)
        async with store.writing(community_id) as write:
            await write.personal.begin_forgetting(community_id, MIRA, START)
        await store.gone_for_good()

    async def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("storage.restoring._take_back_again", killed)
        with pytest.raises(KeyboardInterrupt):
            await restore(url, copy, keep=keep)
    assert await restore(url, copy, keep=keep) == Restored(kept=keep, posts=0, people=1)
    async with await SqlStore.open(url) as store:
        assert await lines(store, community_id) == ["from rob"]
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".selfroom-")]


async def test_what_went_is_known_of_a_newer_database_as_well(tmp_path: Path) -> None:
    url, copy, keep = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db", tmp_path / "before.db"
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        await store.back_up(copy)
        async with store.writing(community_id) as write:
            await write.talk.delete(community_id, [Snowflake(1072)], START)
    with closing(sqlite3.connect(tmp_path / "selfroom.db")) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.commit()
    assert await restore(url, copy, keep=keep) == Restored(kept=keep, posts=1, people=0)
    async with await SqlStore.open(url) as store:
        assert await lines(store, community_id) == ["from mira"]


async def test_a_database_that_is_sound_is_never_moved_away_because_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, copy, keep = f"sqlite:///{tmp_path}/selfroom.db", tmp_path / "copy.db", tmp_path / "before.db"
    async with await SqlStore.open(url) as store:
        community_id = await inhabited(store)
        await store.back_up(copy)
        async with store.writing(community_id) as write:
            await write.talk.add(community_id, [by("rob", ROB, 73, "after the copy")])

    async def full(*_: object, **__: object) -> None:
        raise StoreError("The disk that holds the database is full: free some space and try again.")

    with monkeypatch.context() as patch:
        patch.setattr("storage.store.back_up", full)
        with pytest.raises(StoreError, match="is full"):
            await restore(url, copy, keep=keep)
    async with await SqlStore.open(url) as store:
        assert (await lines(store, community_id))[-1] == "after the copy"
