"""Archives that unfold to much more than they weigh are refused before they are unfolded."""

import asyncio
import errno
import json
import os
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import BadSetting
from bot.core.records import CommunityId, Snowflake
from storage import columns
from storage.moving import pages
from storage.moving.archive import fingerprint, manifest_of
from storage.moving.arrival import admitted
from storage.moving.pages import MOST_VALUES, values_in
from storage.moving.ready import put
from storage.session import Values
from storage.store import SqlStore
from tests.factories import person
from tests.storage.test_moving import OTHER_GUILD, lively

__all__ = ["lively"]  # the community that every test here takes
WIDE = b'{"x":[' + b"[]," * 2_000_000 + b"0]}\n"
QUITE_WIDE = b'{"x":[' + b"[]," * 45_000 + b"0]}\n"
MEMORY = 64_000_000
ARCHIVES = Path(__file__).parent / "archives"
Change = Callable[[zipfile.ZipFile, zipfile.ZipInfo, bytes], None]


async def changed(store: SqlStore, community: CommunityId, folder: Path, change: Change, **images: bytes) -> Path:
    """Export the community and write its archive anew, as `change` writes each of its files."""
    path, anew = folder / "community.zip", folder / "changed.zip"
    await store.export(community, path, images)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(anew, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            change(new, info, old.read(info))
    return anew


@pytest.mark.parametrize(
    ("lines", "told"), [(WIDE, "more than any community"), (QUITE_WIDE * 40, "damaged")], ids=["one row", "many rows"]
)
async def test_rows_of_very_many_values_take_little_memory(
    store: SqlStore, lively: CommunityId, tmp_path: Path, lines: bytes, told: str
) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        new.writestr(info.filename, lines if info.filename == "agents.jsonl" else data)

    path = await changed(store, lively, tmp_path, change)
    tracemalloc.start()
    with pytest.raises(BadSetting, match=told):
        await store.import_archive(path, guild_id=OTHER_GUILD)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MEMORY


async def test_the_list_of_an_archive_is_bounded_before_it_is_read(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        info.comment = b"x" * 60_000
        new.writestr(info, data)

    path = await changed(store, lively, tmp_path, change)
    with pytest.raises(BadSetting, match="more than any community"):
        await store.import_archive(path, guild_id=OTHER_GUILD)


async def test_a_manifest_is_at_most_a_megabyte(store: SqlStore, lively: CommunityId, tmp_path: Path) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        new.writestr(info.filename, data + b" " * 1_000_000 if info.filename == "manifest.json" else data)

    path = await changed(store, lively, tmp_path, change)
    with pytest.raises(BadSetting, match="more than any community"):
        await store.import_archive(path, guild_id=OTHER_GUILD)


async def test_a_picture_that_is_named_often_is_read_once(
    store: SqlStore, lively: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        if info.filename == "manifest.json":
            data = json.dumps(json.loads(data) | {"images": ["one"] * 500}).encode()
        new.writestr(info.filename, data)

    path = await changed(store, lively, tmp_path, change, one=b"picture")
    read: list[object] = []
    whole = zipfile.ZipFile.read

    def noted(archive: zipfile.ZipFile, name: str) -> bytes:
        read.append(name)
        return whole(archive, name)

    monkeypatch.setattr(zipfile.ZipFile, "read", noted)
    moved = await store.import_archive(path, guild_id=OTHER_GUILD)
    assert (moved.images, read.count("images/one")) == ({"one": b"picture"}, 1)


def test_a_file_that_is_shorter_than_the_archive_says_is_damage(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as made:
        made.writestr("agents.jsonl", "{}")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert fingerprint(archive, {}).startswith("archive/")
        archive.infolist()[0].file_size += 1
        with pytest.raises(zipfile.BadZipFile, match="not as long"):
            fingerprint(archive, {})


def test_what_stands_in_a_rows_texts_is_not_counted() -> None:
    said = b"[,{" * MOST_VALUES
    assert values_in(b'{"a": ["' + said + b'\\"' + said + b'"], "b": 1}') == 3
    assert values_in(b"," * (MOST_VALUES + 1) + b'"' + b'\\"' * MOST_VALUES) == MOST_VALUES + 1


async def test_a_name_that_nobody_can_have_does_not_come_in(
    store: SqlStore, lively: CommunityId, tmp_path: Path
) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        if info.filename == "agents.jsonl":
            rows = [json.loads(line) | {"name": "x" * 1_000} for line in data.splitlines()]
            data = "\n".join(map(json.dumps, rows)).encode()
        new.writestr(info.filename, data)

    path = await changed(store, lively, tmp_path, change)
    with pytest.raises(BadSetting, match=r"agents.name of more than 50 characters"):
        await store.import_archive(path, guild_id=OTHER_GUILD)


async def test_a_line_is_as_long_as_the_largest_hud_and_no_longer(
    store: SqlStore, lively: CommunityId, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def change(new: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> None:
        if info.filename == "beats.jsonl":
            data = json.dumps(json.loads(data) | {"hud": "x" * size}).encode()
        new.writestr(info.filename, data)

    for size, told in ((1_000_000, ""), (3_300_000, "beats.hud of more than"), (5_000_000, "more than any community")):
        path = await changed(store, lively, tmp_path_factory.mktemp(str(size)), change)
        if told:
            with pytest.raises(BadSetting, match=told):
                await store.import_archive(path, guild_id=OTHER_GUILD)
        else:
            await store.import_archive(path, guild_id=Snowflake(78))


@pytest.mark.parametrize("store", ["file"], indirect=True)
async def test_while_an_archive_is_looked_through_others_write(
    store: SqlStore, lively: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.export(lively, tmp_path / "community.zip")
    begun, written, real = threading.Event(), threading.Event(), admitted

    def slowly(*given: Any, **named: Any) -> Values:  # noqa: ANN401
        begun.set()
        assert written.wait(20)
        return real(*given, **named)

    monkeypatch.setattr(pages, "admitted", slowly)
    importing = asyncio.create_task(store.import_archive(tmp_path / "community.zip", guild_id=OTHER_GUILD))
    assert await asyncio.to_thread(begun.wait, 20)
    try:
        async with asyncio.timeout(10), store.writing(lively) as write:
            await write.people.put(lively, person("written meanwhile"))
    finally:
        written.set()
    assert (await importing).counts["agents"] == 3
    assert {name.split("-")[0] for name in os.listdir(tmp_path)} == {"selfroom.db", "community.zip"}


async def test_no_room_for_what_is_unpacked_is_one_sentence(
    store: SqlStore, lively: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    await store.export(lively, tmp_path / "community.zip")
    monkeypatch.setattr("storage.moving.pages.pickle.dump", full)
    with pytest.raises(BadSetting, match=r"no room to unpack the archive \(No space left on device\)"):
        await store.import_archive(tmp_path / "community.zip", guild_id=OTHER_GUILD)


async def test_what_is_no_file_is_refused_at_once(store: SqlStore, tmp_path: Path) -> None:
    """A pipe that nobody writes into never says anything, and who waits for it hears no signal."""
    os.mkfifo(tmp_path / "pipe")
    for there in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(BadSetting, match="is no file: name an archive"):
            await asyncio.wait_for(store.import_archive(there), 5)


async def test_values_are_packed_before_anybody_waits_for_who_writes_them(
    store: SqlStore, lively: CommunityId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, where = threading.get_ident(), set[bool]()
    real = columns.to_json

    def noted(value: object) -> str:
        where.add(threading.get_ident() == loop)
        return real(value)

    await store.export(lively, tmp_path / "community.zip")
    monkeypatch.setattr("storage.moving.incoming.put", in_threads_alone(monkeypatch, noted))
    await store.import_archive(tmp_path / "community.zip", guild_id=OTHER_GUILD)
    assert where <= {not store.database.is_sqlite}


def in_threads_alone(monkeypatch: pytest.MonkeyPatch, noted: Callable[[object], str]) -> Callable[..., Any]:
    """Have it noted where documents are worded while rows are written."""

    async def written(*given: Any) -> None:  # noqa: ANN401
        with monkeypatch.context() as while_writing:
            while_writing.setattr(columns, "to_json", noted)
            await put(*given)

    return written


def test_of_an_older_archive_too_no_address_comes_in_from_just_anybody() -> None:
    with zipfile.ZipFile(ARCHIVES / "format-1.zip") as archive:
        for handed in (False, True):
            found = [
                file["url"]
                for page in pages.pages_of(archive, manifest_of(archive), handed=handed)
                for file in page.files
            ]
            assert found
            assert any(found) is not handed
