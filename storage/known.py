"""What the store knows already of messages that come in, asked in one statement."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache

from sqlalchemy import TextClause, text

from storage.session import Session


@dataclass(frozen=True, slots=True)
class Known:
    """By Discord id: stored messages, parts of ours, the deleted, edits that came early, ids that replies wait for."""

    messages: dict[int, int] = field(default_factory=dict)
    parts: dict[int, int] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    early: set[int] = field(default_factory=set)
    awaited: set[int] = field(default_factory=set)

    def reply(self, discord_id: int | None) -> int | None:
        """Give the id of the message that is answered, if it is known."""
        if discord_id is None:
            return None
        return self.messages.get(discord_id) or self.parts.get(discord_id)


async def known_of(
    session: Session, community_id: int, discord_ids: Collection[int], replied_to: Collection[int] = ()
) -> Known:
    """Ask what is known of messages, and of those that they answer."""
    known, these = Known(), set(discord_ids)
    values = {"community_id": community_id, "sought": session.many(these.union(replied_to))}
    for id_, message, part, deleted, early, awaiting in await session.rows(
        _asking(is_sqlite=session.is_sqlite), values
    ):
        if message is not None:
            known.messages[id_] = message
        if part is not None:
            known.parts[id_] = part
        if id_ in these:
            known.deleted.update([id_] if deleted else ())
            known.early.update([id_] if early else ())
            known.awaited.update([id_] if awaiting else ())
    return known


@cache  # to word it takes longer than to execute it
def _asking(*, is_sqlite: bool) -> TextClause:
    """Look each id up by itself: a join would be planned by what PostgreSQL believes of a table that has just begun."""
    looked_up = (
        ("messages", "discord_id", "id"),
        ("parts", "discord_id", "message_id"),
        ("tombstones", "discord_id", "discord_id"),
        ("early_edits", "discord_id", "discord_id"),
        ("messages", "reply_to_discord_id", "id"),
    )
    found = ", ".join(
        f"(SELECT {value} FROM {table} WHERE community_id = :community_id AND {key} = sought.value LIMIT 1)"  # noqa: S608
        for table, key, value in looked_up  # our own names
    )
    sought = "json_each(:sought) AS sought" if is_sqlite else "unnest(CAST(:sought AS bigint[])) AS sought (value)"
    return text(f"SELECT sought.value, {found} FROM {sought}")  # noqa: S608
