"""Agents, their rooms, who is in them, and why who beats."""

from datetime import datetime

from sqlalchemy import BigInteger, Index, text
from sqlmodel import Field

from bot.core.actions.fields import LONGEST_LINE, LONGEST_PROMPT, LONGEST_TEXT
from bot.core.kinds import Detail, MindPart
from bot.core.names import LONGEST_NAME
from storage.columns import Document, Prose, UtcTime
from storage.tables.base import CLUSTERED, LONGEST_LABEL, Owned, Row, of_agent, of_community, of_room

COUNTED = {"autoincrement": False}


class AgentRow(Owned, table=True):
    __tablename__ = "agents"
    __table_args__ = (
        of_community(),
        Index("ix_agents_due", "next_beat_at", sqlite_where=text("next_beat_at IS NOT NULL")),
        CLUSTERED,
    )

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    name: str = Field(sa_type=Prose, max_length=LONGEST_NAME)
    type: str
    prompt: str = Field(sa_type=Prose, max_length=LONGEST_PROMPT)
    model: str = Field(sa_type=Prose, max_length=LONGEST_LINE)
    temperature: float
    avatar_url: str | None = Field(default=None, sa_type=Prose, max_length=LONGEST_LINE)
    interval_seconds: float
    resting_interval_seconds: float
    token_budget: int
    knowledge_percent: int
    recent_actions_percent: int
    rooms_percent: int
    input_format: str
    output_format: str
    can_create_agents: bool = False
    aliases: object = Field(sa_type=Document)
    listens_to_bare_name: bool = True
    created_at: datetime = Field(sa_type=UtcTime)
    created_by: int | None = None
    asleep_until: datetime | None = Field(default=None, sa_type=UtcTime)
    paused_reason: str | None = Field(default=None, sa_type=Prose)
    retired_at: datetime | None = Field(default=None, sa_type=UtcTime)
    next_beat_at: datetime | None = Field(default=None, sa_type=UtcTime)
    last_beat_at: datetime | None = Field(default=None, sa_type=UtcTime)
    last_reason: str | None = None
    last_beat_silent: bool = True
    beat_id: int | None = None
    lease_until: datetime | None = Field(default=None, sa_type=UtcTime)
    failures_in_a_row: int = 0
    backs_off_until: datetime | None = Field(default=None, sa_type=UtcTime)
    spare_model: str = Field(  # or several, with commas
        default="", sa_type=Prose, max_length=LONGEST_LINE, sa_column_kwargs={"server_default": ""}
    )
    detail: str = Field(default=Detail.AUTO.value, sa_column_kwargs={"server_default": Detail.AUTO.value})
    lore: object = Field(default=None, sa_type=Document, nullable=True)  # what a card told of its world
    unusable_in_a_row: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    fault_told_at: datetime | None = Field(default=None, sa_type=UtcTime)


class RoomRow(Owned, table=True):
    """An agent's channel, whose id is the owner's; or a private thread in one."""

    __tablename__ = "rooms"
    __table_args__ = (
        of_community(),
        of_room("thread_of"),
        Index(None, "community_id", "channel_id", unique=True),
        CLUSTERED,
    )

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    channel_id: int | None = Field(default=None, sa_type=BigInteger)
    access: str
    visibility: str
    topic: str = Field(default="", sa_type=Prose, max_length=LONGEST_LINE)
    billboard: str = Field(default="", sa_type=Prose)
    wpm: int
    rpm: int
    hushed_until: datetime | None = Field(default=None, sa_type=UtcTime)
    agent_run: int = 0
    rest_told_at: datetime | None = Field(default=None, sa_type=UtcTime)
    fault_told_at: datetime | None = Field(default=None, sa_type=UtcTime)
    compact_asked_at: datetime | None = Field(default=None, sa_type=UtcTime)
    last_message_at: datetime | None = Field(default=None, sa_type=UtcTime)
    message_count: int = 0  # of those that are shown
    thread_of: int | None = None
    thread_name: str = Field(
        default="", sa_type=Prose, max_length=LONGEST_LABEL, sa_column_kwargs={"server_default": ""}
    )
    people_since: datetime | None = Field(default=None, sa_type=UtcTime)


class MembershipRow(Owned, table=True):
    __tablename__ = "memberships"
    __table_args__ = (of_agent(), of_room(), Index(None, "community_id", "room_id"), CLUSTERED)

    agent_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    room_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    attention: int | None = None
    joined_at: datetime = Field(sa_type=UtcTime)
    joined_after: int = 0
    seen_until: int = 0
    window_start: int = 0
    last_spoke_at: datetime | None = Field(default=None, sa_type=UtcTime)
    overrun_words: int = 0
    patience_seconds: float | None = None


class DepartureRow(Owned, table=True):
    """An agent that was in a room: what is deleted there must leave its stored HUDs too."""

    __tablename__ = "departures"
    __table_args__ = (of_agent(), of_room(), CLUSTERED)

    room_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    agent_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)


class ReasonRow(Owned, table=True):
    """Why an agent is to beat; `room_id` 0 for none."""

    __tablename__ = "reasons"
    __table_args__ = (of_agent(), CLUSTERED)

    agent_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    kind: str = Field(primary_key=True)
    room_id: int = Field(default=0, primary_key=True, sa_column_kwargs=COUNTED)
    message_id: int | None = None
    person_id: int | None = Field(default=None, sa_type=BigInteger)
    by_agent_id: int | None = None
    mentioned: bool = False
    since: datetime = Field(sa_type=UtcTime)
    due_at: datetime = Field(sa_type=UtcTime)
    held_for: str | None = None
    scene_id: int | None = None


class ScheduleRow(Owned, table=True):
    """A message that an agent will say later."""

    __tablename__ = "schedules"
    __table_args__ = (of_agent(), of_room(), Index(None, "at"), CLUSTERED)

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    agent_id: int
    room_id: int
    content: str = Field(sa_type=Prose, max_length=LONGEST_TEXT)
    at: datetime = Field(sa_type=UtcTime)


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
