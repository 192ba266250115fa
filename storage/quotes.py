"""What repeats the words of deleted messages and is shown (recent actions, files, notices) loses them at once."""

import asyncio
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, CompoundSelect, and_, delete, literal_column, select, union_all, update

from bot.core.focus import files_in
from bot.core.kinds import LetterKind, LetterState
from bot.core.letters import LANE
from bot.core.records import Json
from storage.questions import UNSENT, questions
from storage.session import Query, Rows, Session, Values, owned
from storage.tables import ACTIONS, ATTACHMENTS, DEPARTURES, LETTERS, MEMBERSHIPS, MINDS

DELETED = "(deleted)"
SHORTEST_QUOTE = 12  # shorter words are said by chance: they count only where they are all that was said
SHORTENED = 119  # characters that are left of longer words among recent actions (engine.performer)
SPEECH = ("send_message", "reply", "schedule_message")
SPOKEN = ("type", "parameters", "result", "why")  # of an action
SCHEDULED_BEFORE = timedelta(days=8)  # words may be decided on so long before they are said
AT_A_TIME = 50


class Quotes:
    """Finds the words of some messages in what was written after them."""

    def __init__(self, contents: Iterable[str]) -> None:
        self.whole: set[str] = set()
        by_start: dict[str, set[str]] = {}
        for content in filter(None, map(str.strip, contents)):
            self.whole |= {content, f"{content[:SHORTENED]}…"}
            for line in (content, content.splitlines()[0]):
                if len(line) >= SHORTEST_QUOTE:
                    by_start.setdefault(line[:SHORTEST_QUOTE], set()).add(line[:SHORTENED])
        self._by_start = {start: _ends_first(lines) for start, lines in by_start.items()}

    def found_in(self, text: str) -> bool:
        """Tell whether a text repeats one of them."""
        for at in range(len(text) - SHORTEST_QUOTE + 1):
            alike = self._by_start.get(text[at : at + SHORTEST_QUOTE])
            # where no line begins another, only the last that is not after the text can begin it
            place = bisect_right(alike, text[at : at + SHORTENED]) if alike else 0
            if alike and place and text.startswith(alike[place - 1], at):
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

    def silenced(self, action: Mapping[str, Json]) -> dict[str, Json]:
        """Give what of an action changes when it repeats none, by column."""
        speech = action["type"] in SPEECH
        new = {name: self.without(action[name], speech=speech) for name in SPOKEN[1:]}
        return {name: value for name, value in new.items() if value != action[name]}


def _ends_first(lines: Iterable[str]) -> list[str]:
    """Give lines in their order without those that begin with another: where they stand, the shorter one does."""
    kept: list[str] = []
    for line in sorted(lines):
        if not kept or not line.startswith(kept[-1]):
            kept.append(line)
    return kept


def members_of(community_id: int, room_id: int) -> CompoundSelect[int]:
    """Give the SELECT of all agents that are or were in a room."""
    return union_all(
        *(
            select(table.c.agent_id).where(owned(table, community_id), table.c.room_id == room_id)
            for table in (MEMBERSHIPS, DEPARTURES)
        )
    )


async def members_by_room(session: Session, community_id: int, room_ids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Give all agents that are or were in these rooms, by room."""
    found: dict[int, set[int]] = {}
    for table in (MEMBERSHIPS, DEPARTURES):
        here = (owned(table, community_id), table.c.room_id.in_(room_ids))
        for room_id, agent_id in await session.rows(select(table.c.room_id, table.c.agent_id).where(*here)):
            found.setdefault(room_id, set()).add(agent_id)
    return {room_id: tuple(sorted(agents)) for room_id, agents in found.items()}


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
    session: Session,
    community_id: int,
    members: Sequence[int],
    gone: Rows,
    files: dict[int, list[tuple[str, str]]],
    *,
    still: str = "",
) -> None:
    """Take the words, links and files of a room's deleted messages out of what its members see of what they did.

    `still`: what is said there now; its links stay.
    """
    quotes = Quotes(row.content for row in gone)
    whose = {"community_id": community_id, "agents": session.many(members)}
    recent = await session.mappings(questions(is_sqlite=session.is_sqlite).actions, whose)
    for start in range(0, len(recent), AT_A_TIME):
        await silence_actions(session, recent[start : start + AT_A_TIME], quotes)
        await asyncio.sleep(0)
    shared = {item for row in gone for item in files_in(row.content, files.get(row.id, ()))} - {*files_in(still, ())}
    await _from_focus(session, and_(owned(MINDS, community_id), MINDS.c.agent_id.in_(members)), quotes, shared)


async def silence_actions(session: Session, actions: Iterable[Values], quotes: Quotes) -> None:
    """Take words out of what was done."""
    for action in actions:
        if new := quotes.silenced(action):
            await session.run(update(ACTIONS).where(ACTIONS.c.id == action["id"]).values(new))


async def _from_focus(session: Session, these: ColumnElement[bool], quotes: Quotes, shared: set[str]) -> None:
    asked = select(MINDS.c.community_id, MINDS.c.agent_id, MINDS.c.side, MINDS.c.focus)
    for row in await session.rows(asked.where(these, MINDS.c.focus.is_not(None))):
        files = (row.focus or {}).get("active_files", [])
        kept = [item for item in files if item not in shared and not quotes.found_in(item)]
        if kept != files:
            this = and_(*(column == getattr(row, column.name) for column in MINDS.primary_key))
            await session.run(update(MINDS).where(this).values(focus=row.focus | {"active_files": kept}))
        await asyncio.sleep(0)


async def silence_notices(session: Session, community_id: int, gone: Rows) -> list[int]:
    """Take back the notices that wait with words of deleted messages; gives the letters that were to post these."""
    quotes, ids = Quotes(row.content for row in gone), [row.id for row in gone]
    posts = await session.rows(select(LETTERS.c.id).where(owned(LETTERS, community_id), LETTERS.c.message_id.in_(ids)))
    held = [row.id for row in posts]
    by_lane = LETTERS.c.lane == LANE[LetterKind.NOTICE]  # not by kind: the index of notices has all that were ever sent
    waiting = and_(UNSENT, by_lane, LETTERS.c.state == LetterState.WAITING)
    notices = await session.rows(select(LETTERS.c.id, LETTERS.c.payload).where(owned(LETTERS, community_id), waiting))
    told = [row.id for row in notices if tells_of(row.payload, quotes, held)]
    await session.run(delete(LETTERS).where(owned(LETTERS, community_id), LETTERS.c.id.in_(told)))
    return held


def notices_of(community_id: int) -> Query:
    """Give the SELECT of a community's notices: when each was written, its id, and what it says."""
    notice = LETTERS.c.kind == literal_column("'notice'")  # as the index has it
    return select(LETTERS.c.created_at, LETTERS.c.id, LETTERS.c.payload).where(owned(LETTERS, community_id), notice)


def tells_of(notice: Mapping[str, Json], quotes: Quotes, held: Collection[int]) -> bool:
    """Tell whether a notice repeats words, or is about one of these held letters."""
    return notice.get("held") in held or any(map(quotes.found_in, _unquoted(str(notice.get("text", "")))))


def _unquoted(text: str) -> Iterator[str]:
    """Give the text as it is, and as it was before it was quoted line by line."""
    yield text
    yield "\n".join(line.removeprefix("> ") for line in text.splitlines())
