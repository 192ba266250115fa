"""What agents carry: knowledge, focus with plan and feelings, their journal, what they did, and answers that wait."""

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from bot.core.kinds import MindPart
from storage.columns import Document, Prose, UtcTime
from storage.tables.base import CLUSTERED, Owned, Row, of_agent

COUNTED = {"autoincrement": False}


class MindRow(Owned, table=True):
    """Knowledge and focus of one agent on one side of the barrier."""

    __tablename__ = "minds"
    __table_args__ = (of_agent(), CLUSTERED)

    agent_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    side: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    knowledge: object = Field(default=None, sa_type=Document, nullable=True)
    focus: object = Field(default=None, sa_type=Document, nullable=True)


class JournalRow(Row, table=True):
    """One change of knowledge or of a plan: path, before, after, who and when."""

    __tablename__ = "journal"
    __table_args__ = (
        of_agent(),
        Index(None, "community_id", "agent_id", "side", "id"),
        Index(None, "community_id", "at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    community_id: int
    agent_id: int
    side: int
    path: str = Field(sa_type=Prose)
    before: object = Field(default=None, sa_type=Document, nullable=True)
    after: object = Field(default=None, sa_type=Document, nullable=True)
    by: str = Field(sa_type=Prose)
    at: datetime = Field(sa_type=UtcTime)
    part: str = Field(default=MindPart.KNOWLEDGE.value, sa_column_kwargs={"server_default": MindPart.KNOWLEDGE.value})


class ActionRow(Row, table=True):
    """One thing an agent did or was refused."""

    __tablename__ = "actions"
    __table_args__ = (
        of_agent(),
        Index(None, "community_id", "agent_id", "side", "id"),
        Index(None, "community_id", "at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    community_id: int
    agent_id: int
    side: int
    type: str = Field(sa_type=Prose)
    at: datetime = Field(sa_type=UtcTime)
    parameters: object = Field(sa_type=Document)
    accepted: bool
    result: str = Field(sa_type=Prose)
    why: str = Field(sa_type=Prose)
    beat_id: int | None = None


class LookupRow(Row, table=True):
    """An answer that waits for the agent's next HUD."""

    __tablename__ = "lookups"
    __table_args__ = (of_agent(), Index(None, "community_id", "agent_id", "side", "id"))

    id: int | None = Field(default=None, primary_key=True)
    community_id: int
    agent_id: int
    side: int
    question: str = Field(sa_type=Prose)
    answer: object = Field(default=None, sa_type=Document, nullable=True)
