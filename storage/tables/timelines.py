"""Trees of timelines, as the live community knows them: never what is in them."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import BigInteger, Index
from sqlmodel import Field

from storage.columns import Prose, Usd, UtcTime
from storage.tables.base import CLUSTERED, Owned, of_community

COUNTED = {"autoincrement": False}


class TimelineRow(Owned, table=True):
    """One tree; `gone` says why its file was deleted, until its maker has been told."""

    __tablename__ = "timelines"
    __table_args__ = (of_community(), Index(None, "community_id", "thread_id"), Index(None, "expires_at"), CLUSTERED)

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    room_id: int
    title: str = Field(sa_type=Prose)
    thread_id: int | None = Field(default=None, sa_type=BigInteger)
    board_post_id: int | None = Field(default=None, sa_type=BigInteger)
    made_by: int = Field(sa_type=BigInteger)
    usd_cap: Decimal = Field(sa_type=Usd)
    created_at: datetime = Field(sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime)
    gone: str = Field(default="", sa_type=Prose, sa_column_kwargs={"server_default": ""})
