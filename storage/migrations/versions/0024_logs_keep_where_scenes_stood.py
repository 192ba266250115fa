"""Logs of scenes keep, now and then, where the scene stood: what a fold may begin at.

Revision ID: 0024
Revises: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("scene_moves", sa.Column("standing", sa.LargeBinary(), nullable=True))
