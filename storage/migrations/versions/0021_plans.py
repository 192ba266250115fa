"""Agents have plans, whose changes are journalled beside those of their knowledge.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    part = sa.Column("part", sa.String(), nullable=False, server_default="knowledge")
    op.add_column("journal", part)
