"""All tables, as they stand before the first release.

Revision ID: 0016
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    _communities()
    _kept()
    _agents()
    _audit()
    _counters()
    _early_edits()
    _names()
    _overrides()
    _parts()
    _people()
    _providers()
    _reactions()
    _reservations()
    _rooms()
    _tombstones()
    _usage()
    _actions()
    _beats()
    _checkpoints()
    _departures()
    _journal()
    _key_failures()
    _key_holders()
    _keys()
    _letters()
    _lookups()
    _memberships()
    _messages()
    _minds()
    _reasons()
    _requests()
    _schedules()
    _attachments()
    _index()


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


def _kept() -> None:
    op.create_table(
        "kept",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "name", name=op.f("pk_kept")),
        sqlite_with_rowid=False,
    )


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
        sa.Column("backs_off_until", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_agents_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_agents")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_agents_due", "agents", ["next_beat_at"], unique=False, sqlite_where=sa.text("next_beat_at IS NOT NULL")
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


def _names() -> None:
    op.create_table(
        "names",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bearer", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_names_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "name", "bearer", name=op.f("pk_names")),
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
        sa.Column("muted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_people_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_people")),
        sqlite_with_rowid=False,
    )


def _providers() -> None:
    op.create_table(
        "providers",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("base_url", sa.Text(), nullable=True),
        sa.Column("api", sa.String(), nullable=False),
        sa.Column("structured", sa.Boolean(), nullable=False),
        sa.Column("free", sa.Boolean(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("sealed_key", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_providers_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", name=op.f("pk_providers")),
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


def _reservations() -> None:
    op.create_table(
        "reservations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("community_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("usd", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.Column("agents", sa.Text(), nullable=True),
        sa.Column("paid", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_reservations_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reservations")),
    )
    op.create_index(op.f("ix_reservations_community_id_day"), "reservations", ["community_id", "day"], unique=False)
    op.create_index(op.f("ix_reservations_day_paid"), "reservations", ["day", "paid"], unique=False)


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
        sa.Column("thread_of", sa.Integer(), nullable=True),
        sa.Column("thread_name", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_rooms_community_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["community_id", "thread_of"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_rooms_community_id_thread_of"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_rooms")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_rooms_community_id_channel_id"), "rooms", ["community_id", "channel_id"], unique=True)


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
    op.create_index(op.f("ix_tombstones_community_id_at"), "tombstones", ["community_id", "at"], unique=False)


def _usage() -> None:
    op.create_table(
        "usage",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("agent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("input_format", sa.String(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("room_id", sa.Integer(), autoincrement=False, nullable=False),
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
        sa.PrimaryKeyConstraint(
            "community_id", "day", "agent_id", "input_format", "model", "room_id", name=op.f("pk_usage")
        ),
        sqlite_with_rowid=False,
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
    op.create_index(op.f("ix_actions_community_id_at"), "actions", ["community_id", "at"], unique=False)


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
        sa.Column("room_id", sa.Integer(), nullable=True),
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
    op.create_index(
        "ix_beats_kept",
        "beats",
        ["community_id", "at"],
        unique=False,
        sqlite_where=sa.text("coalesce(hud, answer, thoughts) IS NOT NULL"),
        postgresql_where=sa.text("coalesce(hud, answer, thoughts) IS NOT NULL"),
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


def _departures() -> None:
    op.create_table(
        "departures",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_departures_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_departures_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "room_id", "agent_id", name=op.f("pk_departures")),
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
    op.create_index(op.f("ix_journal_community_id_at"), "journal", ["community_id", "at"], unique=False)


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
        "ix_letters_notices",
        "letters",
        ["community_id", "created_at"],
        unique=False,
        sqlite_where=sa.text("kind = 'notice'"),
        postgresql_where=sa.text("kind = 'notice'"),
    )
    op.create_index(
        "ix_letters_open",
        "letters",
        ["community_id", "room_id", "lane", "id"],
        unique=False,
        sqlite_where=sa.text("state IN ('waiting', 'sending')"),
        postgresql_where=sa.text("state IN ('waiting', 'sending')"),
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
        sa.Column("discord_id", sa.BigInteger(), nullable=True),
        sa.Column("thread_id", sa.BigInteger(), nullable=True),
        sa.Column("beat_id", sa.Integer(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("answers_from_agents", sa.Integer(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.Column("attachment_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("thread_name", sa.Text(), nullable=True),
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
        "ix_messages_unnamed",
        "messages",
        ["community_id", "room_id", "thread_id"],
        unique=False,
        sqlite_where=sa.text("thread_id IS NOT NULL AND thread_name IS NULL"),
        postgresql_where=sa.text("thread_id IS NOT NULL AND thread_name IS NULL"),
    )
    op.create_index(
        "ix_messages_unresolved",
        "messages",
        ["community_id", "reply_to_discord_id"],
        unique=False,
        sqlite_where=sa.text("reply_to_discord_id IS NOT NULL"),
        postgresql_where=sa.text("reply_to_discord_id IS NOT NULL"),
    )


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
        sa.Column("held_for", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "agent_id"],
            ["agents.community_id", "agents.id"],
            name=op.f("fk_reasons_community_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "agent_id", "kind", "room_id", name=op.f("pk_reasons")),
        sqlite_with_rowid=False,
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


def _attachments() -> None:
    op.create_table(
        "attachments",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "message_id"],
            ["messages.community_id", "messages.id"],
            name=op.f("fk_attachments_community_id_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "message_id", "place", name=op.f("pk_attachments")),
        sqlite_with_rowid=False,
    )


def _index() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE TEXT SEARCH DICTIONARY selfroom_stem (TEMPLATE = snowball, Language = english)")
        op.execute("CREATE TEXT SEARCH CONFIGURATION selfroom (COPY = simple)")
        op.execute("ALTER TEXT SEARCH CONFIGURATION selfroom ALTER MAPPING FOR asciiword, word WITH selfroom_stem")
        op.execute(
            "CREATE TABLE message_words (community_id INTEGER NOT NULL, message_id INTEGER NOT NULL,"
            " words TSVECTOR NOT NULL, room_id INTEGER NOT NULL, PRIMARY KEY (community_id, message_id),"
            " FOREIGN KEY (community_id, message_id) REFERENCES messages (community_id, id) ON DELETE CASCADE)"
        )
        op.execute("CREATE INDEX message_words_words ON message_words USING gin (words)")
    else:
        op.execute(
            "CREATE VIRTUAL TABLE message_words USING fts5(words, room, content='', columnsize=0,"
            " tokenize='porter unicode61 remove_diacritics 2', detail=full)"
        )
