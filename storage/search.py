"""Full-text search, newest first, in the rooms that the asker may see."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Integer, Select, and_, any_, bindparam, column, func, literal, select, table, text, true

from bot.core.records import AgentId, CommunityId, Message
from storage.messages import MESSAGE, NEWEST_FIRST, Messages, messages_where
from storage.session import owned
from storage.tables import MESSAGES, ROOMS
from storage.talking import SHIFT, index
from storage.words import excerpt_of, phrases_of

WORDS = table(
    "message_words", column("rowid"), column("community_id"), column("message_id"), column("room_id"), column("words")
)
NEWEST = 2_000  # messages in which PostgreSQL looks first
SCANNED = 5_000  # a query without a word (`%`) is looked for as text in so many of the newest messages

Found = Sequence[tuple[Message, str]]


class Searching(Messages):
    """Search over messages."""

    async def search(
        self, community_id: CommunityId, query: str, *, room_ids: Sequence[AgentId], limit: int = 20
    ) -> Found:
        """Find messages in these rooms by words, newest first, each with an excerpt around the match."""
        phrases = phrases_of(query)
        if not room_ids or not query.strip() or limit < 1:
            return []
        if not phrases:
            messages = await self._as_text(community_id, query.strip(), room_ids, limit)
        elif self.is_sqlite:
            messages = await self._in_sqlite(community_id, phrases, room_ids, limit)
        else:
            messages = await self._in_postgresql(community_id, phrases, room_ids, limit)
        return [(message, excerpt_of(message.content, query)) for message in messages]

    async def _as_text(self, community_id: int, sought: str, room_ids: Sequence[int], limit: int) -> list[Message]:
        newest = _in_rooms(community_id, room_ids).limit(SCANNED).subquery()
        asked = select(newest).where(newest.c.content.contains(sought, autoescape=True))
        asked = asked.order_by(newest.c.sent_at.desc(), newest.c.id.desc()).limit(limit)
        return await self.messages(community_id, asked)

    async def _in_sqlite(
        self, community_id: int, phrases: Sequence[str], room_ids: Sequence[int], limit: int
    ) -> list[Message]:
        if community_id in self.unindexed:
            await self._index_all(community_id)
        sought = " AND ".join(f'words : "{phrase}"' for phrase in phrases)
        rooms = " OR ".join(f'"r{room}"' for room in room_ids)
        rows = await self.rows(
            text(
                "SELECT rowid FROM message_words WHERE message_words MATCH :sought"
                " AND rowid BETWEEN :first AND :last ORDER BY rowid DESC LIMIT :limit"
            ),
            {
                "sought": f"{sought} AND room : ({rooms})",
                "first": community_id * SHIFT,
                "last": (community_id + 1) * SHIFT - 1,
                "limit": limit,
            },
        )
        return await self._newest_first(community_id, [row[0] % SHIFT for row in rows])

    async def _index_all(self, community_id: int) -> None:
        self.unindexed.discard(community_id)
        columns = (MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.content)
        shown = select(*columns).where(owned(MESSAGES, community_id), MESSAGES.c.shown)
        await index(self, community_id, [(row[0], row[1], row[2]) for row in await self.rows(shown)])

    async def _in_postgresql(
        self, community_id: int, phrases: Sequence[str], room_ids: Sequence[int], limit: int
    ) -> list[Message]:
        sought = _all_of(phrases)
        found = await self.rows(_among_newest(community_id, sought, room_ids, limit))
        if len(found) < limit:
            everywhere = select(WORDS.c.message_id).where(
                WORDS.c.community_id == community_id,
                WORDS.c.words.op("@@")(sought),
                WORDS.c.room_id == any_(literal(list(room_ids), ARRAY(Integer))),
            )
            found = await self.rows(everywhere.order_by(WORDS.c.message_id.desc()).limit(limit))
        return await self._newest_first(community_id, [row[0] for row in found])

    async def _newest_first(self, community_id: int, ids: Sequence[int]) -> list[Message]:
        asked = messages_where(owned(MESSAGES, community_id), MESSAGES.c.id.in_(ids))
        return await self.messages(community_id, asked.order_by(*NEWEST_FIRST))


def _among_newest(community_id: int, sought: Any, room_ids: Sequence[int], limit: int) -> Select[Any]:  # noqa: ANN401
    """Look through the newest messages of each room: a common word is found there; the index would find too many."""
    newest = (
        select(MESSAGES.c.id, MESSAGES.c.sent_at)
        .where(owned(MESSAGES, community_id), MESSAGES.c.room_id == ROOMS.c.id, MESSAGES.c.shown == true())
        .order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc())
        .limit(max(50, NEWEST // len(room_ids)))
        .correlate(ROOMS)
        .lateral("newest")
    )
    of_it = and_(WORDS.c.community_id == community_id, WORDS.c.message_id == newest.c.id)
    return (
        select(WORDS.c.message_id)
        .select_from(ROOMS.join(newest, true()).join(WORDS, of_it))
        .where(owned(ROOMS, community_id), ROOMS.c.id.in_(room_ids), WORDS.c.words.op("@@")(sought))
        .order_by(newest.c.sent_at.desc(), newest.c.id.desc())
        .limit(limit)
    )


def _all_of(phrases: Sequence[str]) -> Any:  # noqa: ANN401  # an SQL expression
    query: Any = None
    for place, phrase in enumerate(phrases):
        one = func.phraseto_tsquery(text("'selfroom'"), bindparam(f"phrase_{place}", phrase))
        query = one if query is None else query.op("&&")(one)
    return query


def _in_rooms(community_id: int, room_ids: Sequence[int]) -> Select[Any]:
    asked = select(*MESSAGE).where(owned(MESSAGES, community_id), MESSAGES.c.room_id.in_(room_ids), MESSAGES.c.shown)
    return asked.order_by(*NEWEST_FIRST)
