"""An agent may have a spare model, which answers for it while its own fails.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import Prose

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("agents", sa.Column("spare_model", Prose(), server_default="", nullable=False))
