"""Who bore which name, and whose wish it is that agents ignore somebody.

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import Prose

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# Nobody wrote down whose wish it was so far: what a manager decided must not be lifted by whom it was about.
WHOSE = "UPDATE people SET muted = ignored, ignored = :no WHERE ignored = :yes AND forgotten_at IS NULL"

# Usernames are ASCII, so that `lower` does in both databases. || makes text of an id.
BORNE = """
INSERT INTO names (community_id, name, bearer)
SELECT community_id, lower(username), 'person:' || id FROM people WHERE username <> ''
UNION SELECT community_id, lower(sender_name), 'person:' || sender_person_id FROM messages
    WHERE sender_person_id IS NOT NULL AND sender_name <> ''
UNION SELECT community_id, lower(reactor_name), reactor FROM reactions
    WHERE reactor LIKE 'person:%' AND reactor_name <> ''
UNION SELECT community_id, lower(name), 'agent:' || id FROM agents
"""


def upgrade() -> None:
    op.create_table(
        "names",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", Prose(), nullable=False),
        sa.Column("bearer", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_names_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("community_id", "name", "bearer", name=op.f("pk_names")),
        sqlite_with_rowid=False,
    )
    op.execute(BORNE)
    op.add_column("people", sa.Column("muted", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.get_bind().execute(sa.text(WHOSE), {"no": False, "yes": True})
