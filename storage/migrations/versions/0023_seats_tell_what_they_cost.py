"""Seats of scenes tell what their turns have cost, and whether their person wants to be called.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

SPENT = """
UPDATE scene_seats SET usd = COALESCE((
    SELECT SUM(beats.cost_usd) FROM beats
    WHERE beats.community_id = scene_seats.community_id AND beats.reason = 'turn'
    AND beats.scene_id = scene_seats.scene_id AND beats.agent_id = scene_seats.agent_id
), 0) WHERE agent_id IS NOT NULL
"""


def upgrade() -> None:
    op.add_column("scene_seats", sa.Column("usd", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("scene_seats", sa.Column("pings", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(SPENT)
