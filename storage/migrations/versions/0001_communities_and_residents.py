"""Communities, their people and settings, agents and rooms.

Revision ID: 0001
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    _communities()
    _counters()
    _overrides()
    _kept()
    _webhooks()
    _people()
    _audit()
    _agents()
    _rooms()
    _memberships()
    _reasons()
    _schedules()
    _usage()
    _reservations()


def _communities() -> None:
    op.create_table(
        "communities",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_communities")),
        sa.UniqueConstraint("guild_id", name=op.f("uq_communities_guild_id")),
    )


def _counters() -> None:
    op.create_table(
        "counters",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent", sa.Integer(), nullable=False),
        sa.Column("message", sa.Integer(), nullable=False),
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("request", sa.Integer(), nullable=False),
        sa.Column("letter", sa.Integer(), nullable=False),
        sa.Column("beat", sa.Integer(), nullable=False),
        sa.Column("schedule", sa.Integer(), nullable=False),
        sa.Column("checkpoint", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_counters_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", name=op.f("pk_counters")),
        sqlite_with_rowid=False,
    )


def _overrides() -> None:
    op.create_table(
        "overrides",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_overrides_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "name", name=op.f("pk_overrides")),
        sqlite_with_rowid=False,
    )


def _kept() -> None:
    op.create_table(
        "kept",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "name", name=op.f("pk_kept")),
        sqlite_with_rowid=False,
    )


def _webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("channel_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("channel_id", name=op.f("pk_webhooks")),
        sqlite_with_rowid=False,
    )


def _people() -> None:
    op.create_table(
        "people",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("is_architect", sa.Boolean(), nullable=False),
        sa.Column("ignored", sa.Boolean(), nullable=False),
        sa.Column("forgotten_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_people_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_people")),
        sqlite_with_rowid=False,
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("community_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_audit_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_community_id_id"), "audit", ["community_id", "id"], unique=False)


def _agents() -> None:
    op.create_table(
        "agents",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("temperature", sa.Float(), nullable=False),
        sa.Column("avatar_url", sa.Text(), nullable=True),
        sa.Column("interval_seconds", sa.Float(), nullable=False),
        sa.Column("resting_interval_seconds", sa.Float(), nullable=False),
        sa.Column("token_budget", sa.Integer(), nullable=False),
        sa.Column("knowledge_percent", sa.Integer(), nullable=False),
        sa.Column("recent_actions_percent", sa.Integer(), nullable=False),
        sa.Column("rooms_percent", sa.Integer(), nullable=False),
        sa.Column("input_format", sa.String(), nullable=False),
        sa.Column("output_format", sa.String(), nullable=False),
        sa.Column("can_create_agents", sa.Boolean(), nullable=False),
        sa.Column("aliases", sa.Text(), nullable=False),
        sa.Column("listens_to_bare_name", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("asleep_until", MOMENT, nullable=True),
        sa.Column("paused_reason", sa.Text(), nullable=True),
        sa.Column("retired_at", MOMENT, nullable=True),
        sa.Column("next_beat_at", MOMENT, nullable=True),
        sa.Column("last_beat_at", MOMENT, nullable=True),
        sa.Column("last_reason", sa.String(), nullable=True),
        sa.Column("last_beat_silent", sa.Boolean(), nullable=False),
        sa.Column("beat_id", sa.Integer(), nullable=True),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.Column("failures_in_a_row", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_agents_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_agents")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_agents_due", "agents", ["next_beat_at"], unique=False, sqlite_where=sa.text("next_beat_at IS NOT NULL")
    )


def _rooms() -> None:
    op.create_table(
        "rooms",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=True),
        sa.Column("access", sa.String(), nullable=False),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("billboard", sa.Text(), nullable=False),
        sa.Column("wpm", sa.Integer(), nullable=False),
        sa.Column("rpm", sa.Integer(), nullable=False),
        sa.Column("hushed_until", MOMENT, nullable=True),
        sa.Column("agent_run", sa.Integer(), nullable=False),
        sa.Column("rest_told_at", MOMENT, nullable=True),
        sa.Column("fault_told_at", MOMENT, nullable=True),
        sa.Column("compact_asked_at", MOMENT, nullable=True),
        sa.Column("last_message_at", MOMENT, nullable=True),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_rooms_community_id_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_rooms")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_rooms_community_id_channel_id"), "rooms", ["community_id", "channel_id"], unique=True)


def _memberships() -> None:
    op.create_table(
        "memberships",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("attention", sa.Integer(), nullable=True),
        sa.Column("joined_at", MOMENT, nullable=False),
        sa.Column("joined_after", sa.Integer(), nullable=False),
        sa.Column("seen_until", sa.Integer(), nullable=False),
        sa.Column("window_start", sa.Integer(), nullable=False),
        sa.Column("last_spoke_at", MOMENT, nullable=True),
        sa.Column("overrun_words", sa.Integer(), nullable=False),
        sa.Column("patience_seconds", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_memberships_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_memberships_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "agent_id", "room_id", name=op.f("pk_memberships")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_memberships_community_id_room_id"), "memberships", ["community_id", "room_id"], unique=False
    )


def _reasons() -> None:
    op.create_table(
        "reasons",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("room_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.BigInteger(), nullable=True),
        sa.Column("by_agent_id", sa.Integer(), nullable=True),
        sa.Column("mentioned", sa.Boolean(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_reasons_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "agent_id", "kind", "room_id", name=op.f("pk_reasons")),
        sqlite_with_rowid=False,
    )


def _schedules() -> None:
    op.create_table(
        "schedules",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_schedules_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_schedules_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_schedules")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_schedules_at"), "schedules", ["at"], unique=False)


def _usage() -> None:
    op.create_table(
        "usage",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("agent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("input_format", sa.String(), nullable=False),
        sa.Column("beats", sa.Integer(), nullable=False),
        sa.Column("silent_beats", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.BigInteger(), nullable=False),
        sa.Column("latency_seconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_usage_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "day", "agent_id", "input_format", name=op.f("pk_usage")),
        sqlite_with_rowid=False,
    )


def _reservations() -> None:
    op.create_table(
        "reservations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("community_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("usd", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_reservations_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reservations")),
    )
    op.create_index(op.f("ix_reservations_community_id_day"), "reservations", ["community_id", "day"], unique=False)
