"""What differs between two worlds: found by triggers that note keys, packed row by row, and put back in order.

The functions here work with SQLite's own connections to databases in memory, in whatever thread calls them.
"""

import base64
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from storage.timelines.tables import BLANKED, TABLES, column_names, key_names

Plain = None | int | float | str | bytes
Row = tuple[Plain, ...]
Names = Callable[[str], tuple[str, ...]]  # the columns of a table, in order
RAW = -15  # a deflated stream without header and checksum: rows are short
LARGEST_ROW = 16_000_000  # bytes, unpacked: a beat with its HUD is the longest, and a quarter of that
NOTED = "CREATE TEMP TABLE noted (name TEXT NOT NULL, key TEXT NOT NULL)"  # a key as often as its row was written


@dataclass(frozen=True, slots=True)
class Delta:
    """One row that is not as in the parent's world; `packed` None: it is gone."""

    table: str
    key: Row
    packed: bytes | None

    @property
    def key_text(self) -> str:
        """The key as it is stored."""
        return _to_json(self.key)


def capture(connection: sqlite3.Connection) -> None:
    """Have a connection note the keys of all rows that are written, until it is closed."""
    connection.execute(NOTED)
    for table in TABLES:
        for what, rows in (("INSERT", ("NEW",)), ("UPDATE", ("OLD", "NEW")), ("DELETE", ("OLD",))):
            notes = "; ".join(_noting(table.name, row) for row in rows)
            trigger = (
                f"CREATE TEMP TRIGGER note_{what}_{table.name} AFTER {what} ON main.{table.name} BEGIN {notes}; END"
            )
            connection.execute(trigger)


def _noting(table_name: str, row: str) -> str:
    return f"INSERT INTO noted VALUES ('{table_name}', json_array({_columns(table_name, row)}))"  # noqa: S608


def _columns(table_name: str, row: str) -> str:
    return ", ".join(f'{row}."{name}"' for name in key_names(table_name))


def noted(connection: sqlite3.Connection) -> list[tuple[str, Row]]:
    """Give the keys of the rows that were written, in the order in which tables can be put and then of keys."""
    found = connection.execute("SELECT DISTINCT name, key FROM noted").fetchall()
    place = {table.name: number for number, table in enumerate(TABLES)}
    keys = [(name, tuple(json.loads(key))) for name, key in found]
    return sorted(keys, key=lambda one: (place[one[0]], _to_json(one[1])))


def differences(
    before: sqlite3.Connection, after: sqlite3.Connection, keys: Iterable[tuple[str, Row]]
) -> Iterator[Delta]:
    """Give how the rows of some keys differ between two worlds, in the order of the keys."""
    for table_name, key in keys:
        old, new = row_of(before, table_name, key), row_of(after, table_name, key)
        if new is not None:
            new = _without_measures(table_name, new)
            if old is None or not all(map(_is_same, old, new)):
                yield Delta(table_name, key, pack(old, new))
        elif old is not None:
            yield Delta(table_name, key, None)


def _without_measures(table_name: str, row: Row) -> Row:
    if (blanked := BLANKED.get(table_name)) is None:
        return row
    names = column_names(table_name)
    values = dict(zip(names, row, strict=True)) | dict(blanked)
    return tuple(values[name] for name in names)  # type: ignore[misc]  # they are as plain as the others


