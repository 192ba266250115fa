"""Communities on the move: archives and copies in memory."""

import asyncio
import json
import random
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select

from bot.core.changes import (
    AddKey,
    AddMembership,
    Audit,
    Change,
    EndBeat,
    JournalPlan,
    React,
    Say,
    SetFocus,
    SetKnowledge,
    SetOverride,
)
from bot.core.errors import BadSetting
from bot.core.kinds import Emotion
from bot.core.plan import added
from bot.core.records import (
    PUBLIC_SIDE,
    AccessKey,
    AgentId,
    Attachment,
    CommunityId,
    Focus,
    KeyId,
    MessageId,
    Plan,
    Snowflake,
)
from bot.core.scenes.records import SceneStatus
from storage.moving.contents import TABLES
from storage.store import SqlStore
from storage.tables import COMMUNITIES
from tests.factories import by_agent, membership, person
from tests.fakes import START
from tests.storage.lines import hear, said
from tests.storage.scenes import a_council
from tests.storage.test_beats import beat

FIRST, SECOND = AgentId(1), AgentId(2)
OTHER_GUILD = Snowflake(77)
PLANNED, _ = added(Plan(), "goals", "sail to the skerry")


def planned() -> list[Change]:
    whose: dict[str, Any] = {"agent_id": FIRST, "side": PUBLIC_SIDE}
    journalled = JournalPlan(**whose, path="goal 1", before={"goal 1": None}, after={}, by="itself", at=START)
    return [SetFocus(**whose, focus=Focus(plan=PLANNED)), journalled]


async def enliven(store: SqlStore, community_id: CommunityId) -> None:
    """Let something of each kind happen in a community."""
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira ☂"))
        file = Attachment(name="ü.png", media_type="image/png", size_bytes=4, url="https://example.org/a", text="a\0b")
        lines = [said(f"line {n} ünïcode \u200f🎉", n, attachments=(file,) * (n % 3)) for n in range(9)]
        await write.talk.add(community_id, lines)
        key = AccessKey(
            id=KeyId(write.ids.take("key")),
            room_id=FIRST,
            label="spare",
            ciphertext=b"\x00\xff secret",
            digest=b"\x01",
            created_at=START,
            held_by=(SECOND,),
        )
        await write.apply(
            community_id,
            [
                AddMembership(membership=membership(SECOND, FIRST)),
                AddKey(key=key),
                React(
                    message_id=MessageId(1), emoji="brain", emotion=Emotion.BRAIN, reactor=by_agent(SECOND), at=START
                ),
                Say(
                    message_id=MessageId(write.ids.take("message")),
                    room_id=FIRST,
                    sender=by_agent(1),
                    content="not yet posted",
                    sent_at=START,
                ),
                SetKnowledge(
                    agent_id=FIRST,
                    side=PUBLIC_SIDE,
                    knowledge={"b": 1, "a": ["\x00", "\ud800", None]},
                    path="b",
                    before=None,
                    after=1,
                    by="itself",
                    at=START,
                ),
                *planned(),
                EndBeat(beat=beat(write.ids.take("beat"))),
                SetOverride(name="floor", value=3),
                Audit(by="The Architect", what="changed the floor", at=START),
            ],
        )
        await write.notes.keep(community_id, "home", {"x": 1})
        await a_council(write, community_id, status=SceneStatus.PAUSED, deadline_at=None)


@pytest.fixture
async def lively(store: SqlStore, community_id: CommunityId) -> CommunityId:
    """A community in which something of each kind has happened."""
    await enliven(store, community_id)
    return community_id


async def everything(store: SqlStore, community_id: CommunityId) -> dict[str, list[dict[str, object]]]:
    """Give all rows of a community without what is counted anew elsewhere."""
    async with store.database.reading() as connection:
        found: dict[str, list[dict[str, object]]] = {}
        for table in TABLES:
            asked = select(table).where(table.c.community_id == community_id).order_by(*table.primary_key)
            rows = (await connection.execute(asked)).mappings().all()
            whole = {"community_id", *([] if "community_id" in table.primary_key.columns else ["id"])}
            found[table.name] = [{name: row[name] for name in row if name not in whole} for row in rows]
        return found


