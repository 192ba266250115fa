"""Of each seat of a scene it is kept which people sat there before whoever does now.

Revision ID: 0027
Revises: 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("scene_seats", sa.Column("left_by", sa.String(), nullable=False, server_default=""))
