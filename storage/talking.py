"""Messages within a transaction: known already or not, shown, counted per room, and indexed for search."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

from sqlalchemy import (
    BigInteger,
    Boolean,
    Text,
    Update,
    and_,
    bindparam,
    case,
    column,
    func,
    select,
    text,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.types import NULLTYPE

from storage.prepared import Prepared, Question
from storage.session import INSTALLATION, Session, Term
from storage.tables import MESSAGES, REACTIONS, ROOMS
from storage.words import words_of

CHARACTERS_AT_A_TIME = 10_000  # whose words are worked out between two turns of the loop
SHIFT = 1 << 32  # a community's messages lie side by side in the SQLite index: row = community * 2^32 + message

NOT_YET = "unindexed:"  # among what is kept for the installation: up to which message a community is in the index
_MARK = f"(SELECT CAST(value AS INTEGER) FROM kept WHERE scope = {INSTALLATION} AND name = :not_yet)"  # noqa: S608  # ours
_IS_THERE = f"WHERE :message <= coalesce({_MARK}, :message)"
_PUT_PLAINLY = text("INSERT INTO message_words (rowid, words, room) VALUES (:row, :words, :room)")
_PUT_SQLITE = Prepared(text(f"INSERT INTO message_words (rowid, words, room) SELECT :row, :words, :room {_IS_THERE}"))
_DROP_SQLITE = text(
    f"INSERT INTO message_words (message_words, rowid, words, room) SELECT 'delete', :row, :words, :room {_IS_THERE}"
)
_PUT_POSTGRESQL = text(
    "INSERT INTO message_words (community_id, message_id, room_id, words)"
    " VALUES (:community, :message, :room, to_tsvector('selfroom', :words))"
    " ON CONFLICT (community_id, message_id) DO UPDATE SET words = excluded.words"
)
_DROP_POSTGRESQL = text("DELETE FROM message_words WHERE community_id = :community AND message_id = :message")

Line = tuple[int, int, str]  # message id, room id, content
Indexed = tuple[int, int, str]  # message id, room id, its words


async def index(session: Session, community_id: int, lines: Sequence[Line]) -> None:
    """Let messages be found by their words."""
    if community_id not in session.unindexed:
        rows = await _index_rows(session, community_id, lines)
        await session.run(_PUT_SQLITE if session.is_sqlite else _PUT_POSTGRESQL, rows)


def indexed(message_id: int, room_id: int, content: str) -> Indexed:
    """Give what the index is to know of a message."""
    return message_id, room_id, " ".join(words_of(content))


async def put_into_index(session: Session, community_id: int, lines: Sequence[Indexed]) -> None:
    """Let messages be found by words that are known already, in the order in which they are to come into the index."""
    rows = [_index_row(community_id, line, session) for line in lines]
    if session.is_sqlite:
        rows = [{name: row[name] for name in ("row", "words", "room")} for row in rows]
    await session.run(_PUT_PLAINLY if session.is_sqlite else _PUT_POSTGRESQL, rows)


async def unindex(session: Session, community_id: int, lines: Sequence[Line]) -> None:
    """Take messages out of the index; the content must be the one they were indexed with."""
    if community_id in session.unindexed:
        return
    rows = await _index_rows(session, community_id, lines)
    if not session.is_sqlite:
        rows = [{"community": row["community"], "message": row["message"]} for row in rows]
    await session.run(_DROP_SQLITE if session.is_sqlite else _DROP_POSTGRESQL, rows)


async def _index_rows(session: Session, community_id: int, lines: Sequence[Line]) -> list[dict[str, object]]:
    """Work out what the index knows of messages; others have their turn in between, for much may be deleted at once."""
    rows, characters = list[dict[str, object]](), 0
    for line in lines:
        if (characters := characters + len(line[2])) > CHARACTERS_AT_A_TIME:
            await asyncio.sleep(0)
            characters = len(line[2])
        rows.append(_index_row(community_id, indexed(*line), session))
    return rows


def _index_row(community_id: int, line: Indexed, session: Session) -> dict[str, object]:
    message_id, room_id, words = line
    if session.is_sqlite:
        is_there = {"message": message_id, "not_yet": f"{NOT_YET}{community_id}"}
        return {"row": community_id * SHIFT + message_id, "words": words, "room": f"r{room_id}", **is_there}
    return {"community": community_id, "message": message_id, "room": room_id, "words": words}


@dataclass(frozen=True, slots=True, kw_only=True)
class More:
    """What a room shows more (or less) than before: how many, the newest of them, how many in a row by agents."""

    room_id: int
    shown: int = 0
    newest: datetime | None = None
    spoken: bool = False  # by a person: agents may speak again
    by_agents: int = 0


_MORE = {
    "message_count": ROOMS.c.message_count + bindparam("more_shown"),
    "last_message_at": case(
        (bindparam("newest", type_=ROOMS.c.last_message_at.type).is_(None), ROOMS.c.last_message_at),
        (ROOMS.c.last_message_at > bindparam("newest", type_=ROOMS.c.last_message_at.type), ROOMS.c.last_message_at),
        else_=bindparam("newest", type_=ROOMS.c.last_message_at.type),
    ),
    "agent_run": case((bindparam("spoken", type_=Boolean), 0), else_=ROOMS.c.agent_run + bindparam("by_agents")),
}


_COUNT = Prepared(
    update(ROOMS)
    .where(ROOMS.c.community_id == bindparam("of_community"), ROOMS.c.id == bindparam("of_room"))
    .values(_MORE)
)


async def count_messages(session: Session, community_id: int, rooms: Iterable[More]) -> None:
    """Add to the numbers that rooms keep of their messages."""
    rows = [
        {
            "of_community": community_id,
            "of_room": room.room_id,
            "more_shown": room.shown,
            "newest": room.newest,
            "spoken": room.spoken,
            "by_agents": room.by_agents,
        }
        for room in rooms
    ]
    await session.run(_COUNT, rows)


async def count_reactions(session: Session, community_id: int, message_ids: Sequence[int]) -> None:
    """Write the counts that are shown beside messages: most first, then in the order they came."""
    if message_ids:
        await session.run(_counting(is_sqlite=session.is_sqlite), {"its": community_id, "which": list(message_ids)})


@cache
def _counting(*, is_sqlite: bool) -> Update:
    its = and_(REACTIONS.c.community_id == MESSAGES.c.community_id, REACTIONS.c.message_id == MESSAGES.c.id)
    count, first = func.count().label("count"), func.min(REACTIONS.c.at).label("first")
    counted = select(REACTIONS.c.emoji, count, first).where(its).group_by(REACTIONS.c.emoji)
    order = (count.desc(), first, REACTIONS.c.emoji)
    one = counted.correlate(MESSAGES).order_by(*order).subquery()
    if is_sqlite:
        shown: Term = func.json_group_array(func.json_array(one.c.emoji, one.c.count))
    else:
        pair = func.json_build_array(one.c.emoji, one.c.count)
        shown = func.json_agg(aggregate_order_by(pair, one.c.count.desc(), one.c.first, one.c.emoji)).cast(Text)
    asked = select(func.nullif(shown, "[]")).scalar_subquery()
    these = update(MESSAGES).where(MESSAGES.c.community_id == bindparam("its"))
    of_these = these.where(MESSAGES.c.id.in_(bindparam("which", expanding=True)))
    return of_these.values(reactions=type_coerce(asked, NULLTYPE))


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


def known_as(
    session: Session, community_id: int, discord_ids: Collection[int], replied_to: Collection[int] = ()
) -> Question:
    """Ask what is known of messages, and of those that they answer."""
    sought = session.many(sorted({*discord_ids, *replied_to}))
    return _asking(is_sqlite=session.is_sqlite), {"community_id": community_id, "sought": sought}


async def known_of(
    session: Session, community_id: int, discord_ids: Collection[int], replied_to: Collection[int] = ()
) -> Known:
    """Ask what is known of messages, and of those that they answer."""
    known, these = Known(), set(discord_ids)
    asked = known_as(session, community_id, discord_ids, replied_to)
    for id_, message, part, deleted, early, awaiting in await session.rows(*asked):
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
def _asking(*, is_sqlite: bool) -> Prepared:
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
    names = ("sought", "message", "part", "deleted", "early", "awaiting")
    asked = text(f"SELECT sought.value, {found} FROM {sought}")  # noqa: S608
    return Prepared(asked.columns(*(column(name, BigInteger) for name in names)))
