"""A community may bring a model provider of its own.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import Prose

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "providers",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("base_url", Prose(), nullable=True),
        sa.Column("api", sa.String(), nullable=False),
        sa.Column("structured", sa.Boolean(), nullable=False),
        sa.Column("free", sa.Boolean(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("sealed_key", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_providers_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", name=op.f("pk_providers")),
        sqlite_with_rowid=False,
    )
