"""Scenes: where each stands, its seats, its log of moves without any text, and what happened with the texts."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, false, text
from sqlmodel import Field

from storage.columns import Document, Packed, Prose, Usd, UtcTime
from storage.tables.base import CLUSTERED, Owned, of_room

COUNTED = {"autoincrement": False}
LONGEST_STANDING = 200_000  # characters: some for each of the turns that a scene can have
DUE = text("deadline_at IS NOT NULL")


def _of_scene() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["community_id", "scene_id"], ["scenes.community_id", "scenes.id"], ondelete="CASCADE")


class SceneRow(Owned, table=True):
    """One scene; `standing` is packed, `deadline_at` is there while it runs, or waits in its lobby."""

    __tablename__ = "scenes"
    __table_args__ = (
        of_room(),
        Index("ix_scenes_due", "deadline_at", sqlite_where=DUE, postgresql_where=DUE),
        Index(None, "community_id", "thread_id"),
        CLUSTERED,
    )

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    kind: str
    version: int
    title: str = Field(sa_type=Prose)
    room_id: int
    thread_id: int | None = Field(default=None, sa_type=BigInteger)
    board_post_id: int | None = Field(default=None, sa_type=BigInteger)
    board_at: datetime | None = Field(default=None, sa_type=UtcTime)
    status: str
    options: object = Field(sa_type=Document)
    seed: str
    step: int = 0
    window_step: int = 0
    window_at: datetime | None = Field(default=None, sa_type=UtcTime)
    events: int = 0
    standing: str | None = Field(default=None, sa_type=Packed, max_length=LONGEST_STANDING)
    digest: str = ""
    first_digest: str = ""
    deadline_at: datetime | None = Field(default=None, sa_type=UtcTime)
    seconds_left: int | None = None
    why: str = Field(default="", sa_type=Prose)
    faults: int = 0
    started_by: int = Field(sa_type=BigInteger)
    usd_cap: Decimal = Field(sa_type=Usd)
    created_at: datetime = Field(sa_type=UtcTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcTime)
    outcome: str = Field(default="", sa_type=Prose)


class SeatRow(Owned, table=True):
    """Who sits on a seat of a scene."""

    __tablename__ = "scene_seats"
    __table_args__ = (
        _of_scene(),
        Index(None, "community_id", "person_id"),
        Index(None, "community_id", "agent_id"),
        CLUSTERED,
    )

    scene_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    seat: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    agent_id: int | None = None
    person_id: int | None = Field(default=None, sa_type=BigInteger)
    turns: int = 0
    refused: int = 0
    misses: int = 0
    steps: int = 0
    why: str = Field(default="", sa_type=Prose)
    left_at: datetime | None = Field(default=None, sa_type=UtcTime)
    result: str = ""
    score: int = 0
    usd: Decimal = Field(default=Decimal(0), sa_type=Usd, sa_column_kwargs={"server_default": "0"})
    pings: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    left_by: str = Field(default="", sa_column_kwargs={"server_default": ""})


class MoveRow(Owned, table=True):
    """One accepted move; seat 0 are the rules. Texts stand here by their numbers alone."""

    __tablename__ = "scene_moves"
    __table_args__ = (_of_scene(), CLUSTERED)

    scene_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    step: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    seat: int
    move: str
    arguments: object = Field(sa_type=Document)
    source: str  # of a person's own move with their id: `person:502`
    beat_id: int | None = None
    at: datetime = Field(sa_type=UtcTime)
    digest: str
    standing: str | None = Field(default=None, sa_type=Packed, max_length=LONGEST_STANDING)  # after it, now and then


class EventRow(Owned, table=True):
    """Something that happened, or a text that was given; `text` is empty once it is erased."""

    __tablename__ = "scene_events"
    __table_args__ = (
        _of_scene(),
        Index(None, "community_id", "message_id"),
        Index(None, "community_id", "post_id"),
        CLUSTERED,
    )

    scene_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    step: int
    kind: str
    text: str | None = Field(default=None, sa_type=Prose)
    seat: int = 0
    number: int = 0
    audience: object = Field(default=None, sa_type=Document, nullable=True)
    message_id: int | None = None
    post_id: int | None = Field(default=None, sa_type=BigInteger)
    at: datetime = Field(sa_type=UtcTime)
