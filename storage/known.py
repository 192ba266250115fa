"""What the store knows already of messages that come in, asked in one statement."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, literal, select, union_all

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

    def ask(what: str, key: ColumnElement[Any], value: ColumnElement[Any], sought: Collection[int]) -> Select[Any]:
        table = cast(Any, key).table
        found = select(literal(what).label("what"), key, value).where(owned(table, community_id))
        return found.where(session.is_one_of(key, sought))

    asked = [
        ask("messages", MESSAGES.c.discord_id, MESSAGES.c.id, either),
        ask("parts", PARTS.c.discord_id, PARTS.c.message_id, either),
        ask("deleted", TOMBSTONES.c.discord_id, TOMBSTONES.c.discord_id, discord_ids),
        ask("early", EARLY_EDITS.c.discord_id, EARLY_EDITS.c.discord_id, discord_ids),
        ask("awaited", MESSAGES.c.reply_to_discord_id, MESSAGES.c.id, discord_ids),
    ]
    known = Known()
    for what, discord_id, value in await session.rows(union_all(*asked)):
        getattr(known, what)[discord_id] = value
    return known
