"""Who was in a room once, so that what is deleted there leaves their stored HUDs too.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
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
