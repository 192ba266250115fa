"""Keys, who holds them, who knocks, and which keys did not open."""

from datetime import datetime

from sqlalchemy import BigInteger, Index, text
from sqlmodel import Field

from storage.columns import Prose, UtcTime
from storage.tables.base import CLUSTERED, LONGEST_LABEL, Owned, Row, of_agent, of_room

COUNTED = {"autoincrement": False}


class KeyRow(Owned, table=True):
    __tablename__ = "keys"
    __table_args__ = (of_room(), Index(None, "community_id", "room_id"), CLUSTERED)

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    room_id: int
    label: str = Field(sa_type=Prose, max_length=LONGEST_LABEL)
    ciphertext: bytes
    digest: bytes
    created_at: datetime = Field(sa_type=UtcTime)
    expires_at: datetime | None = Field(default=None, sa_type=UtcTime)
    uses_left: int | None = None
    revoked_at: datetime | None = Field(default=None, sa_type=UtcTime)


class HolderRow(Owned, table=True):
    """An agent that holds a key."""

    __tablename__ = "key_holders"
    __table_args__ = (of_agent(), Index(None, "community_id", "agent_id"), CLUSTERED)

    key_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    agent_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)


class RequestRow(Owned, table=True):
    """A knock on a room's door."""

    __tablename__ = "requests"
    __table_args__ = (
        of_room(),
        Index(
            "ix_requests_pending",
            "community_id",
            "room_id",
            sqlite_where=text("state = 'pending'"),
            postgresql_where=text("state = 'pending'"),
        ),
        CLUSTERED,
    )

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    room_id: int
    requester_agent_id: int | None = None
    requester_person_id: int | None = Field(default=None, sa_type=BigInteger)
    requester_name: str = Field(default="", sa_type=Prose, max_length=LONGEST_LABEL)
    key_id: int
    key_label: str = Field(sa_type=Prose, max_length=LONGEST_LABEL)
    state: str
    created_at: datetime = Field(sa_type=UtcTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcTime)


class FailureRow(Row, table=True):
    """A key that did not open a room."""

    __tablename__ = "key_failures"
    __table_args__ = (of_room(), Index(None, "community_id", "room_id", "at"))

    id: int | None = Field(default=None, primary_key=True)
    community_id: int
    room_id: int
    agent_id: int | None = None
    person_id: int | None = Field(default=None, sa_type=BigInteger)
    at: datetime = Field(sa_type=UtcTime)
