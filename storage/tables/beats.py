"""Beats with what they saw and said, what caused them, and what they cost."""

from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import BigInteger, Index, false, text
from sqlmodel import Field

from storage.columns import Document, Packed, Prose, Usd, UtcTime
from storage.tables.base import CLUSTERED, Owned, Row, of_agent, of_community

COUNTED = {"autoincrement": False}
KEPT = "coalesce(hud, answer, thoughts) IS NOT NULL"  # of what was sent and answered


class BeatRow(Owned, table=True):
    """One heartbeat; HUD, answer and thoughts are compressed and emptied when a message in them is deleted."""

    __tablename__ = "beats"
    __table_args__ = (
        of_agent(),
        Index(None, "community_id", "agent_id", "id"),
        Index(None, "community_id", "at"),
        Index(None, "community_id", "person_id", "at"),
        Index("ix_beats_kept", "community_id", "at", sqlite_where=text(KEPT), postgresql_where=text(KEPT)),
        CLUSTERED,
    )

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    agent_id: int
    at: datetime = Field(sa_type=UtcTime)
    reason: str
    person_id: int | None = Field(default=None, sa_type=BigInteger)
    side: int = 0
    model: str = Field(sa_type=Prose)
    input_format: str
    agents_in_call: int
    hud: str | None = Field(default=None, sa_type=Packed)
    answer: str | None = Field(default=None, sa_type=Packed)
    thoughts: str | None = Field(default=None, sa_type=Packed)
    sections: object = Field(default=None, sa_type=Document, nullable=True)
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal = Field(default=Decimal(0), sa_type=Usd)
    latency_seconds: float = 0.0
    response_id: str = ""
    outcome: object = Field(default=None, sa_type=Document, nullable=True)
    silent: bool = True
    failed: str = Field(default="", sa_type=Prose)
    room_id: int | None = None
    scene_id: int | None = None


class UsageRow(Owned, table=True):
    """What an agent used on a UTC day in one format, with one model, for one room: sums that outlive its beats."""

    __tablename__ = "usage"
    __table_args__ = (of_community(), CLUSTERED)

    day: date = Field(primary_key=True)
    agent_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    input_format: str = Field(primary_key=True)
    model: str = Field(default="", primary_key=True, sa_type=Prose)
    room_id: int = Field(default=0, primary_key=True, sa_column_kwargs=COUNTED)  # 0: for none
    beats: int = 0
    silent_beats: int = 0
    input_tokens: int = Field(default=0, sa_type=BigInteger)
    cached_tokens: int = Field(default=0, sa_type=BigInteger)
    cache_write_tokens: int = Field(default=0, sa_type=BigInteger)
    output_tokens: int = Field(default=0, sa_type=BigInteger)
    cost_usd: Decimal = Field(default=Decimal(0), sa_type=Usd)
    latency_seconds: float = 0.0


class ReservationRow(Row, table=True):
    """Money set aside for a call, replaced by what was spent; what is never settled counts in full."""

    __tablename__ = "reservations"
    __table_args__ = (of_community(), Index(None, "community_id", "day"), Index(None, "day", "paid"))

    id: int | None = Field(default=None, primary_key=True)
    community_id: int
    day: date
    usd: Decimal = Field(sa_type=Usd)
    tokens: int = Field(sa_type=BigInteger)
    settled: bool = False
    agents: object = Field(default=None, sa_type=Document, nullable=True)  # those of the call, each with its weight
    paid: bool = Field(default=False, sa_column_kwargs={"server_default": false()})  # by the installation
