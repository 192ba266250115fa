"""Updates of some columns of some rows: one statement for each set of columns."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Table, bindparam, update

from storage.session import Session

Update = tuple[Mapping[str, Any], Mapping[str, Any]]  # which row (key columns), what is new


async def update_columns(session: Session, table: Table, community_id: int, updates: Iterable[Update]) -> None:
    """Set columns by key; later updates of a row come after earlier ones. Raises ValueError on an unknown one."""
    for (keys, names), group in groupby(updates, key=_shape):
        if not names:
            continue
        if unknown := set(names) - set(table.c.keys()):
            raise ValueError(f"{table.name} has no column {', '.join(sorted(unknown))}")
        statement = (
            update(table)
            .where(table.c.community_id == community_id, *(table.c[key] == bindparam(f"its_{key}") for key in keys))
            .values({name: bindparam(f"new_{name}") for name in names})
        )
        await session.run(statement, [_values(which, new) for which, new in group])


def _shape(item: Update) -> tuple[Sequence[str], Sequence[str]]:
    which, new = item
    return tuple(which), tuple(new)


def _values(which: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {f"its_{key}": value for key, value in which.items()} | {f"new_{key}": value for key, value in new.items()}
