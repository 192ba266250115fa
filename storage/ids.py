"""Small ids, counted per community: read when a transaction opens, written when it commits."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import get_args

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.ports import IdKind
from storage.prepared import Prepared
from storage.tables import COUNTERS

KINDS: tuple[IdKind, ...] = get_args(IdKind)


class CountedIds:
    """The counters of one community within one transaction."""

    def __init__(self, community_id: int | None) -> None:
        self._community_id = community_id
        self._last: dict[IdKind, int] = {}
        self._read: dict[IdKind, int] = {}

    async def open(self, connection: AsyncConnection) -> None:
        """Read the counters; PostgreSQL lets nobody else count for the community until the transaction ends."""
        if self._community_id is not None:
            self.begin((await connection.execute(READ.statement, {"of_community": self._community_id})).all())

    def begin(self, found: Sequence[Sequence[int]]) -> None:
        """Count on from the community's row of counters, if there is one."""
        if found:
            self._read = dict(zip(KINDS, found[0], strict=True))
            self._last = dict(self._read)

    def take(self, kind: IdKind) -> int:
        """Give the next id of a kind."""
        if not self._last:
            raise RuntimeError("ids are counted per community: open the transaction with one that exists")
        self._last[kind] += 1
        return self._last[kind]

    def written(self, kind: IdKind) -> int:
        """Give the last id of a kind to a statement that writes the counter itself, beside its own rows."""
        self._read[kind] = self._last[kind]
        return self._last[kind]

    def moved(self) -> tuple[Prepared, Mapping[str, int]] | None:
        """Give the statement that writes the counters that moved, with its values, if any did."""
        moved = {kind: last for kind, last in self._last.items() if last != self._read[kind]}
        if not moved or self._community_id is None:
            return None
        self._read = dict(self._last)
        return _writing(tuple(moved)), {"of_community": self._community_id} | _last(moved)

    async def flush(self, connection: AsyncConnection) -> None:
        """Write the counters that moved."""
        if (moved := self.moved()) is not None:
            await connection.execute(moved[0].statement, moved[1])


_ITS = COUNTERS.c.community_id == bindparam("of_community")
READ = Prepared(select(*(COUNTERS.c[kind] for kind in KINDS)).where(_ITS).with_for_update())


@cache
def _writing(kinds: tuple[IdKind, ...]) -> Prepared:
    return Prepared(update(COUNTERS).where(_ITS).values({kind: bindparam(f"last_{kind}") for kind in kinds}))


def _last(moved: Mapping[IdKind, int]) -> dict[str, int]:
    return {f"last_{kind}": last for kind, last in moved.items()}
