"""What agents carry, keys and requests, and beats.

Revision ID: 0003
Revises: "0002"
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    _minds()
    _journal()
    _actions()
    _lookups()
    _keys()
    _key_holders()
    _requests()
    _key_failures()
    _beats()


def _minds() -> None:
    op.create_table(
        "minds",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("side", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("knowledge", sa.Text(), nullable=True),
        sa.Column("focus", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_minds_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "agent_id", "side", name=op.f("pk_minds")),
        sqlite_with_rowid=False,
    )


def _journal() -> None:
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("community_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_journal_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
    )
    op.create_index(
        op.f("ix_journal_community_id_agent_id_side_id"),
        "journal",
        ["community_id", "agent_id", "side", "id"],
        unique=False,
    )


def _actions() -> None:
    op.create_table(
        "actions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("community_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("beat_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_actions_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_actions")),
    )
    op.create_index(
        op.f("ix_actions_community_id_agent_id_side_id"),
        "actions",
        ["community_id", "agent_id", "side", "id"],
        unique=False,
    )


def _lookups() -> None:
    op.create_table(
        "lookups",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("community_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_lookups_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lookups")),
    )
    op.create_index(
        op.f("ix_lookups_community_id_agent_id_side_id"),
        "lookups",
        ["community_id", "agent_id", "side", "id"],
        unique=False,
    )


def _keys() -> None:
    op.create_table(
        "keys",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.Column("uses_left", sa.Integer(), nullable=True),
        sa.Column("revoked_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_keys_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_keys")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_keys_community_id_room_id"), "keys", ["community_id", "room_id"], unique=False)


def _key_holders() -> None:
    op.create_table(
        "key_holders",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_key_holders_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "key_id", "agent_id", name=op.f("pk_key_holders")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_key_holders_community_id_agent_id"), "key_holders", ["community_id", "agent_id"], unique=False
    )


def _requests() -> None:
    op.create_table(
        "requests",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("requester_agent_id", sa.Integer(), nullable=True),
        sa.Column("requester_person_id", sa.BigInteger(), nullable=True),
        sa.Column("requester_name", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Integer(), nullable=False),
        sa.Column("key_label", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("closed_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_requests_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_requests")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_requests_pending",
        "requests",
        ["community_id", "room_id"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )


def _key_failures() -> None:
    op.create_table(
        "key_failures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("community_id", sa.Integer(), nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.BigInteger(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_key_failures_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_key_failures")),
    )
    op.create_index(
        op.f("ix_key_failures_community_id_room_id_at"), "key_failures", ["community_id", "room_id", "at"], unique=False
    )


def _beats() -> None:
    op.create_table(
        "beats",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("person_id", sa.BigInteger(), nullable=True),
        sa.Column("side", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input_format", sa.String(), nullable=False),
        sa.Column("agents_in_call", sa.Integer(), nullable=False),
        sa.Column("hud", sa.LargeBinary(), nullable=True),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.Column("thoughts", sa.LargeBinary(), nullable=True),
        sa.Column("sections", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_write_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.BigInteger(), nullable=False),
        sa.Column("latency_seconds", sa.Float(), nullable=False),
        sa.Column("response_id", sa.String(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("silent", sa.Boolean(), nullable=False),
        sa.Column("failed", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_beats_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_beats")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_beats_community_id_agent_id_id"), "beats", ["community_id", "agent_id", "id"], unique=False
    )
    op.create_index(op.f("ix_beats_community_id_at"), "beats", ["community_id", "at"], unique=False)
    op.create_index(
        op.f("ix_beats_community_id_person_id_at"), "beats", ["community_id", "person_id", "at"], unique=False
    )
