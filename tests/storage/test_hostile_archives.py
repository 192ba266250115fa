"""Archives that unfold to much more than they weigh are refused before they are unfolded."""

import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.core.errors import BadSetting
from bot.core.records import CommunityId
from storage.moving.archive import MOST_VALUES, fingerprint, values_in
from storage.store import SqlStore
from tests.storage.test_moving import OTHER_GUILD, lively

__all__ = ["lively"]  # the community that every test here takes
WIDE = b'{"x":[' + b"[]," * 2_000_000 + b"0]}\n"
QUITE_WIDE = b'{"x":[' + b"[]," * 45_000 + b"0]}\n"
MEMORY = 64_000_000
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
