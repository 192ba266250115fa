"""Secrets at rest open only in their own row, are sealed anew when the secret changes, and move with a community."""

import base64
import zipfile
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select, update

from bot.adapters.cipher import AesCipher, _derived
from bot.core.access import fitting_key
from bot.core.changes import AddKey
from bot.core.errors import BadSetting
from bot.core.models import OwnProvider
from bot.core.records import AccessKey, AgentId, CommunityId, KeyId, Snowflake
from bot.core.sealing import of_key, of_provider
from storage.store import SqlStore
from storage.tables import KEYS
from tests.fakes import START

ROOM = AgentId(1)
OLD, NEW = AesCipher("the secret of last year"), AesCipher("the secret of this year")
BOTH = AesCipher("the secret of this year", "the secret of last year")


def key(community_id: CommunityId, id: int, secret: str) -> AccessKey:
    return AccessKey(
        id=KeyId(id),
        room_id=ROOM,
        label=f"label {id}",
        ciphertext=OLD.encrypt(secret, of_key(community_id, ROOM, KeyId(id))),
        digest=OLD.digest(secret),
        created_at=START,
    )


async def seal_some(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        keys = [AddKey(key=key(community_id, 1, "sesame")), AddKey(key=key(community_id, 2, "poppy"))]
        await write.apply(community_id, keys)
        sealed = OLD.encrypt("sk-1", of_provider(community_id))
        await write.providers.keep(community_id, OwnProvider(base_url=None, api="chat", sealed_key=sealed))


async def keys_of(store: SqlStore, community_id: CommunityId) -> list[AccessKey]:
    async with store.reading() as read:
        return list(await read.access.keys(community_id))


async def test_all_is_sealed_anew_and_found_by_the_new_secret_alone(store: SqlStore, community_id: CommunityId) -> None:
    await seal_some(store, community_id)
    found = fitting_key("sesame", BOTH.digests("sesame"), await keys_of(store, community_id), (), ROOM, START)
    assert found is not None  # also before it is sealed anew
    done = await store.reseal(BOTH)
    assert (done.keys, done.providers, done.unreadable) == (2, 1, 0)
    keys = await keys_of(store, community_id)
    assert [NEW.decrypt(one.ciphertext, of_key(community_id, ROOM, one.id)) for one in keys] == ["sesame", "poppy"]
    assert fitting_key("sesame", NEW.digests("sesame"), keys, (), ROOM, START) == keys[0]
    async with store.reading() as read:
        own = await read.providers.of(community_id)
    assert own is not None
    assert NEW.decrypt(own.sealed_key, of_provider(community_id)) == "sk-1"


async def test_what_nothing_opens_is_counted_and_left_as_it_is(store: SqlStore, community_id: CommunityId) -> None:
    await seal_some(store, community_id)
    before = await keys_of(store, community_id)
    done = await store.reseal(NEW)
    assert (done.keys, done.providers, done.unreadable) == (0, 0, 3)
    assert await keys_of(store, community_id) == before


async def test_a_ciphertext_copied_to_another_row_does_not_open(store: SqlStore, community_id: CommunityId) -> None:
    await seal_some(store, community_id)
    async with store.database.writing() as connection:
        theirs = select(KEYS.c.ciphertext).where(KEYS.c.id == 1).scalar_subquery()
        await connection.execute(update(KEYS).where(KEYS.c.id == 2).values(ciphertext=theirs))
    copied = (await keys_of(store, community_id))[1]
    with pytest.raises(BadSetting, match="for another row"):
        OLD.decrypt(copied.ciphertext, of_key(community_id, ROOM, copied.id))


async def test_keys_move_with_their_community_for_whom_the_secret_is_known(
    store: SqlStore, community_id: CommunityId, tmp_path: Path
) -> None:
    await seal_some(store, community_id)
    archive = tmp_path / "all.zip"
    await store.export(community_id, archive, cipher=OLD)
    assert b"sesame" not in archive.read_bytes()
    async with await SqlStore.open("sqlite://") as other:
        async with other.writing() as write:
            await write.communities.add(Snowflake(77), "Here before")  # so that ids differ
        with pytest.raises(
            BadSetting, match="2 keys in the archive cannot be opened with this secret, or were changed"
        ):
            await other.import_archive(archive, cipher=NEW)
        moved = await other.import_archive(archive, cipher=BOTH)
        assert moved.community_id != community_id
        keys = await keys_of(other, moved.community_id)
        opened = [NEW.decrypt(one.ciphertext, of_key(moved.community_id, ROOM, one.id)) for one in keys]
        assert opened == ["sesame", "poppy"]
        closed = await other.import_archive(archive, guild_id=Snowflake(78), cipher=NEW, closed=True)
        assert len(await keys_of(other, closed.community_id)) == 2


def changed(path: Path, name: str, *changes: tuple[str, str]) -> Path:
    """Give an archive in which one file was rewritten, and all else is as it was."""
    wrong = path.with_name(f"changed-{path.name}")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(wrong, "w") as into:
        for one in archive.namelist():
            text = archive.read(one).decode()
            for old, new in changes if one == name else ():
                assert old in text
                text = text.replace(old, new)
            into.writestr(one, text)
    return wrong


def as_line(sealed: bytes) -> str:
    return base64.b64encode(sealed).decode()


@pytest.mark.parametrize("how", ["of another community", "of another row", "bound to none"])
async def test_an_import_opens_nothing_that_was_put_into_the_archive(
    store: SqlStore, community_id: CommunityId, tmp_path: Path, how: str
) -> None:
    async with store.writing() as write:
        victim = (await write.communities.add(Snowflake(55), "Victims")).id
    theirs = {
        "of another community": OLD.encrypt("their word", of_key(victim, ROOM, KeyId(1))),
        "of another row": OLD.encrypt("their word", of_key(community_id, AgentId(9), KeyId(4))),
        "bound to none": Fernet(
            base64.urlsafe_b64encode(_derived("the secret of last year", b"selfroom encrypt"))
        ).encrypt(b"their word"),
    }[how]
    await seal_some(store, community_id)
    mine, archive = (await keys_of(store, community_id))[0], tmp_path / "all.zip"
    await store.export(community_id, archive, cipher=OLD)
    forged = changed(archive, "keys.jsonl", (as_line(mine.ciphertext), as_line(theirs)))
    forged = changed(forged, "manifest.json", (f'"sealed_for": {community_id}', f'"sealed_for": {victim}'))
    for wrong in (forged, changed(archive, "keys.jsonl", (as_line(mine.ciphertext), as_line(theirs)))):
        with pytest.raises(
            BadSetting, match="2 keys in the archive cannot be opened with this secret, or were changed"
        ):
            await store.import_archive(wrong, guild_id=Snowflake(78), cipher=OLD)
    came = await store.import_archive(forged, guild_id=Snowflake(79), cipher=OLD, closed=True)
    for one in await keys_of(store, came.community_id):
        with pytest.raises(BadSetting):
            OLD.decrypt(one.ciphertext, of_key(came.community_id, ROOM, one.id))


async def test_tokens_of_older_versions_are_not_opened_even_in_an_archive_of_ours(
    store: SqlStore, community_id: CommunityId, tmp_path: Path
) -> None:
    await seal_some(store, community_id)
    unbound = Fernet(base64.urlsafe_b64encode(_derived("the secret of last year", b"selfroom encrypt"))).encrypt(
        b"word"
    )
    async with store.database.writing() as connection:
        await connection.execute(update(KEYS).where(KEYS.c.id == 2).values(ciphertext=unbound))
    archive = tmp_path / "all.zip"
    await store.export(community_id, archive, cipher=OLD)
    with pytest.raises(BadSetting, match="1 key in the archive cannot be opened with this secret, or was changed"):
        await store.import_archive(archive, guild_id=Snowflake(78), cipher=OLD)
    await store.reseal(OLD)
    await store.export(community_id, archive, cipher=OLD, replace=True)
    came = await store.import_archive(archive, guild_id=Snowflake(78), cipher=OLD)
    keys = await keys_of(store, came.community_id)
    assert [OLD.decrypt(one.ciphertext, of_key(came.community_id, ROOM, one.id)) for one in keys] == ["sesame", "word"]
