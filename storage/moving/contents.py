"""What belongs to a community, in the order in which it can be put back, and as JSON can hold it."""

import base64
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NotRequired, TypedDict

from pydantic_core import PydanticUndefined
from sqlalchemy import Date, LargeBinary, Table

from bot.core.records import CommunityId
from storage.columns import Packed, Usd, UtcTime, to_plain
from storage.session import Field, Values
from storage.tables import KEPT, METADATA, ROWS

OWNERS = ("community_id", "scope")  # columns that say whose a row is
# the community itself, what is keyed in another way, and trees, whose worlds lie in files that no copy has
ELSEWHERE = {"communities", "kept", "timelines"}
STAYS = {"providers": "the server's own model provider (/setup provider)"}  # not copied: to be set again

TABLES: tuple[Table, ...] = tuple(
    table for table in METADATA.sorted_tables if table.name not in ELSEWHERE and table.name not in STAYS
)
MOVED: tuple[Table, ...] = (*TABLES, KEPT)  # what is kept by name comes last: anybody's cards may have filled it


class AboutCommunity(TypedDict):
    """What an archive says of the community itself."""

    guild_id: int
    name: str
    paused: bool


class Manifest(TypedDict):
    """What an archive says it is, which may be anybody's word."""

    format: int
    community: AboutCommunity
    kept: NotRequired[dict[str, str]]  # until format 2
    counts: dict[str, int]
    images: list[str]
    left_out: list[str]
    sealed_for: CommunityId
    seal: NotRequired[str]


def counts_itself(column: Field) -> bool:
    """Tell whether the database gives the value: such ids mean nothing outside and are given anew."""
    return column.name == "id" and "community_id" not in column.table.primary_key.columns


def to_line(table: Table, row: Values) -> dict[str, object]:
    """Give a row for an archive."""
    return {
        column.name: to_plain(row[column.name])
        for column in table.columns
        if column.name not in OWNERS and not counts_itself(column)
    }


def from_line(table: Table, line: Values) -> dict[str, object]:
    """Give the row of a line; columns that the archive's program did not know get their defaults.

    Raises KeyError, ValueError or TypeError for a line that is not of this table.
    """
    row: dict[str, object] = {}
    for column in table.columns:
        if column.name in OWNERS or counts_itself(column):
            continue
        row[column.name] = _value(column, line[column.name]) if column.name in line else _default(column)
    if unknown := line.keys() - row.keys():
        raise ValueError(f"{table.name} has no {', '.join(sorted(unknown))}")
    return row


def _default(column: Field) -> object:
    default = ROWS[column.table.name].model_fields[column.name].default
    if default is PydanticUndefined:
        raise KeyError(column.name)
    return default


def _value(column: Field, value: Any) -> object:  # noqa: ANN401  # JSON
    if value is None or isinstance(column.type, Packed):
        return value
    match column.type:
        case UtcTime():
            return datetime.fromisoformat(value)
        case Usd():
            return Decimal(value)
        case Date():
            return date.fromisoformat(value)
        case LargeBinary():
            return base64.b64decode(value, validate=True)
        case _:
            return value
