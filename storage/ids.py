"""Small ids, counted per community: read when a transaction opens, written when it commits."""

from typing import get_args

from sqlalchemy import select, update

from bot.core.ports import IdKind
from storage.session import Session, owned
from storage.tables import COUNTERS

KINDS: tuple[IdKind, ...] = get_args(IdKind)


class CountedIds:
    """The counters of one community within one transaction."""

    def __init__(self, community_id: int | None) -> None:
        self._community_id = community_id
        self._last: dict[str, int] = {}
        self._read: dict[str, int] = {}

    async def open(self, session: Session) -> None:
        """Read the counters; PostgreSQL lets nobody else count for the community until the transaction ends."""
        if self._community_id is None:
            return
        found = await session.first(select(COUNTERS).where(owned(COUNTERS, self._community_id)).with_for_update())
        if found is not None:
            self._read = {kind: found[kind] for kind in KINDS}
            self._last = dict(self._read)

    def take(self, kind: IdKind) -> int:
        """Give the next id of a kind."""
        if not self._last:
            raise RuntimeError("ids are counted per community: open the transaction with one that exists")
        self._last[kind] += 1
        return self._last[kind]

    async def flush(self, session: Session) -> None:
        """Write the counters that moved."""
        moved = {kind: last for kind, last in self._last.items() if last != self._read[kind]}
        if moved and self._community_id is not None:
            await session.run(update(COUNTERS).where(owned(COUNTERS, self._community_id)).values(moved))
            self._read = dict(self._last)
