"""A room tells agents who is there: not who spoke before somebody was shut out.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    op.add_column("rooms", sa.Column("people_since", MOMENT, nullable=True))
