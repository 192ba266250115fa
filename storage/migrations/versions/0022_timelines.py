"""Timelines: where each tree is told of, and how long it stays; the worlds themselves lie in files of their own.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "timelines",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=True),
        sa.Column("board_post_id", sa.BigInteger(), nullable=True),
        sa.Column("made_by", sa.BigInteger(), nullable=False),
        sa.Column("usd_cap", sa.BigInteger(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("gone", sa.Text(), nullable=False, server_default=""),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_timelines_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "id", name=op.f("pk_timelines")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_timelines_community_id_thread_id"), "timelines", ["community_id", "thread_id"])
    op.create_index(op.f("ix_timelines_expires_at"), "timelines", ["expires_at"])
    op.add_column("counters", sa.Column("timeline", sa.Integer(), server_default="0", nullable=False))
