"""Sealed secrets are sealed anew: after the installation's secret was changed, or when their rows have moved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Table, and_, select, update

from bot.core.errors import BadSetting
from bot.core.ports import Cipher
from bot.core.records import CommunityId
from bot.core.sealing import of_key, of_provider
from storage.session import Session, Values, owned
from storage.tables import KEYS, PROVIDERS

RowName = Callable[[CommunityId, Values], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resealed:
    """How many secrets were sealed anew; `unreadable` are those that nothing opens, left as they are."""

    keys: int
    providers: int
    unreadable: int


async def reseal(session: Session, cipher: Cipher) -> Resealed:
    """Seal all secrets of the installation with its newest secret."""
    keys, closed_keys = await _reseal(session, cipher, KEYS, "ciphertext", _key_row)
    providers, closed_providers = await _reseal(session, cipher, PROVIDERS, "sealed_key", _provider_row)
    return Resealed(keys=keys, providers=providers, unreadable=closed_keys + closed_providers)


async def reseal_moved(
    session: Session, cipher: Cipher, was: CommunityId | None, now: CommunityId, ids: Sequence[int]
) -> int:
    """Bind these keys of a community that came under another id to their new rows; gives how many are not opened.

    `was` None: nobody vouches for where they were. What is not opened is taken away, for it could be anybody's: here it
    could open later, as what is bound to no row does anywhere.
    """
    if was is None:
        return await session.run(update(KEYS).where(owned(KEYS, now), KEYS.c.id.in_(ids)).values(ciphertext=b""))
    _, unreadable = await _reseal(session, cipher, KEYS, "ciphertext", _key_row, KEYS.c.id.in_(ids), was=was, now=now)
    return unreadable


async def take_provider_along(session: Session, cipher: Cipher | None, was: CommunityId, now: CommunityId) -> None:
    """Give a community's own provider to the one that takes its place, the key bound to its new row."""
    row = await session.first(select(PROVIDERS).where(owned(PROVIDERS, was)))
    if row is None:
        return
    secret = None if cipher is None else _opened(cipher, row["sealed_key"], of_provider(was), moved=False)
    sealed = cipher.encrypt(secret, of_provider(now)) if cipher and secret is not None else row["sealed_key"]
    its = update(PROVIDERS).where(owned(PROVIDERS, was))
    await session.run(its.values(community_id=now, sealed_key=sealed))


async def _reseal(
    session: Session,
    cipher: Cipher,
    table: Table,
    column: str,
    row_of: RowName,
    *which: ColumnElement[bool],
    was: CommunityId | None = None,
    now: CommunityId | None = None,
) -> tuple[int, int]:
    resealed = unreadable = 0
    its = which if now is None else (owned(table, now), *which)
    for row in await session.mappings(select(table).where(*its)):
        secret = _opened(cipher, row[column], row_of(was or row["community_id"], row), moved=was is not None)
        unreadable += secret is None
        resealed += secret is not None
        new: dict[str, object] = {}
        if secret is not None:
            new[column] = cipher.encrypt(secret, row_of(row["community_id"], row))
            if "digest" in table.c:
                new["digest"] = cipher.digest(secret)
        elif was is not None:
            new[column] = b""
        if new:
            this = and_(*(part == row[part.name] for part in table.primary_key))
            await session.run(update(table).where(this).values(new))
    return resealed, unreadable


def _opened(cipher: Cipher, sealed: bytes, row: str, *, moved: bool) -> str | None:
    if moved and not cipher.is_bound(sealed):
        return None
    try:
        return cipher.decrypt(sealed, row)
    except BadSetting:
        return None


def _key_row(community_id: CommunityId, row: Values) -> str:
    return of_key(community_id, row["room_id"], row["id"])


def _provider_row(community_id: CommunityId, row: Values) -> str:
    return of_provider(community_id)