def names_in(connection: sqlite3.Connection) -> Names:
    """Give what tells a table's columns as a world has them: one from before an update has none of those that are new.

    Columns are only ever added, at the end, so that deltas from before name the same ones by their places.
    """
    known: dict[str, tuple[str, ...]] = {}

    def names(table_name: str) -> tuple[str, ...]:
        if table_name not in known:
            found = connection.execute("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table_name,))
            known[table_name] = tuple(name for (name,) in found)
        return known[table_name]

    return names


def row_of(connection: sqlite3.Connection, table_name: str, key: Row, names: Names = column_names) -> Row | None:
    """Give a row with its columns in order, if it is there."""
    found: Row | None = connection.execute(_reading(table_name, names), key).fetchone()
    return found


def _reading(table_name: str, names: Names) -> str:
    columns = ", ".join(f'"{name}"' for name in names(table_name))
    return f'SELECT {columns} FROM "{table_name}" WHERE {_keyed(table_name)}'  # noqa: S608  # our own names


def _keyed(table_name: str) -> str:
    return " AND ".join(f'"{name}" = ?' for name in key_names(table_name))


def pack(old: Row | None, new: Row) -> bytes:
    """Pack a row: whole where there was none, else what is new of it by the columns' places."""
    if old is None:
        written = _to_json([_as_json(value) for value in new])
    else:
        both = enumerate(zip(old, new, strict=True))
        written = _to_json({at: _as_json(value) for at, (was, value) in both if not _is_same(was, value)})
    packing = zlib.compressobj(9, zlib.DEFLATED, RAW)
    return packing.compress(written.encode()) + packing.flush()


def _is_same(one: Plain, other: Plain) -> bool:
    return type(one) is type(other) and one == other  # 1 and 1.0 lie apart in a column without a type


def unpacked(packed: bytes) -> list[object] | dict[str, object]:
    """Give what was packed: a whole row, or the columns that are new by their places."""
    found: list[object] | dict[str, object] = json.loads(_inflated(packed))
    return found


def _inflated(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj(RAW)
    whole = unpacking.decompress(packed, LARGEST_ROW)
    if not unpacking.eof:
        raise ValueError("a row is cut off, or longer than any")
    return whole


def apply(connection: sqlite3.Connection, deltas: Iterable[Delta], names: Names | None = None) -> None:
    """Bring a world to where it stands after some deltas, the oldest first; raises ValueError where they don't fit.

    `names`: the columns as the deltas have them, where these are not the world's own.
    """
    names = names or names_in(connection)
    rows: dict[tuple[str, Row], Row | None] = {}
    for delta in deltas:
        place = (delta.table, delta.key)
        if delta.packed is None:
            rows[place] = None
            continue
        value = unpacked(delta.packed)
        if isinstance(value, dict) and place not in rows:
            rows[place] = row_of(connection, *place, names)
        rows[place] = _laid_over(value, rows.get(place))
    put(connection, rows, names)


def _laid_over(value: list[object] | dict[str, object], old: Row | None) -> Row:
    if isinstance(value, list):
        return tuple(_as_plain(one) for one in value)
    if old is None:
        raise ValueError("a changed row is not there")
    changed = list(old)
    for at, new in value.items():
        changed[int(at)] = _as_plain(new)
    return tuple(changed)


def put(connection: sqlite3.Connection, rows: dict[tuple[str, Row], Row | None], names: Names) -> None:
    """Set rows, or remove them (None); all go first, so that no two of them are ever in each other's way."""
    removed: dict[str, list[Row]] = {}
    written: dict[str, list[Row]] = {}
    for (table_name, key), row in rows.items():
        removed.setdefault(table_name, []).append(key)
        if row is not None:
            written.setdefault(table_name, []).append(row)
    for table_name, keys in removed.items():
        connection.executemany(f'DELETE FROM "{table_name}" WHERE {_keyed(table_name)}', keys)  # noqa: S608
    for table_name, those in written.items():
        named = names(table_name)
        columns, marks = ", ".join(f'"{name}"' for name in named), ", ".join("?" for _ in named)
        connection.executemany(f'INSERT INTO "{table_name}" ({columns}) VALUES ({marks})', those)  # noqa: S608
    connection.commit()


def digest_of(parent_digest: str, deltas: Sequence[Delta]) -> str:
    """Give what tells a world from others: by its parent's, and what differs from that."""
    whole = sha256(parent_digest.encode())
    for delta in deltas:
        content = b"" if delta.packed is None else _inflated(delta.packed)
        whole.update(f"\n{delta.table} {delta.key_text} {len(content) if delta.packed else -1}\n".encode())
        whole.update(content)
    return whole.hexdigest()


def digest_of_all(connection: sqlite3.Connection) -> str:
    """Give what tells a base from others: by all its rows."""
    whole = sha256()
    for table in TABLES:
        columns = ", ".join(f'"{name}"' for name in column_names(table.name))
        order = ", ".join(f'"{name}"' for name in key_names(table.name))
        for row in connection.execute(f'SELECT {columns} FROM "{table.name}" ORDER BY {order}'):  # noqa: S608
            whole.update(f"\n{table.name} {_to_json([_as_json(value) for value in row])}".encode())
    return whole.hexdigest()


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _as_json(value: Plain) -> object:
    return [base64.b64encode(value).decode()] if isinstance(value, bytes) else value


def _as_plain(value: object) -> Plain:
    return base64.b64decode(value[0]) if isinstance(value, list) else value  # type: ignore[return-value]
