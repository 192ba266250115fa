"""What an archive may not bring in: deeds at places that it names, money, enums that nobody knows, ids beyond all."""

from datetime import UTC, datetime
from decimal import Decimal

from pydantic import ValidationError
from sqlalchemy import Table

from bot.core.cards import KEPT as OF_CARDS
from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.core.kinds import LetterKind, LetterState
from bot.core.scenes.kind import MOST_SEATS
from bot.core.scenes.records import SceneStatus
from storage.columns import to_json
from storage.moving.limits import COUNTED, LARGEST_SMALL, is_deep, is_number, is_wide, too_long
from storage.moving.shapes import check_shape
from storage.session import Values
from storage.tables import (
    ACTIONS,
    AGENTS,
    ATTACHMENTS,
    BEATS,
    COUNTERS,
    KEPT,
    LETTERS,
    LOOKUPS,
    OVERRIDES,
    RESERVATIONS,
    SCENES,
    SEATS,
)

# They act on what their payload names: a channel, messages or a person of any server would do. Upkeep makes them anew.
AIMED = (LetterKind.PERMISSION, LetterKind.REMOVAL, LetterKind.NOTICE, LetterKind.CLEARING)
ARRIVED_SECONDS = 120  # that a scene which ran where it came from has for its next move
OPEN = (LetterState.WAITING, LetterState.SENDING, LetterState.HELD)
STAYED = "What was found stayed behind when everybody moved: look again."
PICTURES = "https://"  # which Discord fetches, not we
LONGEST_WAITING = 2_500  # characters of what a letter from anybody holds that waits to be sent
MOST_LINES, LONGEST_LINE = 200, 2_000  # of what a beat did, of which an answer asks for 50 things, and of one of them
MOST = 2**31 - 1  # as far as ids are counted: PostgreSQL keeps no more, and the search index has 2^32 to a community
TOO_LONG = (
    "In the archive stands a {}.{} of more than {:,} characters, as no Selfroom writes it: export it again; nothing"
    " was imported."
)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2240, 1, 1, tzinfo=UTC)  # as exact as databases keep them


def admitted(table: Table, row: Values, *, handed: bool = False) -> Values:
    """Give a row as it may come in; raises ValueError, or BadSetting, for one that no Selfroom ever wrote.

    `handed`: from anybody; no address comes in with it then, for we would fetch pictures from there, and no more than
    Selfroom itself writes, for it is read on the loop.
    """
    row = {**row, **_disarmed(table, row)} if handed else row
    for name, value in row.items():
        if isinstance(value, Decimal) and (not value.is_finite() or value < 0):
            raise ValueError(f"{table.name}.{name} gives money")
        if isinstance(value, datetime) and not EARLIEST <= value <= LATEST:
            raise ValueError(f"{table.name}.{name} is at no time")
        if value is not None and not _is_counted(table, name, value):
            raise ValueError(f"{table.name}.{name} was never counted")
        if value is not None and not is_number(table, name, value):
            raise ValueError(f"{table.name}.{name} is no number that it can be")
        if is_deep(table, name, value):
            raise ValueError(f"{table.name}.{name} is too deep")
        if handed and is_wide(table, name, value):
            raise ValueError(f"{table.name}.{name} holds too much")
    if handed:
        check_shape(table, row)
    if found := too_long(table, row, handed=handed):
        raise BadSetting(TOO_LONG.format(table.name, *found))
    _check_counts(table, row)
    return {**row, **_altered(table, row)}


def _check_counts(table: Table, row: Values) -> None:
    if table is RESERVATIONS and row["tokens"] < 0:
        raise ValueError("reservations give tokens")
    if table is SEATS and row["seat"] > MOST_SEATS:
        raise ValueError("a scene has more seats than any")


def may_be_kept(name: str, *, handed: bool) -> bool:
    """Tell whether what is kept by a name comes in: from anybody only what agents' cards said."""
    return not handed or name.startswith(OF_CARDS)


def comes_in(table: Table, row: Values, *, handed: bool) -> bool:
    """Tell whether a row comes in: a setting that there is not, or fits nothing, would be looked at with every line.

    Nor does what anybody says was spent elsewhere: it is added up with each beat of its day.
    """
    if handed and table is RESERVATIONS:
        return False
    if table is KEPT:
        return may_be_kept(str(row["name"]), handed=handed)
    return table is not OVERRIDES or (row["name"] in CommunityConfig.model_fields and _fits(row))


def _fits(setting: Values) -> bool:
    try:
        CommunityConfig().tried({setting["name"]: setting["value"]})
    except ValidationError:
        return False
    return True


def _altered(table: Table, row: Values) -> Values:
    """Give what becomes of a row on its way: nothing that aims elsewhere, runs, or says who paid comes in as it was."""
    if table is LETTERS:
        kind, state = LetterKind(row["kind"]), LetterState(row["state"])
        if kind is not LetterKind.POST and len(to_json(row.get("payload"))) > LARGEST_SMALL:
            raise ValueError("a letter without files holds as much as one with many")
        return {"state": LetterState.FAILED} if kind in AIMED and state in OPEN else {}
    if table is SCENES:
        return _at_rest(SceneStatus(row["status"]))
    if table is BEATS:
        return {name: _in_short(row[name]) for name in ("outcome", "sections") if name in row}
    if table is ACTIONS and len(to_json(row["parameters"])) > LONGEST_LINE:
        return {"parameters": {}}
    return {"paid": False} if table is RESERVATIONS else {}  # whoever paid there, here it was not this installation


def _in_short(value: object) -> list[object]:
    """Give what came of a beat, or its sections, as no longer than we write it: hundreds of them are read at once."""
    lines = value[:MOST_LINES] if isinstance(value, list) else []
    return [line for line in lines if len(to_json(line)) <= LONGEST_LINE]


def _at_rest(status: SceneStatus) -> Values:
    """Give what becomes of a scene: only a lobby waits for a time, and nothing stands in it yet."""
    if status is SceneStatus.LOBBY:
        return {"standing": None}
    paused = {"status": SceneStatus.PAUSED, "seconds_left": ARRIVED_SECONDS} if status is SceneStatus.RUNNING else {}
    return {"deadline_at": None, **paused}


def _disarmed(table: Table, row: Values) -> Values:
    """Give what becomes of a row from anybody: files that wait to be posted, and answers to look-ups, stay behind."""
    if table is LETTERS and row["kind"] == LetterKind.POST:
        return {"payload": {}}
    if table is LETTERS and LetterState(row["state"]) in OPEN and len(to_json(row.get("payload"))) > LONGEST_WAITING:
        return {"state": LetterState.FAILED}  # those that wait are read at each look for what is to be sent
    if table is LOOKUPS:
        return {"answer": STAYED}
    if table is AGENTS and not str(row["avatar_url"]).startswith(PICTURES):
        return {"avatar_url": None}
    return {"url": ""} if table is ATTACHMENTS else {}


def _is_counted(table: Table, name: str, value: object) -> bool:
    """Tell whether a number is one that ids and counts can have; Discord's own ids are longer."""
    if (table.name, name) not in COUNTED:
        return True
    if not isinstance(value, int):
        return False
    least = 0 if table is COUNTERS or name.endswith("_id") else -MOST
    return (1 if name == "id" else least) <= value <= MOST
