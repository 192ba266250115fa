"""What a beat waits for: why its reason was put off, and until when an agent whose model failed is left alone.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import UtcTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("agents", sa.Column("backs_off_until", UtcTime(), nullable=True))
    op.add_column("reasons", sa.Column("held_for", sa.String(), nullable=True))
