"""A room tells agents who is there: not who spoke before somebody was shut out.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import UtcTime

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("rooms", sa.Column("people_since", UtcTime(), nullable=True))
