"""Which tables a world has, and how their rows are told apart."""

from collections.abc import Mapping
from functools import cache

from sqlalchemy import Table

from storage.tables import METADATA

LEFT_OUT = frozenset(
    {
        *("providers", "kept", "audit", "usage", "reservations", "letters"),  # not copied into a base
        *("tombstones", "early_edits", "timelines"),
    }
)
TABLES: tuple[Table, ...] = tuple(METADATA.sorted_tables)  # in which order rows can be put
IN_ORDER = tuple(table for table in TABLES if table.name not in LEFT_OUT)
BY_NAME: Mapping[str, Table] = {table.name: table for table in TABLES}

# What is measured in real time, or can be had again by running a node again: no delta holds it.
BLANKED: Mapping[str, Mapping[str, object]] = {
    "beats": {"hud": None, "answer": None, "thoughts": None, "response_id": "", "latency_seconds": 0.0},
    "usage": {"latency_seconds": 0.0},
}


@cache
def key_names(table_name: str) -> tuple[str, ...]:
    """Give the columns by which a row is told from all others of its table."""
    return tuple(column.name for column in BY_NAME[table_name].primary_key)


@cache
def column_names(table_name: str) -> tuple[str, ...]:
    """Give all columns, in the order in which a packed row has them."""
    return tuple(column.name for column in BY_NAME[table_name].columns)
