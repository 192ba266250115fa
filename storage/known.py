"""What the store knows already of messages that come in, asked in one statement."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, literal, select, union_all

from storage.session import Session, owned
from storage.tables import EARLY_EDITS, MESSAGES, PARTS, TOMBSTONES


@dataclass(frozen=True, slots=True)
class Known:
    """By Discord id: stored messages, parts of ours, the deleted, edits that came early, ids that replies wait for."""

    messages: dict[int, int] = field(default_factory=dict)
    parts: dict[int, int] = field(default_factory=dict)
    deleted: dict[int, int] = field(default_factory=dict)
    early: dict[int, int] = field(default_factory=dict)
    awaited: dict[int, int] = field(default_factory=dict)

    def reply(self, discord_id: int | None) -> int | None:
        """Give the id of the message that is answered, if it is known."""
        if discord_id is None:
            return None
        return self.messages.get(discord_id) or self.parts.get(discord_id)


async def known_of(
    session: Session, community_id: int, discord_ids: Collection[int], replied_to: Collection[int] = ()
) -> Known:
    """Ask what is known of messages, and of those that they answer."""
    either = {*discord_ids, *replied_to}
    asked = [
        _ask("messages", community_id, MESSAGES, either, MESSAGES.c.id),
        _ask("parts", community_id, PARTS, either, PARTS.c.message_id),
        _ask("deleted", community_id, TOMBSTONES, discord_ids, TOMBSTONES.c.discord_id),
        _ask("early", community_id, EARLY_EDITS, discord_ids, EARLY_EDITS.c.discord_id),
        _ask("awaited", community_id, MESSAGES, discord_ids, MESSAGES.c.id, MESSAGES.c.reply_to_discord_id),
    ]
    known = Known()
    for what, discord_id, value in await session.rows(union_all(*asked)):
        getattr(known, what)[discord_id] = value
    return known


def _ask(
    what: str,
    community_id: int,
    table: Table,
    sought: Collection[int],
    value: ColumnElement[Any],
    by: ColumnElement[Any] | None = None,
) -> Select[Any]:
    key = table.c.discord_id if by is None else by
    return select(literal(what).label("what"), key, value).where(owned(table, community_id), key.in_(sought))
