"""What all tables share: one metadata with named constraints, and keys that lead to the community."""

from typing import Any, cast

from sqlalchemy import ForeignKeyConstraint, MetaData, Table
from sqlmodel import Field, SQLModel

CLUSTERED = {"sqlite_with_rowid": False}  # SQLite keeps the rows in the order of their primary key

LONGEST_LABEL = 200  # of a name or a label: neither Discord nor we take longer ones

CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Row(SQLModel):
    """A row of Selfroom's own metadata."""

    metadata = MetaData(naming_convention=CONVENTION)


class Owned(Row):
    """A row of one community; the community's id leads its key."""

    community_id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})


def table_of(row: type[Row]) -> Table:
    """Give the table behind a row class, for statements over columns."""
    return cast(Table, cast(Any, row).__table__)  # which SQLModel adds and does not type


def of_community() -> ForeignKeyConstraint:
    """Tie a row to its community."""
    return ForeignKeyConstraint(["community_id"], ["communities.id"], ondelete="CASCADE")


def of_agent(column: str = "agent_id") -> ForeignKeyConstraint:
    """Tie a row to an agent of its community."""
    return ForeignKeyConstraint(["community_id", column], ["agents.community_id", "agents.id"], ondelete="CASCADE")


def of_room(column: str = "room_id") -> ForeignKeyConstraint:
    """Tie a row to a room of its community."""
    return ForeignKeyConstraint(["community_id", column], ["rooms.community_id", "rooms.id"], ondelete="CASCADE")
