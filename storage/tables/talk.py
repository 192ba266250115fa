"""What is said: messages, their parts on Discord, reactions, and what arrives out of order."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, text
from sqlmodel import Field

from bot.core.actions.fields import LONGEST_TEXT
from storage.columns import Document, Prose, UtcTime
from storage.tables.base import CLUSTERED, LONGEST_LABEL, Owned, of_community, of_room

COUNTED = {"autoincrement": False}
UNNAMED = "thread_id IS NOT NULL AND thread_name IS NULL"


class MessageRow(Owned, table=True):
    """One line in a room; `shown` only once it is on Discord. `reactions` are the counts, made from their rows."""

    __tablename__ = "messages"
    __table_args__ = (
        of_room(),
        Index(None, "community_id", "room_id", "shown", "sent_at", "id"),
        Index(None, "community_id", "discord_id", unique=True),
        Index(
            "ix_messages_unresolved",
            "community_id",
            "reply_to_discord_id",
            sqlite_where=text("reply_to_discord_id IS NOT NULL"),
            postgresql_where=text("reply_to_discord_id IS NOT NULL"),
        ),
        Index(
            "ix_messages_unnamed",
            "community_id",
            "room_id",
            "thread_id",
            sqlite_where=text(UNNAMED),
            postgresql_where=text(UNNAMED),
        ),
        CLUSTERED,
    )

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    room_id: int
    sender_kind: str
    sender_agent_id: int | None = None
    sender_person_id: int | None = Field(default=None, sa_type=BigInteger)
    sender_name: str = Field(default="", sa_type=Prose, max_length=LONGEST_LABEL)
    content: str = Field(sa_type=Prose, max_length=2 * LONGEST_TEXT)  # with what is embedded in a person's
    type: str
    sent_at: datetime = Field(sa_type=UtcTime)
    reply_to: int | None = None
    reply_to_discord_id: int | None = Field(default=None, sa_type=BigInteger)  # until that message is known
    reactions: object = Field(default=None, sa_type=Document, nullable=True)
    edited_at: datetime | None = Field(default=None, sa_type=UtcTime)
    discord_id: int | None = Field(default=None, sa_type=BigInteger)
    thread_id: int | None = Field(default=None, sa_type=BigInteger)
    beat_id: int | None = None
    tokens: int = 0
    answers_from_agents: int = 0
    shown: bool = True
    attachment_count: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    thread_name: str | None = Field(default=None, sa_type=Prose, max_length=LONGEST_LABEL)
    scene_id: int | None = None  # never shown in a room


class AttachmentRow(Owned, table=True):
    """A file beside a message; `text` is what could be read of it."""

    __tablename__ = "attachments"
    __table_args__ = (
        ForeignKeyConstraint(
            ["community_id", "message_id"], ["messages.community_id", "messages.id"], ondelete="CASCADE"
        ),
        CLUSTERED,
    )

    message_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    place: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    name: str = Field(sa_type=Prose)
    media_type: str = Field(sa_type=Prose)
    size_bytes: int = Field(sa_type=BigInteger)
    url: str = Field(sa_type=Prose)
    text: str | None = Field(default=None, sa_type=Prose)


class PartRow(Owned, table=True):
    """A Discord message that is a part of a long message of ours, beside its first."""

    __tablename__ = "parts"
    __table_args__ = (of_community(), Index(None, "community_id", "message_id"), CLUSTERED)

    discord_id: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=COUNTED)
    message_id: int


class TombstoneRow(Owned, table=True):
    """A message that was deleted: it must not come back."""

    __tablename__ = "tombstones"
    __table_args__ = (of_community(), Index(None, "community_id", "at"), CLUSTERED)

    discord_id: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=COUNTED)
    at: datetime = Field(sa_type=UtcTime)


class EarlyEditRow(Owned, table=True):
    """An edit that came before its message."""

    __tablename__ = "early_edits"
    __table_args__ = (of_community(), CLUSTERED)

    discord_id: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=COUNTED)
    content: str = Field(sa_type=Prose, max_length=2 * LONGEST_TEXT)
    tokens: int
    edited_at: datetime = Field(sa_type=UtcTime)


class ReactionRow(Owned, table=True):
    """One reactor's reaction; `reactor` is `agent:5`, `person:123` or `system`."""

    __tablename__ = "reactions"
    __table_args__ = (of_community(), Index(None, "community_id", "reactor", "at"), CLUSTERED)

    message_id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    emoji: str = Field(primary_key=True, sa_type=Prose, max_length=LONGEST_LABEL)
    reactor: str = Field(primary_key=True)
    reactor_name: str = Field(default="", sa_type=Prose, max_length=LONGEST_LABEL)
    emotion: str | None = None
    moved_seconds: float = 0.0
    at: datetime = Field(sa_type=UtcTime)


class CheckpointRow(Owned, table=True):
    """A summary of a stretch of a room."""

    __tablename__ = "checkpoints"
    __table_args__ = (of_room(), Index(None, "community_id", "room_id", "id"), CLUSTERED)

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    room_id: int
    first_message_id: int
    last_message_id: int
    text: str = Field(sa_type=Prose)
    created_at: datetime = Field(sa_type=UtcTime)


class LetterRow(Owned, table=True):
    """An outgoing effect; `lane` is the queue of its room that it stands in."""

    __tablename__ = "letters"
    __table_args__ = (
        of_room(),
        Index(
            "ix_letters_open",
            "community_id",
            "room_id",
            "lane",
            "id",
            sqlite_where=text("state IN ('waiting', 'sending')"),
            postgresql_where=text("state IN ('waiting', 'sending')"),
        ),
        Index(
            "ix_letters_notices",
            "community_id",
            "created_at",
            sqlite_where=text("kind = 'notice'"),
            postgresql_where=text("kind = 'notice'"),
        ),
        Index(None, "community_id", "room_id", "last_part"),
        Index(None, "community_id", "message_id"),
        CLUSTERED,
    )

    id: int = Field(primary_key=True, sa_column_kwargs=COUNTED)
    room_id: int
    kind: str
    lane: str
    payload: object = Field(sa_type=Document)
    state: str
    message_id: int | None = None
    beat_id: int | None = None
    not_before: datetime = Field(sa_type=UtcTime)
    attempts: int = 0
    posted_as: object = Field(default=None, sa_type=Document, nullable=True)
    last_part: int | None = Field(default=None, sa_type=BigInteger)
    created_at: datetime = Field(sa_type=UtcTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcTime)
