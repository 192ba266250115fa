"""What is deleted is gone everywhere: text, search, reactions, letters, summaries and stored HUDs."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Table, delete, select, update

from storage.beats import forget_lines
from storage.columns import to_microseconds
from storage.index_purging import owe_purge
from storage.owed import owe_for
from storage.quotes import files_of, members_by_room, silence, silence_notices
from storage.scenes import blank_said
from storage.session import OneRow, Rows, Session, owned
from storage.summaries import withdraw_covering
from storage.tables import BEATS, EVENTS, LETTERS, LOOKUPS, MESSAGES, PARTS, REACTIONS
from storage.talking import More, count_messages, unindex
from storage.timelines.live import owe_trees_messages

AT_A_TIME = 500
WORDS = tuple(
    MESSAGES.c[name] for name in ("id", "room_id", "content", "shown", "sent_at", "attachment_count", "beat_id")
)


async def erase(
    session: Session, community_id: int, which: ColumnElement[bool], *, aged: bool = False, at: datetime | None = None
) -> int:
    """Remove the messages that meet a condition, and all that was made of them; gives how many there were.

    `aged`: nobody took them back, so summaries and stored HUDs stay. `at`: when they were; None where all goes on
    Discord, too.
    """
    these, gone = select(*WORDS).where(owned(MESSAGES, community_id), which).limit(AT_A_TIME), 0
    while found := await session.rows(these):
        await _erase(session, community_id, found, aged, at)
        gone += len(found)
        await asyncio.sleep(0)  # much may go at once, and others have work too
    if gone:
        await owe_purge(session)
    return gone


async def _erase(session: Session, community_id: int, found: Rows, aged: bool, at: datetime | None) -> None:
    ids = [row.id for row in found]
    files = {} if aged else await files_of(session, community_id, found)
    await unindex(session, community_id, [(row.id, row.room_id, row.content) for row in found if row.shown])
    held: list[int] = []
    if not aged:  # else the last that was posted is still needed, to tell it from one whose fate is unknown
        held = await silence_notices(session, community_id, found)
        await _delete(session, community_id, LETTERS, LETTERS.c.message_id.in_(ids), LETTERS.c.kind == "post")
    await blank_said(session, community_id, EVENTS.c.message_id.in_(ids), aged=aged, at=at)
    await _delete(session, community_id, PARTS, PARTS.c.message_id.in_(ids))
    await _delete(session, community_id, REACTIONS, REACTIONS.c.message_id.in_(ids))
    await _delete(session, community_id, MESSAGES, MESSAGES.c.id.in_(ids))
    await forget_lines(session, community_id, ids)
    shown = Counter(row.room_id for row in found if row.shown)
    await count_messages(session, community_id, [More(room_id=id_, shown=-count) for id_, count in shown.items()])
    if not aged:
        await owe_trees_messages(session, community_id, ids)
        for members, gone in (await _by_members(session, community_id, found)).items():
            await _take_back(session, community_id, members, gone, files=files, held=held, mark=str(gone[0].id))


async def _by_members(session: Session, community_id: int, found: Rows) -> dict[tuple[int, ...], Rows]:
    """Give messages by who is or was in their rooms: a room's many threads mostly have the same members."""
    members = await members_by_room(session, community_id, {row.room_id for row in found})
    groups: dict[tuple[int, ...], list[OneRow]] = {}
    for row in found:
        groups.setdefault(members.get(row.room_id, ()), []).append(row)
    return {**groups}


async def reword(session: Session, community_id: int, before: OneRow, content: str, at: datetime) -> None:
    """Take back what was made of a message's words that stand in it no longer, as if they had been deleted."""
    if before.content.strip() in content:
        return
    held = await silence_notices(session, community_id, [before])
    await owe_trees_messages(session, community_id, [before.id])  # what it said before stands in their worlds
    mark = f"{before.id}.{to_microseconds(at)}"  # one change may follow another before that is worked off
    ((members, gone),) = (await _by_members(session, community_id, [before])).items()
    await _take_back(session, community_id, members, gone, files={}, held=held, mark=mark, still=content)


async def _take_back(
    session: Session,
    community_id: int,
    members: Sequence[int],
    gone: Rows,
    *,
    files: dict[int, list[tuple[str, str]]],
    held: Sequence[int],
    mark: str,
    still: str = "",
) -> None:
    """Take back what these made of the words of messages in their rooms, and note what is still to be done.

    `still`: what is said there now.
    """
    await _forget_derived(session, community_id, gone, members)
    await silence(session, community_id, members, gone, files, still=still)
    await owe_for(session, community_id, gone, agents=members, held=held, mark=mark)


async def _delete(session: Session, community_id: int, table: Table, *conditions: ColumnElement[bool]) -> None:
    await session.run(delete(table).where(owned(table, community_id), *conditions))


async def _forget_derived(session: Session, community_id: int, gone: Rows, members: Sequence[int]) -> None:
    """Withdraw summaries that cover the messages, what members are about to be told, and answers that said them."""
    await withdraw_covering(session, community_id, [(row.room_id, row.id) for row in gone])
    await _delete(session, community_id, LOOKUPS, LOOKUPS.c.agent_id.in_(members))
    if said_in := {row.beat_id for row in gone} - {None}:  # a beat that began before, which no debt names
        these = update(BEATS).where(owned(BEATS, community_id), BEATS.c.id.in_(said_in))
        await session.run(these.values(hud=None, answer=None, thoughts=None))
