"""What an archive may not bring in: deeds at places that it names, money that it gives, enums that nobody knows."""

from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import Table

from bot.core.kinds import LetterKind, LetterState
from storage.session import Values
from storage.tables import LETTERS, RESERVATIONS

# They act on what their payload names: a channel, messages or a person of any server would do. Upkeep makes them anew.
AIMED = (LetterKind.PERMISSION, LetterKind.REMOVAL, LetterKind.NOTICE, LetterKind.CLEARING)
OPEN = (LetterState.WAITING, LetterState.SENDING, LetterState.HELD)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2240, 1, 1, tzinfo=UTC)  # as exact as databases keep them


def admitted(table: Table, row: Values) -> Values:
    """Give a row as it may come in; raises ValueError for one that no Selfroom ever wrote."""
    for name, value in row.items():
        if isinstance(value, Decimal) and (not value.is_finite() or value < 0):
            raise ValueError(f"{table.name}.{name} gives money")
        if isinstance(value, datetime) and not EARLIEST <= value <= LATEST:
            raise ValueError(f"{table.name}.{name} is at no time")
    if table is LETTERS:
        kind, state = LetterKind(row["kind"]), LetterState(row["state"])
        if kind in AIMED and state in OPEN:
            return {**row, "state": LetterState.FAILED}
    if table is RESERVATIONS:
        if row["tokens"] < 0:
            raise ValueError("reservations give tokens")
        return {**row, "paid": False}  # whoever paid there, here it was not this installation
    return dict(row)
