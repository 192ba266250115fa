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
    either = session.many({*discord_ids, *replied_to})
    values = {"community_id": community_id, "these": session.many(discord_ids), "either": either}
    known = Known()
    for what, discord_id, value in await session.rows(_asking(is_sqlite=session.is_sqlite), values):
        getattr(known, what)[discord_id] = value
    return known


@cache  # to word it takes longer than to execute it
def _asking(*, is_sqlite: bool) -> TextClause:
    among = "IN (SELECT value FROM json_each({}))" if is_sqlite else "= ANY({})"
    asked = (
        ("messages", "messages", "discord_id", "id", ":either"),
        ("parts", "parts", "discord_id", "message_id", ":either"),
        ("deleted", "tombstones", "discord_id", "discord_id", ":these"),
        ("early", "early_edits", "discord_id", "discord_id", ":these"),
        ("awaited", "messages", "reply_to_discord_id", "id", ":these"),
    )
    return text(
        " UNION ALL ".join(
            f"SELECT '{what}', {key}, {value} FROM {table}"  # noqa: S608  # our own names
            f" WHERE community_id = :community_id AND {key} {among.format(sought)}"
            for what, table, key, value, sought in asked
        )
    )
