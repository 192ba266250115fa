"""A community can say how many calls at once its own provider is asked.

Revision ID: 0028
Revises: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("providers", sa.Column("calls_at_once", sa.Integer(), nullable=True))
