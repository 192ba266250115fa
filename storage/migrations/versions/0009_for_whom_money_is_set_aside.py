"""For whom money is set aside: a family of agents is held to its share before its calls are made.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import Document

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("reservations", sa.Column("agents", Document(), nullable=True))
