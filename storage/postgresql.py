"""PostgreSQL's own way to store what comes in: one statement, however many messages, for each one costs a journey."""

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import ARRAY

from storage.session import Session, Values
from storage.tables import MESSAGES, ROOMS
from storage.talking import More
from storage.words import words_of

GIVEN = (
    *("id", "room_id", "sender_kind", "sender_agent_id", "sender_person_id", "sender_name", "content", "type"),
    *("sent_at", "reply_to", "reply_to_discord_id", "edited_at", "attachment_count", "discord_id", "thread_id"),
    *("tokens", "thread_name"),
)
MORE = ("room", "more", "newest", "spoken")
_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]
_TYPES = {name: MESSAGES.c[name].type for name in GIVEN} | {
    "words": MESSAGES.c.content.type,
    "room": ROOMS.c.id.type,
    "more": ROOMS.c.message_count.type,
    "newest": ROOMS.c.last_message_at.type,
    "spoken": MESSAGES.c.shown.type,
}


def _arrays(*names: str) -> str:
    """Give the arrays of these values as a table."""
    given = ", ".join(f"CAST(:{name} AS {ARRAY(_TYPES[name]).compile(dialect=_DIALECT)})" for name in names)
    return f"unnest({given}) AS given ({', '.join(names)})"


_STORE = text(
    f"""
    WITH said AS (
        INSERT INTO messages (community_id, {", ".join(GIVEN)}, answers_from_agents, shown)
        SELECT :community_id, given.*, 0, TRUE FROM {_arrays(*GIVEN)}
    ), indexed AS (
        INSERT INTO message_words (community_id, message_id, room_id, words)
        SELECT :community_id, id, room_id, to_tsvector('selfroom', words) FROM {_arrays("id", "room_id", "words")}
    ), numbered AS (
        UPDATE counters SET message = CAST(:last_id AS INTEGER) WHERE community_id = :community_id
    )
    UPDATE rooms SET message_count = message_count + given.more,
        last_message_at = greatest(last_message_at, given.newest),
        agent_run = CASE WHEN given.spoken THEN 0 ELSE agent_run END
    FROM {_arrays(*MORE)} WHERE rooms.community_id = :community_id AND rooms.id = given.room
    """  # noqa: S608  # our own names
).bindparams(*(bindparam(name, type_=ARRAY(type_)) for name, type_ in _TYPES.items()))


async def store_at_once(session: Session, community_id: int, rows: Sequence[Values], rooms: Iterable[More]) -> None:
    """Store messages, let them be found, count them in their rooms, and write how far their ids were counted."""
    if not rows:
        return
    counted = [(room.room_id, room.shown, room.newest, room.spoken) for room in rooms]
    values: dict[str, object] = {name: [row[name] for row in rows] for name in GIVEN}
    values |= {name: [row[place] for row in counted] for place, name in enumerate(MORE)}
    values["words"] = [" ".join(words_of(row["content"])) for row in rows]
    await session.run(_STORE, values | {"community_id": community_id, "last_id": session.ids.written("message")})
