"""Updates of some columns of some rows, in one statement."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from sqlalchemy import Boolean, Table, bindparam, case, update

from storage.prepared import Prepared
from storage.session import Session, Term

MORE = "+"  # before a column's name: what is added to it
Update = tuple[Mapping[str, int], Mapping[str, object]]  # which row (key columns), what is new


async def update_columns(session: Session, table: Table, community_id: int, updates: Iterable[Update]) -> None:
    """Set columns by key; later updates of a row come after earlier ones.

    `MORE` before a name adds to the column, after setting it where both are given.
    """
    wanted = [(which, new) for which, new in updates if new]
    if not wanted:
        return
    names = sorted({name.removeprefix(MORE) for _, new in wanted for name in new})
    some = [name for name in names if any(name not in new for _, new in wanted)]
    added = [name for name in names if any(f"{MORE}{name}" in new for _, new in wanted)]
    statement = _setting(table, tuple(wanted[0][0]), tuple(names), tuple(some), tuple(added))
    of = {"of_community": community_id}
    await session.run(statement, [of | _values(which, new, (names, some, added)) for which, new in wanted])


@lru_cache(maxsize=256)  # to word it takes longer than to execute it
def _setting(
    table: Table, keys: tuple[str, ...], names: tuple[str, ...], some: tuple[str, ...], added: tuple[str, ...]
) -> Prepared:
    its = (table.c[key] == bindparam(f"its_{key}") for key in keys)
    values = {name: _value(table, name, some=name in some, added=name in added) for name in names}
    return Prepared(update(table).where(table.c.community_id == bindparam("of_community"), *its).values(values))


def _value(table: Table, name: str, *, some: bool, added: bool) -> Term:
    """What a column becomes; `some`: only some of the rows set it."""
    column = table.c[name]
    value: Term = bindparam(f"new_{name}", type_=column.type)
    if some:
        value = case((bindparam(f"has_{name}", type_=Boolean), value), else_=column)
    return value + bindparam(f"more_{name}", type_=column.type) if added else value


def _values(
    which: Mapping[str, int], new: Mapping[str, object], columns: tuple[Sequence[str], Sequence[str], Sequence[str]]
) -> dict[str, object]:
    names, some, added = columns
    keys = {f"its_{key}": value for key, value in which.items()}
    has = {f"has_{name}": name in new for name in some}
    more = {f"more_{name}": new.get(f"{MORE}{name}", 0) for name in added}
    return keys | has | more | {f"new_{name}": new.get(name) for name in names}
