"""Scenes: where each stands, its seats, its log, and what happened; turns, beats and messages tell theirs.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    _scenes()
    _scene_events()
    _scene_moves()
    _scene_seats()
    op.add_column("beats", sa.Column("scene_id", sa.Integer(), nullable=True))

    op.add_column("counters", sa.Column("scene", sa.Integer(), server_default="0", nullable=False))

    op.add_column("messages", sa.Column("scene_id", sa.Integer(), nullable=True))

    op.add_column("reasons", sa.Column("scene_id", sa.Integer(), nullable=True))


def _scenes() -> None:
    op.create_table(
        "scenes",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=True),
        sa.Column("board_post_id", sa.BigInteger(), nullable=True),
        sa.Column("board_at", MOMENT, nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("window_step", sa.Integer(), nullable=False),
        sa.Column("window_at", MOMENT, nullable=True),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("standing", sa.LargeBinary(), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("first_digest", sa.String(), nullable=False),
        sa.Column("deadline_at", MOMENT, nullable=True),
        sa.Column("seconds_left", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("started_by", sa.BigInteger(), nullable=False),
        sa.Column("usd_cap", sa.BigInteger(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "room_id"],
            ["rooms.community_id", "rooms.id"],
            name=op.f("fk_scenes_community_id_room_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_scenes")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_scenes_community_id_thread_id"), "scenes", ["community_id", "thread_id"], unique=False)
    op.create_index(
        "ix_scenes_due",
        "scenes",
        ["deadline_at"],
        unique=False,
        sqlite_where=sa.text("deadline_at IS NOT NULL"),
        postgresql_where=sa.text("deadline_at IS NOT NULL"),
    )


def _scene_events() -> None:
    op.create_table(
        "scene_events",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scene_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.Column("post_id", sa.BigInteger(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "scene_id"],
            ["scenes.community_id", "scenes.id"],
            name=op.f("fk_scene_events_community_id_scene_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "scene_id", "id", name=op.f("pk_scene_events")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_scene_events_community_id_message_id"), "scene_events", ["community_id", "message_id"], unique=False
    )
    op.create_index(
        op.f("ix_scene_events_community_id_post_id"), "scene_events", ["community_id", "post_id"], unique=False
    )


def _scene_moves() -> None:
    op.create_table(
        "scene_moves",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scene_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("beat_id", sa.Integer(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "scene_id"],
            ["scenes.community_id", "scenes.id"],
            name=op.f("fk_scene_moves_community_id_scene_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "scene_id", "step", name=op.f("pk_scene_moves")),
        sqlite_with_rowid=False,
    )


def _scene_seats() -> None:
    op.create_table(
        "scene_seats",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("scene_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.BigInteger(), nullable=True),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("left_at", MOMENT, nullable=True),
        sa.Column("result", sa.String(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id", "scene_id"],
            ["scenes.community_id", "scenes.id"],
            name=op.f("fk_scene_seats_community_id_scene_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "scene_id", "seat", name=op.f("pk_scene_seats")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_scene_seats_community_id_agent_id"), "scene_seats", ["community_id", "agent_id"], unique=False
    )
    op.create_index(
        op.f("ix_scene_seats_community_id_person_id"), "scene_seats", ["community_id", "person_id"], unique=False
    )
