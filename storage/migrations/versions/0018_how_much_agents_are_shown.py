"""Agents are shown all, or what a weak mind can bear.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("agents", sa.Column("detail", sa.String(), server_default="auto", nullable=False))
