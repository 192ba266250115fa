"""Messages as records: read by the thousand, with the files beside those few that have any."""

import asyncio
from collections.abc import Collection, Iterable

from sqlalchemy import ColumnElement, Integer, bindparam, case, func, select, type_coerce
from sqlalchemy.types import NULLTYPE

from bot.core.records import Attachment, Message
from storage.convert import MESSAGE_COLUMNS, messages_of
from storage.session import Query, Rows, Session, Statement, Values, owned
from storage.tables import ATTACHMENTS, MESSAGES

AT_A_TIME = 500  # that become records between two turns of the loop
MOST_OF_FILES = 2_000_000  # characters, of the files of all messages that are read at once: the oldest have but a name
FILES = MESSAGE_COLUMNS.index("attachment_count")
FILE = ("name", "media_type", "size_bytes", "url", "text")
AS_THEY_LIE = ("sent_at", "reactions", "edited_at")  # `messages_of` reads these faster than their types do
MESSAGE = tuple(
    type_coerce(MESSAGES.c[name], NULLTYPE).label(name) if name in AS_THEY_LIE else MESSAGES.c[name]
    for name in MESSAGE_COLUMNS
)
# Discord's order: of one millisecond the earlier id comes first; what is not on Discord comes before it.
ORDER = (MESSAGES.c.sent_at, func.coalesce(MESSAGES.c.discord_id, 0), MESSAGES.c.id)
NEWEST_FIRST = tuple(part.desc() for part in ORDER)


def messages_where(*conditions: ColumnElement[bool]) -> Query:
    """Give the SELECT whose rows are read as messages."""
    return select(*MESSAGE).where(*conditions)


def newest(asked: Query, *, is_sqlite: bool) -> Query:
    """Give the `limit` newest messages of a SELECT over `MESSAGE`, newest first.

    PostgreSQL would sort all of them to order those of one millisecond: it is asked for the newest and all their likes.
    """
    limit = bindparam("limit", type_=Integer)
    if is_sqlite:
        return asked.order_by(*NEWEST_FIRST).limit(limit)
    some = asked.order_by(MESSAGES.c.sent_at.desc()).fetch(limit, with_ties=True).subquery("some")
    order = (some.c.sent_at, func.coalesce(some.c.discord_id, 0), some.c.id)
    return select(*(some.c[name] for name in MESSAGE_COLUMNS)).order_by(*(part.desc() for part in order)).limit(limit)


async def read_messages(
    session: Session, community_id: int, statement: Statement, values: Values | None = None
) -> list[Message]:
    """Give the messages of a statement that selects `MESSAGE_COLUMNS` in this order."""
    return await messages_in(session, community_id, await session.rows(statement, values))


async def messages_in(session: Session, community_id: int, rows: Rows) -> list[Message]:
    """Give the messages of rows that hold `MESSAGE_COLUMNS` in this order."""
    with_files = [row[0] for row in rows if row[FILES]]
    files = await _files(session, community_id, with_files) if with_files else {}
    found: list[Message] = []
    for start in range(0, len(rows), AT_A_TIME):
        found += messages_of(rows[start : start + AT_A_TIME], files)
        if start + AT_A_TIME < len(rows):
            await asyncio.sleep(0)  # others have work too
    return found


async def _files(session: Session, community_id: int, message_ids: Collection[int]) -> dict[int, list[Attachment]]:
    these = session.is_one_of(ATTACHMENTS.c.message_id, message_ids)
    newest_first = (ATTACHMENTS.c.message_id.desc(), ATTACHMENTS.c.place)
    until = func.sum(func.coalesce(func.length(ATTACHMENTS.c.text), 0)).over(order_by=newest_first, rows=(None, 0))
    text = case((until <= MOST_OF_FILES, ATTACHMENTS.c.text)).label("text")
    asked = select(ATTACHMENTS.c.message_id, *(ATTACHMENTS.c[name] for name in FILE[:-1]), text)
    asked = asked.where(owned(ATTACHMENTS, community_id), these)
    files: dict[int, list[Attachment]] = {id_: [] for id_ in message_ids}  # an archive may count more than it has
    for message_id, *file in await session.rows(asked.order_by(ATTACHMENTS.c.message_id, ATTACHMENTS.c.place)):
        files.setdefault(message_id, []).append(Attachment(**dict(zip(FILE, file, strict=True))))
    return files


def file_rows(community_id: int, message_id: int, files: Iterable[Values]) -> list[dict[str, object]]:
    """Give the rows of a message's files, which come as objects with the names of `FILE`."""
    whose = {"community_id": community_id, "message_id": message_id}
    return [whose | {"place": place} | {name: file.get(name) for name in FILE} for place, file in enumerate(files)]
