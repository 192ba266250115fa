"""Private threads are places of their own beside the room they are in; messages tell their public thread's name.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

OF_AN_AGENT = "fk_rooms_community_id_id"
OF_COMMUNITY = ("fk_rooms_community_id", ["community_id"], ["id"])
OF_ROOM = ("fk_rooms_community_id_thread_of", ["community_id", "thread_of"], ["community_id", "id"])


def upgrade() -> None:
    op.add_column("rooms", sa.Column("thread_of", sa.Integer(), nullable=True))
    op.add_column("rooms", sa.Column("thread_name", sa.Text(), server_default="", nullable=False))
    op.add_column("messages", sa.Column("thread_name", sa.Text(), nullable=True))
    of_unknown_kind = sa.text("thread_id IS NOT NULL AND thread_name IS NULL")
    op.create_index(
        "ix_messages_unnamed",
        "messages",
        ["community_id", "room_id", "thread_id"],
        unique=False,
        sqlite_where=of_unknown_kind,
        postgresql_where=of_unknown_kind,
    )
    if op.get_bind().dialect.name == "sqlite":
        _reword_sqlite()
        return
    op.drop_constraint(OF_AN_AGENT, "rooms", type_="foreignkey")
    name, here, there = OF_COMMUNITY
    op.create_foreign_key(name, "rooms", "communities", here, there, ondelete="CASCADE")
    name, here, there = OF_ROOM
    op.create_foreign_key(name, "rooms", "rooms", here, there, ondelete="CASCADE")


def _reword_sqlite() -> None:
    """Change the table's keys in place: to make it anew would drop it, and all that hangs on it with it.

    https://www.sqlite.org/lang_altertable.html#otheralter describes this way for keys, which change no stored row.
    """
    connection = op.get_bind()
    written = connection.exec_driver_sql("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'rooms'")
    before = str(written.scalar_one())
    begin = before.index(f"CONSTRAINT {OF_AN_AGENT} ")
    end = before.index("ON DELETE CASCADE", begin)
    keys = (
        "CONSTRAINT fk_rooms_community_id FOREIGN KEY(community_id) REFERENCES communities (id) ON DELETE CASCADE, "
        "CONSTRAINT fk_rooms_community_id_thread_of FOREIGN KEY(community_id, thread_of) "
        "REFERENCES rooms (community_id, id) "
    )
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    connection.exec_driver_sql(
        "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = 'rooms'",
        (before[:begin] + keys + before[end:],),
    )
    connection.exec_driver_sql(f"PRAGMA schema_version = {int(version) + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema = OFF")
