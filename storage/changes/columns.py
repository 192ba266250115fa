"""Updates of some columns of some rows, in one statement."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Table, bindparam, case, update

from storage.session import Session

Update = tuple[Mapping[str, Any], Mapping[str, Any]]  # which row (key columns), what is new


async def update_columns(session: Session, table: Table, community_id: int, updates: Iterable[Update]) -> None:
    """Set columns by key; later updates of a row come after earlier ones. Raises ValueError on an unknown one."""
    wanted = [(which, new) for which, new in updates if new]
    if not wanted:
        return
    names = sorted({name for _, new in wanted for name in new})
    if unknown := set(names) - set(table.c.keys()):
        raise ValueError(f"{table.name} has no column {', '.join(sorted(unknown))}")
    some = [name for name in names if any(name not in new for _, new in wanted)]
    its = (table.c[key] == bindparam(f"its_{key}") for key in wanted[0][0])
    values = {name: _chosen(table, name) if name in some else bindparam(f"new_{name}") for name in names}
    statement = update(table).where(table.c.community_id == community_id, *its).values(values)
    await session.run(statement, [_values(which, new, names, some) for which, new in wanted])


def _chosen(table: Table, name: str) -> ColumnElement[Any]:
    """A column that only some of the rows change."""
    column = table.c[name]
    return case((bindparam(f"has_{name}", type_=Boolean), bindparam(f"new_{name}", type_=column.type)), else_=column)


def _values(
    which: Mapping[str, Any], new: Mapping[str, Any], names: Sequence[str], some: Sequence[str]
) -> dict[str, Any]:
    keys = {f"its_{key}": value for key, value in which.items()}
    return keys | {f"new_{name}": new.get(name) for name in names} | {f"has_{name}": name in new for name in some}
