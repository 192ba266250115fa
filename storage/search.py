"""Full-text search, newest first, in the rooms that the asker may see."""

import asyncio
from collections.abc import Iterable, Sequence
from functools import reduce

from sqlalchemy import (
    ARRAY,
    Integer,
    Select,
    and_,
    any_,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    text,
    true,
    union,
)

from bot.core.errors import Rejected
from bot.core.records import AgentId, CommunityId, Message
from bot.core.sentences import Sentence
from storage.messages import NEWEST_FIRST, messages_where, read_messages
from storage.session import Query, Session, Term, owned
from storage.tables import MESSAGES, ROOMS
from storage.talking import SHIFT, index
from storage.words import excerpt_of, phrases_of

WORDS = table(
    "message_words", column("rowid"), column("community_id"), column("message_id"), column("room_id"), column("words")
)
NEWEST = 2_000  # messages in which PostgreSQL looks first
NO_WORD = Sentence("Search for a word with a letter or a digit in it, or for an emoji.")

Found = Sequence[tuple[Message, str]]


async def search(
    session: Session, community_id: CommunityId, query: str, *, room_ids: Sequence[AgentId], limit: int = 20
) -> Found:
    """Find messages in these rooms by words, newest first, each with an excerpt around the match.

    Raises Rejected for a query without a word or an emoji, which no index finds.
    """
    if not phrases_of(query):
        raise Rejected(NO_WORD)
    asked = await ids_with(session, community_id, query, room_ids, limit)
    if asked is None:
        return []
    ids = [row[0] for row in await session.rows(asked)]
    # the rooms are asked for once more: what the index says of a message is no right to read it
    these = (owned(MESSAGES, community_id), MESSAGES.c.id.in_(ids), MESSAGES.c.room_id.in_(room_ids))
    messages = await read_messages(session, community_id, messages_where(*these).order_by(*NEWEST_FIRST))
    return await excerpts_of(messages[:limit], query)


async def excerpts_of(messages: Iterable[Message], query: str) -> Found:
    """Give messages with excerpts around what was looked for; others have their turn in between."""
    found: list[tuple[Message, str]] = []
    for message in messages:
        found.append((message, excerpt_of(message.content, query)))
        await asyncio.sleep(0)
    return found


async def ids_with(
    session: Session, community_id: int, query: str, room_ids: Sequence[int], limit: int
) -> Select[tuple[int]] | None:
    """Give the SELECT of the ids of the newest messages with these words, perhaps of some more; None: of none."""
    phrases = phrases_of(query)
    if not room_ids or not phrases or limit < 1:
        return None
    if not session.is_sqlite:
        return _in_postgresql(community_id, phrases, room_ids, limit)
    if community_id in session.unindexed:
        await _index_all(session, community_id)
    return _in_sqlite(community_id, phrases, room_ids, limit)


async def _index_all(session: Session, community_id: int) -> None:
    session.unindexed.discard(community_id)
    columns = (MESSAGES.c.id, MESSAGES.c.room_id, MESSAGES.c.content)
    shown = select(*columns).where(owned(MESSAGES, community_id), MESSAGES.c.shown)
    await index(session, community_id, [(row[0], row[1], row[2]) for row in await session.rows(shown)])


def _in_sqlite(community_id: int, phrases: Sequence[str], room_ids: Sequence[int], limit: int) -> Select[tuple[int]]:
    words = " AND ".join(f'words : "{phrase}"' for phrase in phrases)
    rooms = " OR ".join(f'"r{room}"' for room in room_ids)
    first = community_id * SHIFT
    matches = literal_column("message_words").op("MATCH")(f"{words} AND room : ({rooms})")
    found = select((WORDS.c.rowid - first).label("id")).where(matches, WORDS.c.rowid.between(first, first + SHIFT - 1))
    return found.order_by(WORDS.c.rowid.desc()).limit(limit)


def _in_postgresql(
    community_id: int, phrases: Sequence[str], room_ids: Sequence[int], limit: int
) -> Select[tuple[int]]:
    """Look among the newest, and with the index where these are too few."""
    sought = _all_of(phrases)
    among = _among_newest(community_id, sought, room_ids, limit).cte()
    too_few = select(func.count()).select_from(among).scalar_subquery() < limit
    everywhere = select(WORDS.c.message_id).where(
        WORDS.c.community_id == community_id,
        WORDS.c.words.op("@@")(sought),
        WORDS.c.room_id == any_(literal(list(room_ids), ARRAY(Integer))),
        too_few,
    )
    older = everywhere.order_by(WORDS.c.message_id.desc()).limit(limit).subquery()
    either = union(select(among.c.message_id), select(older.c.message_id)).subquery()
    return select(either.c.message_id.label("id"))


def _among_newest(community_id: int, sought: Term, room_ids: Sequence[int], limit: int) -> Query:
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


def _all_of(phrases: Sequence[str]) -> Term:
    words: list[Term] = [func.phraseto_tsquery(text("'selfroom'"), phrase) for phrase in phrases]
    return reduce(lambda one, other: one.op("&&")(other), words)
