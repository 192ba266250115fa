"""What is said: messages, reactions, letters, and the index to find it.

Revision ID: 0002
Revises: "0001"
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    _messages()
    _parts()
    _tombstones()
    _early_edits()
    _reactions()
    _checkpoints()
    _letters()
    _index()


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("sender_kind", sa.String(), nullable=False),
        sa.Column("sender_agent_id", sa.Integer(), nullable=True),
        sa.Column("sender_person_id", sa.BigInteger(), nullable=True),
        sa.Column("sender_name", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("sent_at", MOMENT, nullable=False),
        sa.Column("reply_to", sa.Integer(), nullable=True),
        sa.Column("reply_to_discord_id", sa.BigInteger(), nullable=True),
        sa.Column("reactions", sa.Text(), nullable=True),
        sa.Column("edited_at", MOMENT, nullable=True),
        sa.Column("attachments", sa.Text(), nullable=True),
        sa.Column("discord_id", sa.BigInteger(), nullable=True),
        sa.Column("thread_id", sa.BigInteger(), nullable=True),
        sa.Column("beat_id", sa.Integer(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("answers_from_agents", sa.Integer(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_messages_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_messages")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_messages_community_id_discord_id"), "messages", ["community_id", "discord_id"], unique=True
    )
    op.create_index(
        op.f("ix_messages_community_id_room_id_shown_sent_at_id"),
        "messages",
        ["community_id", "room_id", "shown", "sent_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_messages_unresolved",
        "messages",
        ["community_id", "reply_to_discord_id"],
        unique=False,
        sqlite_where=sa.text("reply_to_discord_id IS NOT NULL"),
        postgresql_where=sa.text("reply_to_discord_id IS NOT NULL"),
    )


def _parts() -> None:
    op.create_table(
        "parts",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("discord_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_parts_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "discord_id", name=op.f("pk_parts")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_parts_community_id_message_id"), "parts", ["community_id", "message_id"], unique=False)


def _tombstones() -> None:
    op.create_table(
        "tombstones",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("discord_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_tombstones_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "discord_id", name=op.f("pk_tombstones")),
        sqlite_with_rowid=False,
    )


def _early_edits() -> None:
    op.create_table(
        "early_edits",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("discord_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("edited_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_early_edits_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "discord_id", name=op.f("pk_early_edits")),
        sqlite_with_rowid=False,
    )


def _reactions() -> None:
    op.create_table(
        "reactions",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("emoji", sa.Text(), nullable=False),
        sa.Column("reactor", sa.String(), nullable=False),
        sa.Column("reactor_name", sa.Text(), nullable=False),
        sa.Column("emotion", sa.String(), nullable=True),
        sa.Column("moved_seconds", sa.Float(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_reactions_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "message_id", "emoji", "reactor", name=op.f("pk_reactions")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_reactions_community_id_reactor_at"), "reactions", ["community_id", "reactor", "at"], unique=False
    )


def _checkpoints() -> None:
    op.create_table(
        "checkpoints",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("first_message_id", sa.Integer(), nullable=False),
        sa.Column("last_message_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_checkpoints_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_checkpoints")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_checkpoints_community_id_room_id_id"), "checkpoints", ["community_id", "room_id", "id"], unique=False
    )


def _letters() -> None:
    op.create_table(
        "letters",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.Column("beat_id", sa.Integer(), nullable=True),
        sa.Column("not_before", MOMENT, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("posted_as", sa.Text(), nullable=True),
        sa.Column("last_part", sa.BigInteger(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("closed_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_letters_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_letters")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_letters_community_id_message_id"), "letters", ["community_id", "message_id"], unique=False)
    op.create_index(
        op.f("ix_letters_community_id_room_id_last_part"),
        "letters",
        ["community_id", "room_id", "last_part"],
        unique=False,
    )
    op.create_index(
        "ix_letters_open",
        "letters",
        ["community_id", "room_id", "lane", "id"],
        unique=False,
        sqlite_where=sa.text("state IN ('waiting', 'sending')"),
        postgresql_where=sa.text("state IN ('waiting', 'sending')"),
    )


def _index() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE TEXT SEARCH DICTIONARY selfroom_stem (TEMPLATE = snowball, Language = english)")
        op.execute("CREATE TEXT SEARCH CONFIGURATION selfroom (COPY = simple)")
        op.execute("ALTER TEXT SEARCH CONFIGURATION selfroom ALTER MAPPING FOR asciiword, word WITH selfroom_stem")
        op.execute(
            "CREATE TABLE message_words (community_id INTEGER NOT NULL, message_id INTEGER NOT NULL,"
            " words TSVECTOR NOT NULL, PRIMARY KEY (community_id, message_id),"
            " FOREIGN KEY (community_id, message_id) REFERENCES messages (community_id, id) ON DELETE CASCADE)"
        )
        op.execute("CREATE INDEX message_words_words ON message_words USING gin (words)")
    else:
        op.execute(
            "CREATE VIRTUAL TABLE message_words USING fts5(words, room, content='', columnsize=0,"
            " tokenize='porter unicode61 remove_diacritics 2', detail=full)"
        )
