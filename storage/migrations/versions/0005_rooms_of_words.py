"""PostgreSQL's full-text index knows the room of each message, as SQLite's does: common words are found without a join.

Revision ID: 0005
Revises: 0004
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute("ALTER TABLE message_words ADD COLUMN room_id INTEGER")
    op.execute(
        "UPDATE message_words SET room_id = messages.room_id FROM messages"
        " WHERE messages.community_id = message_words.community_id AND messages.id = message_words.message_id"
    )
    op.execute("ALTER TABLE message_words ALTER COLUMN room_id SET NOT NULL")
