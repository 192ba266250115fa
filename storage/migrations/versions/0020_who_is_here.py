"""A room tells agents who is there: not who spoke before somebody was shut out.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import UtcTime

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("rooms", sa.Column("people_since", UtcTime(), nullable=True))
