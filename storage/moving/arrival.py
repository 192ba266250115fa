"""What an archive may not bring in: deeds at places that it names, money that it gives, enums that nobody knows."""

from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import Table

from bot.core.kinds import LetterKind, LetterState
from bot.core.scenes.records import SceneStatus
from storage.session import Values
from storage.tables import AGENTS, ATTACHMENTS, LETTERS, RESERVATIONS, SCENES

# They act on what their payload names: a channel, messages or a person of any server would do. Upkeep makes them anew.
AIMED = (LetterKind.PERMISSION, LetterKind.REMOVAL, LetterKind.NOTICE, LetterKind.CLEARING)
ARRIVED_SECONDS = 120  # that a scene which ran where it came from has for its next move
OPEN = (LetterState.WAITING, LetterState.SENDING, LetterState.HELD)
CARRIED = "card:"  # what is kept by such names comes in from anybody: what agents' cards said
PICTURES = "https://"  # which Discord fetches, not we
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2240, 1, 1, tzinfo=UTC)  # as exact as databases keep them


def admitted(table: Table, row: Values, *, handed: bool = False) -> Values:
    """Give a row as it may come in; raises ValueError for one that no Selfroom ever wrote.

    `handed`: from anybody; no address comes in with it then, for we would fetch pictures from there.
    """
    for name, value in row.items():
        if isinstance(value, Decimal) and (not value.is_finite() or value < 0):
            raise ValueError(f"{table.name}.{name} gives money")
        if isinstance(value, datetime) and not EARLIEST <= value <= LATEST:
            raise ValueError(f"{table.name}.{name} is at no time")
    if table is LETTERS:
        kind, state = LetterKind(row["kind"]), LetterState(row["state"])
        if kind in AIMED and state in OPEN:
            return {**row, "state": LetterState.FAILED}
    if table is SCENES and SceneStatus(row["status"]) is SceneStatus.RUNNING:
        return {**row, "status": SceneStatus.PAUSED, "deadline_at": None, "seconds_left": ARRIVED_SECONDS}
    if table is RESERVATIONS:
        if row["tokens"] < 0:
            raise ValueError("reservations give tokens")
        return {**row, "paid": False}  # whoever paid there, here it was not this installation
    if handed and table is ATTACHMENTS:
        return {**row, "url": ""}
    if handed and table is AGENTS and not str(row["avatar_url"]).startswith(PICTURES):
        return {**row, "avatar_url": None}
    return dict(row)
