"""Attachments in a table of their own, and indexes by which what is old is found.

Revision ID: 0006
Revises: 0005
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

AT_A_TIME = 500
KEPT = "coalesce(hud, answer, thoughts) IS NOT NULL"

ATTACHMENTS = sa.table(
    "attachments",
    *(sa.column(name) for name in ("community_id", "message_id", "place", "name", "media_type", "size_bytes")),
    sa.column("url"),
    sa.column("text"),
)
BEFORE = sa.text(
    "SELECT community_id, id, attachments FROM messages WHERE attachments IS NOT NULL"
    " AND (community_id > :community_id OR (community_id = :community_id AND id > :id))"
    " ORDER BY community_id, id LIMIT :limit"
)
COUNT = sa.text("UPDATE messages SET attachment_count = :count WHERE community_id = :community_id AND id = :id")


def upgrade() -> None:
    _attachments()
    op.add_column("messages", sa.Column("attachment_count", sa.Integer(), server_default="0", nullable=False))
    _move()
    op.drop_column("messages", "attachments")
    for table in ("actions", "journal", "tombstones"):
        op.create_index(op.f(f"ix_{table}_community_id_at"), table, ["community_id", "at"], unique=False)
    op.create_index(
        "ix_beats_kept",
        "beats",
        ["community_id", "at"],
        unique=False,
        sqlite_where=sa.text(KEPT),
        postgresql_where=sa.text(KEPT),
    )


def _attachments() -> None:
    op.create_table(
        "attachments",
        sa.Column("community_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("message_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["community_id", "message_id"],
            ["messages.community_id", "messages.id"],
            name=op.f("fk_attachments_community_id_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("community_id", "message_id", "place", name=op.f("pk_attachments")),
        sqlite_with_rowid=False,
    )


def _move() -> None:
    """Move what lay as JSON beside its message, some messages at a time."""
    connection, last = op.get_bind(), {"community_id": 0, "id": 0}
    while page := connection.execute(BEFORE, last | {"limit": AT_A_TIME}).all():
        files = {(row.community_id, row.id): json.loads(row.attachments) for row in page}
        rows = [row for key, found in files.items() for row in _rows(*key, found)]
        if rows:
            connection.execute(sa.insert(ATTACHMENTS), rows)
            counts = [{"community_id": key[0], "id": key[1], "count": len(found)} for key, found in files.items()]
            connection.execute(COUNT, counts)
        last = {"community_id": page[-1].community_id, "id": page[-1].id}


def _rows(community_id: int, message_id: int, files: list[dict[str, object]]) -> list[dict[str, object]]:
    return [
        {
            "community_id": community_id,
            "message_id": message_id,
            "place": place,
            "name": _storable(file["name"]),
            "media_type": _storable(file["media_type"]),
            "size_bytes": file["size_bytes"],
            "url": _storable(file["url"]),
            "text": _storable(file.get("text")),
        }
        for place, file in enumerate(files)
    ]


def _storable(text: object) -> str | None:
    """JSON held what PostgreSQL's text cannot."""
    return None if text is None else str(text).replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
