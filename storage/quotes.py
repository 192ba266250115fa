"""What repeats the words of deleted messages (recent actions, active files, notices) loses them with the messages."""

import asyncio
from collections.abc import Iterable, Iterator
from datetime import timedelta

from sqlalchemy import ColumnElement, CompoundSelect, and_, delete, literal_column, select, union_all, update

from bot.core.focus import files_in
from bot.core.kinds import LetterState
from bot.core.records import Json
from storage.session import Rows, Session, owned
from storage.tables import ACTIONS, ATTACHMENTS, DEPARTURES, LETTERS, MEMBERSHIPS, MINDS

DELETED = "(deleted)"
SHORTEST_QUOTE = 12  # shorter words are said by chance: they count only where they are all that was said
SHORTENED = 119  # characters that are left of longer words among recent actions (engine.performer)
SPEECH = ("send_message", "reply", "schedule_message")
SCHEDULED_BEFORE = timedelta(days=8)  # words may be decided on so long before they are said
AT_A_TIME = 50


class Quotes:
    """Finds the words of some messages in what was written after them."""

    def __init__(self, contents: Iterable[str]) -> None:
        self.whole: set[str] = set()
        self._by_start: dict[str, set[str]] = {}
        for content in filter(None, map(str.strip, contents)):
            self.whole |= {content, f"{content[:SHORTENED]}…"}
            for line in (content, content.splitlines()[0]):
                if len(line) >= SHORTEST_QUOTE:
                    self._by_start.setdefault(line[:SHORTEST_QUOTE], set()).add(line[:SHORTENED])

    def found_in(self, text: str) -> bool:
        """Tell whether a text repeats one of them."""
        for at in range(len(text) - SHORTEST_QUOTE + 1):
            lines = self._by_start.get(text[at : at + SHORTEST_QUOTE])
            if lines is not None and any(text.startswith(line, at) for line in lines):
                return True
        return False

    def without(self, value: Json, *, speech: bool = False) -> Json:
        """Give a value whose texts, at any depth, repeat none; `speech`: the words may be all that was said."""
        match value:
            case str():
                return DELETED if self.found_in(value) or (speech and value.strip() in self.whole) else value
            case list():
                return [self.without(one, speech=speech) for one in value]
            case dict():
                return {name: self.without(one, speech=speech) for name, one in value.items()}
            case _:
                return value


def members_of(community_id: int, room_id: int) -> CompoundSelect[int]:
    """Give the SELECT of all agents that are or were in a room."""
    return union_all(
        *(
            select(table.c.agent_id).where(owned(table, community_id), table.c.room_id == room_id)
            for table in (MEMBERSHIPS, DEPARTURES)
        )
    )


async def files_of(session: Session, community_id: int, gone: Rows) -> dict[int, list[tuple[str, str]]]:
    """Give name and address of what was attached to messages, by message."""
    ids = [row.id for row in gone if row.attachment_count]
    asked = select(ATTACHMENTS.c.message_id, ATTACHMENTS.c.name, ATTACHMENTS.c.url)
    rows = await session.rows(asked.where(owned(ATTACHMENTS, community_id), ATTACHMENTS.c.message_id.in_(ids)))
    files: dict[int, list[tuple[str, str]]] = {}
    for message_id, name, url in rows:
        files.setdefault(message_id, []).append((name, url))
    return files


async def silence(
    session: Session, community_id: int, room_id: int, gone: Rows, files: dict[int, list[tuple[str, str]]]
) -> None:
    """Take the words, links and files of a room's deleted messages out of what its members did and have in view."""
    quotes = Quotes(row.content for row in gone)
    members = members_of(community_id, room_id)
    since = min(row.sent_at for row in gone) - SCHEDULED_BEFORE
    done = and_(owned(ACTIONS, community_id), ACTIONS.c.agent_id.in_(members), ACTIONS.c.at >= since)
    await _from_actions(session, done, quotes)
    shared = {item for row in gone for item in files_in(row.content, files.get(row.id, ()))}
    await _from_focus(session, and_(owned(MINDS, community_id), MINDS.c.agent_id.in_(members)), quotes, shared)


async def _from_actions(session: Session, these: ColumnElement[bool], quotes: Quotes) -> None:
    last = 0
    asked = select(ACTIONS.c.id, ACTIONS.c.type, ACTIONS.c.parameters, ACTIONS.c.result, ACTIONS.c.why).where(these)
    while page := await session.rows(asked.where(ACTIONS.c.id > last).order_by(ACTIONS.c.id).limit(AT_A_TIME)):
        last = page[-1].id
        for row in page:
            kept = (row.parameters, row.result, row.why)
            new = tuple(quotes.without(value, speech=row.type in SPEECH) for value in kept)
            if new != kept:
                values = dict(zip(("parameters", "result", "why"), new, strict=True))
                await session.run(update(ACTIONS).where(ACTIONS.c.id == row.id).values(values))
        await asyncio.sleep(0)


async def _from_focus(session: Session, these: ColumnElement[bool], quotes: Quotes, shared: set[str]) -> None:
    asked = select(MINDS.c.community_id, MINDS.c.agent_id, MINDS.c.side, MINDS.c.focus)
    for row in await session.rows(asked.where(these, MINDS.c.focus.is_not(None))):
        files = (row.focus or {}).get("active_files", [])
        kept = [item for item in files if item not in shared and not quotes.found_in(item)]
        if kept != files:
            this = and_(*(column == getattr(row, column.name) for column in MINDS.primary_key))
            await session.run(update(MINDS).where(this).values(focus=row.focus | {"active_files": kept}))


async def silence_notices(session: Session, community_id: int, gone: Rows) -> None:
    """Take the words of deleted messages out of notices; those that have not been sent are not sent."""
    quotes, ids = Quotes(row.content for row in gone), [row.id for row in gone]
    posts = await session.rows(select(LETTERS.c.id).where(owned(LETTERS, community_id), LETTERS.c.message_id.in_(ids)))
    held = {row.id for row in posts}
    notices = and_(
        owned(LETTERS, community_id),
        LETTERS.c.kind == literal_column("'notice'"),  # as the index has it
        LETTERS.c.created_at >= min(row.sent_at for row in gone) - SCHEDULED_BEFORE,
    )
    for row in await session.rows(select(LETTERS.c.id, LETTERS.c.state, LETTERS.c.payload).where(notices)):
        text = str(row.payload.get("text", ""))
        if row.payload.get("held") not in held and not any(map(quotes.found_in, _unquoted(text))):
            continue
        this = and_(owned(LETTERS, community_id), LETTERS.c.id == row.id)
        if row.state == LetterState.WAITING:
            await session.run(delete(LETTERS).where(this))
        else:
            await session.run(update(LETTERS).where(this).values(payload=row.payload | {"text": DELETED}))


def _unquoted(text: str) -> Iterator[str]:
    """Give the text as it is, and as it was before it was quoted line by line."""
    yield text
    yield "\n".join(line.removeprefix("> ") for line in text.splitlines())