async def test_an_archive_brings_everything_back_with_its_ids(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    path = tmp_path / "community.zip"
    images = {"agent-1.png": b"\x89PNG"}
    written = await store.export(lively, path, images)
    before = await everything(store, lively)
    async with store.database.writing() as connection:
        await connection.execute(delete(COMMUNITIES))
    read = await store.import_archive(path)
    assert read.images == images
    assert read.counts == written.counts
    assert (written.counts["messages"], written.counts["attachments"]) == (10, 9)
    assert await everything(store, read.community_id) == before
    async with store.writing(read.community_id) as write:
        assert write.ids.take("message") == 11
        assert await write.notes.find(read.community_id, "home") == {"x": 1}
        found = await write.talk.search(read.community_id, "line 3", room_ids=[FIRST])
        moved = await write.views.action_view(
            read.community_id, agent_ids=[FIRST], room_ids=(), doors=False, minds=None
        )
        assert moved.mind_of(FIRST).focus.plan == PLANNED
    assert [message.content[:6] for message, _ in found] == ["line 3"]


async def test_a_community_moves_from_one_database_to_the_other(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    path = tmp_path / "community.zip"
    await store.export(lively, path)
    async with await SqlStore.open("sqlite:///:memory:") as other:
        moved = await other.import_archive(path)
        assert await everything(other, moved.community_id) == await everything(store, lively)


def spoilt(path: Path, **manifest: object) -> Path:
    """Give the archive with another manifest."""
    changed = path.with_name("spoilt.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                data = json.dumps(json.loads(data) | manifest).encode()
            new.writestr(name, data)
    return changed


async def communities(store: SqlStore) -> int:
    async with store.reading() as read:
        return len(await read.communities.all())


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
async def test_an_archive_that_is_cut_off_leaves_nothing_behind(
    store: SqlStore, lively: CommunityId, tmp_path: Path, share: float
) -> None:
    path = tmp_path / "community.zip"
    await store.export(lively, path)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(BadSetting, match="damaged or cut off"):
        await store.import_archive(path, guild_id=OTHER_GUILD)
    assert await communities(store) == 1


@pytest.mark.slow
async def test_an_archive_with_any_bits_turned_is_read_whole_or_refused_whole(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    path, turned = tmp_path / "community.zip", tmp_path / "turned.zip"
    await store.export(lively, path, {"agent-1.png": b"\x89PNG"})
    whole, chance = path.read_bytes(), random.Random(3)  # noqa: S311 - the same bits each time
    before = await everything(store, (await store.import_archive(path, guild_id=OTHER_GUILD)).community_id)
    refused = 0
    for number in range(60):
        bits = bytearray(whole)
        bits[chance.randrange(len(bits))] ^= 1 << chance.randrange(8)
        turned.write_bytes(bits)
        try:
            read = await store.import_archive(turned, guild_id=Snowflake(1_000 + number))
        except BadSetting as error:
            refused += 1
            assert await communities(store) == 2 + number + 1 - refused, error
        else:
            assert await everything(store, read.community_id) == before
    assert refused > 30


@pytest.mark.parametrize(
    "manifest",
    [
        {"images": ["nobody.png"]},
        {"format": "one"},
        {"counts": []},
        {"community": {"guild_id": "x"}},
        {"community": {"guild_id": 5, "name": 5, "paused": False}},
        {"kept": ["home"]},
    ],
)
async def test_an_archive_whose_manifest_makes_no_sense_leaves_nothing_behind(
    store: SqlStore, lively: CommunityId, tmp_path: Path, manifest: dict[str, object]
) -> None:
    path = tmp_path / "community.zip"
    await store.export(lively, path)
    with pytest.raises(BadSetting, match="damaged or cut off"):
        await store.import_archive(
            spoilt(path, **({"community": {"guild_id": 5, "name": "x", "paused": False}} | manifest))
        )
    assert await communities(store) == 1


async def test_an_archive_whose_rows_contradict_one_another_leaves_nothing_behind(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    path, wrong = tmp_path / "community.zip", tmp_path / "wrong.zip"
    await store.export(lively, path)
    for table, old, new in (("memberships", '"agent_id":2', '"agent_id":99'), ("messages", '"id":2,', '"id":1,')):
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(wrong, "w") as changed:
            for name in archive.namelist():
                text = archive.read(name)
                changed.writestr(name, text.replace(old.encode(), new.encode()) if name == f"{table}.jsonl" else text)
        with pytest.raises(BadSetting, match="damaged or cut off"):
            await store.import_archive(wrong, guild_id=OTHER_GUILD)
        assert await communities(store) == 1


ODD_ROWS = {
    "a number that is none": ("beats", {"cost_usd": "a lot"}),
    "endless money": ("beats", {"cost_usd": "1e999999999"}),
    "a time beyond all": ("messages", {"sent_at": "9999-12-31T23:59:59-23:59"}),
    "a list for a number": ("beats", {"agents_in_call": []}),
    "a number for all numbers": ("beats", {"agents_in_call": 10**40}),
    "a table for a text": ("messages", {"content": {"a": 1}}),
    "no row": ("messages", None),
}


@pytest.mark.parametrize("odd", list(ODD_ROWS))
async def test_an_archive_with_a_row_that_nothing_can_be_made_of_leaves_nothing_behind(
    store: SqlStore, lively: CommunityId, tmp_path: Path, odd: str
) -> None:
    path, wrong = tmp_path / "community.zip", tmp_path / "wrong.zip"
    await store.export(lively, path)
    table, fields = ODD_ROWS[odd]
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(wrong, "w") as changed:
        for name in archive.namelist():
            lines = archive.read(name).splitlines()
            if name == f"{table}.jsonl":
                lines[0] = json.dumps(None if fields is None else json.loads(lines[0]) | fields).encode()
            changed.writestr(name, b"".join(line + b"\n" for line in lines))
    with pytest.raises(BadSetting, match="damaged or cut off"):
        await store.import_archive(wrong, guild_id=OTHER_GUILD)
    assert await communities(store) == 1


async def test_an_archive_whose_counts_do_not_fit_leaves_nothing_behind(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    path = tmp_path / "community.zip"
    written = await store.export(lively, path)
    wrong = spoilt(path, counts=dict(written.counts) | {"reactions": 2})
    with pytest.raises(BadSetting, match="damaged or cut off"):
        await store.import_archive(wrong, guild_id=OTHER_GUILD)
    assert await communities(store) == 1


async def test_an_archive_from_a_newer_program_is_refused(store: SqlStore, lively: CommunityId, tmp_path: Path) -> None:
    path = tmp_path / "community.zip"
    await store.export(lively, path)
    with pytest.raises(BadSetting, match="newer Selfroom"):
        await store.import_archive(spoilt(path, format=99), guild_id=OTHER_GUILD)


def bomb(path: Path, name: str, size: int, packed_by: int) -> Path:
    """Replace a file in an archive by many zeros, which take next to nothing packed."""
    bombed = path.with_name("bomb.zip")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(bombed, "w") as changed:
        for there in archive.namelist():
            if there != name:
                changed.writestr(there, archive.read(there))
        info = zipfile.ZipInfo(name)
        info.compress_type = packed_by
        with changed.open(info, "w", force_zip64=True) as file:
            for _ in range(size // 1_000_000):
                file.write(b"0" * 1_000_000)
    return bombed


@pytest.mark.parametrize(
    ("name", "size", "packed_by"),
    [
        ("manifest.json", 70_000_000, zipfile.ZIP_DEFLATED),
        ("images/1.png", 70_000_000, zipfile.ZIP_DEFLATED),
        ("messages.jsonl", 10_000_000, zipfile.ZIP_DEFLATED),
        ("messages.jsonl", 1_000_000, zipfile.ZIP_BZIP2),
        ("messages.jsonl", 1_000_000, zipfile.ZIP_LZMA),
    ],
)
async def test_an_archive_that_unfolds_to_more_than_a_community_is_refused_before_it_is_unpacked(
    store: SqlStore, lively: CommunityId, tmp_path: Path, name: str, size: int, packed_by: int
) -> None:
    path = tmp_path / "community.zip"
    await store.export(lively, path)
    bombed = bomb(path, name, size, packed_by)
    tracemalloc.start()
    with pytest.raises(BadSetting, match="more than any community"):
        await store.import_archive(bombed, guild_id=OTHER_GUILD)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 64_000_000
    assert await communities(store) == 1


async def test_a_server_cannot_get_two_communities(store: SqlStore, lively: CommunityId, tmp_path: Path) -> None:
    path = tmp_path / "community.zip"
    await store.export(lively, path)
    with pytest.raises(BadSetting, match="has a community already"):
        await store.import_archive(path)


async def test_a_column_that_the_archives_program_did_not_know_gets_its_default(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    path, older = tmp_path / "community.zip", tmp_path / "older.zip"
    await store.export(lively, path)
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(older, "w") as changed:
        for name in archive.namelist():
            data = archive.read(name)
            if name == "rooms.jsonl":
                lines = [json.loads(line) for line in data.splitlines()]
                data = b"".join(
                    json.dumps({key: value for key, value in line.items() if key != "compact_asked_at"}).encode()
                    + b"\n"
                    for line in lines
                )
            changed.writestr(name, data)
    moved = await store.import_archive(older, guild_id=OTHER_GUILD)
    async with store.reading() as read:
        view = await read.views.whole(moved.community_id, room_ids=[FIRST])
    assert view.rooms[FIRST].room.compact_asked_at is None


@pytest.mark.parametrize("store", ["memory", "file", "postgresql"], indirect=True)
async def test_a_copy_in_memory_holds_the_same_and_goes_its_own_way(store: SqlStore, lively: CommunityId) -> None:
    before = await everything(store, lively)
    async with await store.clone(lively) as copy:
        assert await everything(copy, lively) == before
        async with copy.reading() as read:
            found = await read.talk.search(lively, "line 3", room_ids=[FIRST])
        assert [message.content[:6] for message, _ in found] == ["line 3"]
        async with copy.writing(lively) as write:
            await hear(write.talk, lively, said("only here", 50))
            assert len(await write.talk.search(lively, "only here", room_ids=[FIRST])) == 1
            await write.talk.delete(lively, [Snowflake(1003)], START)
            assert await write.talk.search(lively, "line 3", room_ids=[FIRST]) == []
    assert await everything(store, lively) == before


async def test_others_have_their_turn_between_any_two_huds_that_are_exported(
    store: SqlStore, community_id: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [EndBeat(beat=beat(id_, hud=f"hud {id_}")) for id_ in range(1, 41)])
    turns, unpacked, real = 0, [], zlib.decompress

    async def look() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def noted(packed: bytes) -> bytes:
        text = real(packed)
        unpacked.extend([turns] if text.startswith(b"hud ") else [])
        return text

    monkeypatch.setattr(zlib, "decompress", noted)
    looking = asyncio.create_task(look())
    await store.export(community_id, tmp_path / "community.zip")
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    assert len(unpacked) == len(set(unpacked)) == 40
