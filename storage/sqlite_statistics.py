"""What SQLite's planner should think of the tables: most rows are of one community, so its id alone finds nothing.

Without figures SQLite takes the first column of any key for a good one and reads whole communities; figures gathered
from an empty or a young database would be no better. So they are written down here, and plans stay the same as a
database grows. PostgreSQL gathers its own.
"""

from collections.abc import Sequence
from math import prod

from sqlalchemy import Connection, text

from storage.tables import METADATA

ROWS_OF = {"communities": 2, "counters": 2, "agents": 450, "rooms": 450, "memberships": 2_000, "reasons": 900}
MANY = 1_000_000
WAITING = 50  # rows in an index of what waits
DISTINCT = {
    **{"community_id": 2, "room_id": 50, "agent_id": 50, "lane": 3, "shown": 1, "side": 2, "kind": 5},
    **{"input_format": 4, "scope": 2},
}


def tell_planner(connection: Connection) -> None:
    """Write the figures down and let the connection use them; others see them when they next look at the schema."""
    connection.exec_driver_sql("ANALYZE")  # makes the table that holds the figures
    connection.exec_driver_sql("DELETE FROM sqlite_stat1")
    figures = [figure for table in METADATA.sorted_tables for figure in _of_table(connection, table.name)]
    connection.execute(text("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (:table, :index, :figures)"), figures)
    connection.exec_driver_sql("ANALYZE sqlite_schema")


def _of_table(connection: Connection, table: str) -> list[dict[str, str]]:
    figures: list[dict[str, str]] = []
    for _, name, _, origin, is_partial in connection.exec_driver_sql(f"PRAGMA index_list('{table}')").all():
        columns = [row[2] for row in connection.exec_driver_sql(f"PRAGMA index_info('{name}')").all()]
        key = table if origin == "pk" else name  # so SQLite calls the key of a table that is kept in its order
        rows = WAITING if is_partial else ROWS_OF.get(table, MANY)
        figures.append({"table": table, "index": key, "figures": " ".join(map(str, [rows, *_found(rows, columns)]))})
    return figures


def _found(rows: int, columns: Sequence[str]) -> list[int]:
    """Give how many rows one value of the first column finds, of the first two, and so on."""
    distinct = [DISTINCT.get(column, rows) for column in columns]
    return [max(1, rows // prod(distinct[: place + 1])) for place in range(len(distinct))]
