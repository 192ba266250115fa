"""How long and how much what an archive brings in may be: as tables and settings say, else as anything kept here."""

from typing import cast

from sqlalchemy import BigInteger, Float, Integer, LargeBinary, Table
from sqlmodel import AutoString

from bot.core.actions.fields import LARGEST_FILE, LONGEST_LINE
from bot.core.cards import LARGEST_KEPT, MOST_KEPT
from bot.core.config import CommunityConfig
from bot.core.knowledge import LARGEST_KNOWN, MOST_KNOWN, depth_of, values_in
from bot.core.lore import LONGEST_BOOK, MOST_CALLED, MOST_ENTRIES
from bot.core.names import LONGEST_ALIAS, MOST_ALIASES
from bot.core.records import Json
from bot.core.scenes.kind import LONGEST_OPTIONS
from storage.columns import Document, Packed, Prose, to_json
from storage.session import Field, Values
from storage.tables import METADATA, ROWS

LONGEST_CODE = 2_000  # kinds, states, and what others call an answer
LONGEST_PACKED = 3_200_000  # the HUD of the largest budget, of a token's sixteen characters
LONGEST_SEALED = 2_000  # bytes of a sealed key
LARGEST_DOCUMENT = 4 * LARGEST_KNOWN  # a whole mind as JSON
DEEPEST = 60  # levels of a document, as of an answer: what goes through them calls itself for each
LARGEST_NUMBER = 1e9  # seconds of any wait
PERCENT = (0.0, 100.0)
LARGEST_LINE = LONGEST_PACKED + LARGEST_DOCUMENT  # bytes: a beat with its HUD is the longest


def _own_length(column: Field) -> int | None:
    told = ROWS[column.table.name].model_fields[column.name].metadata
    return cast(int | None, next((one.max_length for one in told if hasattr(one, "max_length")), None))


def _longest(column: Field) -> int | None:
    """Give how long a column's values may be, None for those that have no length."""
    if longest := _own_length(column):
        return longest
    match column.type:
        case Packed():
            return LONGEST_PACKED
        case Document():
            return LARGEST_DOCUMENT
        case Prose():
            return LARGEST_FILE
        case LargeBinary():
            return LONGEST_SEALED
        case AutoString():
            return LONGEST_CODE
    return None


LONGEST = {
    (table.name, column.name): longest
    for table in METADATA.tables.values()
    for column in table.columns
    if (longest := _longest(column)) is not None
}


# What people hand in is read on the loop, many rows for one command or beat, of which Selfroom writes none any longer.
LARGEST_SMALL, MOST_SMALL = 20_000, 2_000  # characters of words and documents, and values of these
MIND = ("minds", "knowledge"), ("journal", "before"), ("journal", "after")
SHORTENED = ("beats", "sections"), ("beats", "outcome"), ("actions", "parameters")  # on their way in (arrival)
LONG_FROM_ANYBODY = {
    ("agents", "aliases"): 2 * MOST_ALIASES * (LONGEST_ALIAS + 4),
    ("agents", "lore"): 4 * LONGEST_BOOK,  # with the words that its entries wait for
    ("agents", "paused_reason"): LONGEST_LINE + 200,
    ("attachments", "text"): LARGEST_FILE,
    ("checkpoints", "text"): 50_000,
    ("kept", "value"): 2 * LARGEST_KEPT,  # what cards said
    ("minds", "focus"): 100_000,
    ("rooms", "billboard"): LONGEST_LINE,
    ("usage", "input_format"): 50,
    ("usage", "model"): 200,
    ("scenes", "options"): LONGEST_OPTIONS,
    **dict.fromkeys((("scenes", "standing"), ("scene_moves", "standing")), LARGEST_SMALL),  # thrice the longest game's
    **dict.fromkeys((("scenes", "why"), ("scenes", "outcome")), 2_000),
    **dict.fromkeys((("scene_seats", "why"), ("scene_seats", "result"), ("scene_seats", "left_by")), 1_000),
    **dict.fromkeys(MIND, 2 * LARGEST_KNOWN),
    **dict.fromkeys(SHORTENED, LARGEST_DOCUMENT),
}
MANY_FROM_ANYBODY = {
    **dict.fromkeys(MIND, 2 * MOST_KNOWN),
    ("agents", "lore"): MOST_CALLED + 12 * MOST_ENTRIES,
    ("kept", "value"): 2 * MOST_KEPT,
}


def _longest_from_anybody(place: tuple[str, str]) -> int:
    column = METADATA.tables[place[0]].columns[place[1]]
    is_told = _own_length(column) or isinstance(column.type, Packed)
    return LONG_FROM_ANYBODY.get(place, LONGEST[place] if is_told else min(LONGEST[place], LARGEST_SMALL))


def _range(column: Field) -> tuple[float, float]:
    """Give what a number may be: what agents and rooms have is held to the limits of the setting they begin with."""
    if column.name.endswith("_percent"):
        return PERCENT
    setting = CommunityConfig.model_fields.get(column.name) if column.table.name in ("agents", "rooms") else None
    told = setting.metadata if setting is not None else ()
    least = next((one.ge for one in told if hasattr(one, "ge")), -LARGEST_NUMBER)
    most = next((one.le for one in told if hasattr(one, "le")), LARGEST_NUMBER)
    return cast(float, least), cast(float, most)


RANGES = {
    (table.name, column.name): _range(column)
    for table in METADATA.tables.values()
    for column in table.columns
    if isinstance(column.type, Float) or _range(column) != (-LARGEST_NUMBER, LARGEST_NUMBER)
}


def _places_of(kind: type[object]) -> frozenset[tuple[str, str]]:
    tables = METADATA.tables.values()
    return frozenset(
        (one.name, column.name) for one in tables for column in one.columns if isinstance(column.type, kind)
    )


DOCUMENTS, LONG_NUMBERS = _places_of(Document), _places_of(BigInteger)
COUNTED = _places_of(Integer) - LONG_NUMBERS
LONGEST_FROM_ANYBODY = {place: _longest_from_anybody(place) for place in LONGEST}


def is_number(table: Table, name: str, value: object) -> bool:
    """Tell whether a value is a number that its column can have; others fit where no number is asked for."""
    if (bounds := RANGES.get((table.name, name))) is not None:
        return isinstance(value, int | float) and bounds[0] <= value <= bounds[1]
    return (table.name, name) not in LONG_NUMBERS or (isinstance(value, int) and abs(value) < 1 << 63)


def is_deep(table: Table, name: str, value: object) -> bool:
    """Tell whether more lies within one another in a document than is ever kept."""
    return (table.name, name) in DOCUMENTS and depth_of(cast(Json, value)) > DEEPEST


def is_wide(table: Table, name: str, value: object) -> bool:
    """Tell whether there is more in a document from anybody than is ever kept there."""
    place = (table.name, name)
    most = MANY_FROM_ANYBODY.get(place, MOST_SMALL)
    return place in DOCUMENTS and place not in SHORTENED and values_in(cast(Json, value)) > most


def too_long(table: Table, row: Values, *, handed: bool = False) -> tuple[str, int] | None:
    """Give the first column whose value is longer than any of ours, and how long it may be; `handed`: from anybody."""
    limits = LONGEST_FROM_ANYBODY if handed else LONGEST
    for name, value in row.items():
        longest = limits.get((table.name, name))
        if longest is not None and value is not None:
            text = to_json(value) if (table.name, name) in DOCUMENTS else value
            if isinstance(text, str | bytes) and len(text) > longest:  # what is neither is refused as it is written
                return name, longest
    return None
