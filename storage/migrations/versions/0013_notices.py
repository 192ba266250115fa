"""Notices are found by their time: words that are deleted go from them too.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    notices = sa.text("kind = 'notice'")
    op.create_index(
        "ix_letters_notices",
        "letters",
        ["community_id", "created_at"],
        sqlite_where=notices,
        postgresql_where=notices,
    )
