"""Managers stand in HUDs with their names: what their lines cost is counted anew where it is next needed.

Revision ID: 0014
Revises: 0013
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE messages SET tokens = 0 WHERE sender_kind = 'architect'")
