"""A community's own model provider is kept sealed, one to a community, and goes nowhere else."""

import zipfile
from dataclasses import replace
from pathlib import Path

from bot.core.models import OwnProvider
from bot.core.records import CommunityId, Snowflake
from storage.store import SqlStore

OURS = OwnProvider(base_url="https://models.example/v1", api="chat", prefix="mine", sealed_key=b"\x00sealed sesame\xff")
SECRET = b"sealed sesame"


async def keep(store: SqlStore, community_id: CommunityId, provider: OwnProvider | None) -> None:
    async with store.writing(community_id) as write:
        await write.providers.keep(community_id, provider)


async def kept(store: SqlStore, community_id: CommunityId) -> OwnProvider | None:
    async with store.reading() as read:
        return await read.providers.of(community_id)


async def test_a_provider_is_kept_replaced_and_removed(store: SqlStore, community_id: CommunityId) -> None:
    assert await kept(store, community_id) is None
    await keep(store, community_id, OURS)
    assert await kept(store, community_id) == OURS
    later = OwnProvider(
        base_url=None, api="responses", structured=False, free=True, sealed_key=b"another", calls_at_once=2
    )
    await keep(store, community_id, later)
    assert await kept(store, community_id) == later
    await keep(store, community_id, None)
    assert await kept(store, community_id) is None


async def test_each_community_has_its_own(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing() as write:
        other = await write.communities.add(Snowflake(10), "Others")
    await keep(store, community_id, OURS)
    assert await kept(store, other.id) is None
    await keep(store, other.id, replace(OURS, sealed_key=b"theirs"))
    assert await kept(store, community_id) == OURS


async def test_a_key_is_not_shown_where_the_record_is_printed() -> None:
    assert "sesame" not in repr(OURS)


async def test_an_archive_says_what_it_left_out_and_has_no_key(
    store: SqlStore, community_id: CommunityId, tmp_path: Path
) -> None:
    path = tmp_path / "community.zip"
    assert (await store.export(community_id, path)).left_out == ()
    await keep(store, community_id, OURS)
    moved = await store.export(community_id, path, replace=True)
    assert moved.left_out == ("the server's own model provider (/setup provider)",)
    assert "providers" not in moved.counts
    assert SECRET not in _unpacked(path)
    again = await store.import_archive(path, guild_id=Snowflake(77))
    assert again.left_out == moved.left_out
    assert await kept(store, again.community_id) is None
    assert await kept(store, community_id) == OURS


async def test_a_copy_in_memory_has_no_key(store: SqlStore, community_id: CommunityId) -> None:
    await keep(store, community_id, OURS)
    async with await store.clone(community_id) as copy:
        assert await kept(copy, community_id) is None


def _unpacked(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())
