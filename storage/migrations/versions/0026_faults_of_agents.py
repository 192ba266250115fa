"""Of each agent it is kept how many of its answers in a row were of no use, and when it was told that its model fails.

Revision ID: 0026
Revises: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

MOMENT = sa.BigInteger().with_variant(sa.DateTime(timezone=True), "postgresql")


def upgrade() -> None:
    op.add_column("agents", sa.Column("unusable_in_a_row", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("agents", sa.Column("fault_told_at", MOMENT, nullable=True))
