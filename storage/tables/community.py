"""Communities, their people, settings and counters."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import BigInteger, Index, false
from sqlmodel import Field

from storage.columns import Document, Prose, Usd, UtcTime
from storage.tables.base import CLUSTERED, LONGEST_LABEL, Owned, Row, of_community


class CommunityRow(Row, table=True):
    __tablename__ = "communities"

    id: int | None = Field(default=None, primary_key=True)
    guild_id: int = Field(sa_type=BigInteger, unique=True)
    name: str = Field(sa_type=Prose, max_length=LONGEST_LABEL)
    paused: bool = False


class CounterRow(Owned, table=True):
    """The last id given, by kind (`bot.core.ports.IdKind`)."""

    __tablename__ = "counters"
    __table_args__ = (of_community(), CLUSTERED)

    agent: int = 0
    message: int = 0
    key: int = 0
    request: int = 0
    letter: int = 0
    beat: int = 0
    schedule: int = 0
    checkpoint: int = 0
    scene: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    timeline: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class OverrideRow(Owned, table=True):
    """A community's own value for a setting."""

    __tablename__ = "overrides"
    __table_args__ = (of_community(), CLUSTERED)

    name: str = Field(primary_key=True)
    value: object = Field(sa_type=Document)


class KeptRow(Row, table=True):
    """A small value kept by name, for a community or (scope 0) for the installation."""

    __tablename__ = "kept"
    __table_args__ = (CLUSTERED,)

    scope: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    name: str = Field(primary_key=True)
    value: object = Field(sa_type=Document)


class ProviderRow(Owned, table=True):
    """A community's own model provider; its key as it was encrypted. It stays here: no archive or copy has it."""

    __tablename__ = "providers"
    __table_args__ = (of_community(), CLUSTERED)

    base_url: str | None = Field(default=None, sa_type=Prose)
    api: str
    structured: bool = True
    free: bool = False
    prefix: str = ""
    sealed_key: bytes
    calls_at_once: int | None = None


class PersonRow(Owned, table=True):
    """A human; a forgotten one keeps nothing but the id, so that nothing about them comes back."""

    __tablename__ = "people"
    __table_args__ = (of_community(), CLUSTERED)

    id: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False})
    username: str = Field(sa_type=Prose, max_length=LONGEST_LABEL)
    display_name: str = Field(default="", sa_type=Prose, max_length=LONGEST_LABEL)
    is_architect: bool = False
    ignored: bool = False
    forgotten_at: datetime | None = Field(default=None, sa_type=UtcTime)
    muted: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class NameRow(Owned, table=True):
    """A name, folded, that somebody bears or bore here; `bearer` is `agent:5` or `person:123`."""

    __tablename__ = "names"
    __table_args__ = (of_community(), CLUSTERED)

    name: str = Field(primary_key=True, sa_type=Prose, max_length=LONGEST_LABEL)
    bearer: str = Field(primary_key=True)


class AuditRow(Row, table=True):
    """Who changed what."""

    __tablename__ = "audit"
    __table_args__ = (of_community(), Index(None, "community_id", "id"))

    id: int | None = Field(default=None, primary_key=True)
    community_id: int
    at: datetime = Field(sa_type=UtcTime)
    by: str = Field(sa_type=Prose)
    what: str = Field(sa_type=Prose)
    agent_id: int | None = None


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
