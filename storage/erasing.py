"""What is deleted is gone everywhere: text, search, reactions, letters, summaries and stored HUDs."""

import asyncio
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Table, and_, delete, or_, select

from storage.index_purging import owe_purge
from storage.owed import owe_for
from storage.quotes import files_of, members_of, silence, silence_notices
from storage.scenes import blank_said
from storage.session import Rows, Session, owned
from storage.summaries import withdraw_where
from storage.tables import CHECKPOINTS, EVENTS, LETTERS, LOOKUPS, MESSAGES, PARTS, REACTIONS
from storage.talking import More, count_messages, unindex

AT_A_TIME = 500


async def erase(session: Session, community_id: int, which: ColumnElement[bool], *, aged: bool = False) -> int:
    """Remove the messages that meet a condition, and all that was made of them; gives how many there were.

    `aged`: nobody took them back, so summaries and stored HUDs stay.
    """
    columns = ("id", "room_id", "content", "shown", "sent_at", "attachment_count", "beat_id")
    these, gone = (
        select(*(MESSAGES.c[name] for name in columns)).where(owned(MESSAGES, community_id), which).limit(AT_A_TIME),
        0,
    )
    while found := await session.rows(these):
        await _erase(session, community_id, found, aged)
        gone += len(found)
        await asyncio.sleep(0)  # much may go at once, and others have work too
    if gone:
        await owe_purge(session)
    return gone


async def _erase(session: Session, community_id: int, found: Rows, aged: bool) -> None:
    ids = [row.id for row in found]
    files = {} if aged else await files_of(session, community_id, found)
    await unindex(session, community_id, [(row.id, row.room_id, row.content) for row in found if row.shown])
    held: list[int] = []
    if not aged:  # else the last that was posted is still needed, to tell it from one whose fate is unknown
        held = await silence_notices(session, community_id, found)
        await _delete(session, community_id, LETTERS, LETTERS.c.message_id.in_(ids), LETTERS.c.kind == "post")
    await blank_said(session, community_id, EVENTS.c.message_id.in_(ids), aged=aged)
    await _delete(session, community_id, PARTS, PARTS.c.message_id.in_(ids))
    await _delete(session, community_id, REACTIONS, REACTIONS.c.message_id.in_(ids))
    await _delete(session, community_id, MESSAGES, MESSAGES.c.id.in_(ids))
    for room_id in {row.room_id for row in found}:
        gone = [row for row in found if row.room_id == room_id]
        await count_messages(session, community_id, [More(room_id=room_id, shown=-sum(row.shown for row in gone))])
        if not aged:
            members = sorted({row[0] for row in await session.rows(members_of(community_id, room_id))})
            await _forget_derived(session, community_id, room_id, gone, members)
            await silence(session, community_id, members, gone, files)
            await owe_for(session, community_id, gone, agents=members, held=held)


async def _delete(session: Session, community_id: int, table: Table, *conditions: ColumnElement[bool]) -> None:
    await session.run(delete(table).where(owned(table, community_id), *conditions))


async def _forget_derived(
    session: Session, community_id: int, room_id: int, gone: Rows, members: Sequence[int]
) -> None:
    """Withdraw summaries that cover the messages, and what members are about to be told."""
    covering = or_(
        *(and_(CHECKPOINTS.c.first_message_id <= row.id, CHECKPOINTS.c.last_message_id >= row.id) for row in gone)
    )
    await withdraw_where(session, community_id, and_(CHECKPOINTS.c.room_id == room_id, covering))
    await _delete(session, community_id, LOOKUPS, LOOKUPS.c.agent_id.in_(members))
