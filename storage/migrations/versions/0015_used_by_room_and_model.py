"""What was used is added up by room and model too; beats tell for which room they were.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

KEYS = ("community_id", "day", "agent_id", "input_format", "model", "room_id")


def upgrade() -> None:
    """What was used before is of no model and no room that is known."""
    op.add_column("beats", sa.Column("room_id", sa.Integer(), nullable=True))
    if op.get_bind().dialect.name != "sqlite":
        op.add_column("usage", sa.Column("model", sa.Text(), nullable=False, server_default=""))
        op.add_column("usage", sa.Column("room_id", sa.Integer(), nullable=False, server_default="0"))
        op.drop_constraint(op.f("pk_usage"), "usage", type_="primary")
        op.create_primary_key(op.f("pk_usage"), "usage", list(KEYS))
        op.alter_column("usage", "model", server_default=None)
        op.alter_column("usage", "room_id", server_default=None)
        return
    before = sa.Table("usage", sa.MetaData(), autoload_with=op.get_bind())
    kept = [column.name for column in before.columns]
    as_before = [sa.Column(column.name, column.type, nullable=column.nullable) for column in before.columns]
    op.rename_table("usage", "usage_before")
    op.create_table(
        "usage",
        *as_before[:4],  # its key's columns first: SQLite's integrity check takes others' order for NULLs
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("room_id", sa.Integer(), nullable=False),
        *as_before[4:],
        sa.ForeignKeyConstraint(
            ["community_id"], ["communities.id"], name=op.f("fk_usage_community_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(*KEYS, name=op.f("pk_usage")),
        sqlite_with_rowid=False,
    )
    names = ", ".join(kept)
    op.execute(f"INSERT INTO usage ({names}, model, room_id) SELECT {names}, '', 0 FROM usage_before")  # noqa: S608
    op.drop_table("usage_before")
