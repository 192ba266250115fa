"""What a character card tells of its world is known to its agent while it is spoken of.

Revision ID: 0025
Revises: 0024
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("agents", sa.Column("lore", sa.Text(), nullable=True))
