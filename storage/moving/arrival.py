"""What an archive may not bring in: deeds at places that it names, money, enums that nobody knows, ids beyond all."""

from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import BigInteger, Integer, Table

from bot.core.kinds import LetterKind, LetterState
from storage.session import Values
from storage.tables import COUNTERS, LETTERS, RESERVATIONS

# They act on what their payload names: a channel, messages or a person of any server would do. Upkeep makes them anew.
AIMED = (LetterKind.PERMISSION, LetterKind.REMOVAL, LetterKind.NOTICE)
OPEN = (LetterState.WAITING, LetterState.SENDING, LetterState.HELD)
MOST = 2**31 - 1  # as far as ids are counted: PostgreSQL keeps no more, and the search index has 2^32 to a community
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2240, 1, 1, tzinfo=UTC)  # as exact as databases keep them


def admitted(table: Table, row: Values) -> Values:
    """Give a row as it may come in; raises ValueError for one that no Selfroom ever wrote."""
    for name, value in row.items():
        if isinstance(value, Decimal) and (not value.is_finite() or value < 0):
            raise ValueError(f"{table.name}.{name} gives money")
        if isinstance(value, datetime) and not EARLIEST <= value <= LATEST:
            raise ValueError(f"{table.name}.{name} is at no time")
        if value is not None and not _is_counted(table, name, value):
            raise ValueError(f"{table.name}.{name} was never counted")
    if table is LETTERS:
        kind, state = LetterKind(row["kind"]), LetterState(row["state"])
        if kind in AIMED and state in OPEN:
            return {**row, "state": LetterState.FAILED}
    if table is RESERVATIONS:
        if row["tokens"] < 0:
            raise ValueError("reservations give tokens")
        return {**row, "paid": False}  # whoever paid there, here it was not this installation
    return dict(row)


def _is_counted(table: Table, name: str, value: object) -> bool:
    """Tell whether a number is one that ids and counts can have; Discord's own ids are longer."""
    kind = table.c[name].type
    if not isinstance(kind, Integer) or isinstance(kind, BigInteger):
        return True
    if not isinstance(value, int):
        return False
    least = 0 if table is COUNTERS or name.endswith("_id") else -MOST
    return (1 if name == "id" else least) <= value <= MOST
