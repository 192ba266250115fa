"""Which rooms have much that no summary covers, and what happens to summaries of what is deleted."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update

from bot.core.focus import compacted
from bot.core.keeping import Unsummarised
from bot.core.records import AgentId, Checkpoint, CommunityId
from storage.communities import HERE
from storage.convert import plain
from storage.questions import uncovered_tokens
from storage.quotes import members_of
from storage.session import Session, owned
from storage.tables import AGENTS, CHECKPOINTS, COMMUNITIES, MINDS, ROOMS

NEWEST_COUNTED = 1_000  # messages of a room: more than any chunk holds


@dataclass(frozen=True, slots=True)
class SqlSummaries:
    """Summaries of rooms, and the rooms that want one."""

    session: Session

    async def of_room(self, community_id: CommunityId, room_id: AgentId) -> Sequence[Checkpoint]:
        here = select(CHECKPOINTS).where(owned(CHECKPOINTS, community_id), CHECKPOINTS.c.room_id == room_id)
        return [plain(Checkpoint, row) for row in await self.session.mappings(here.order_by(CHECKPOINTS.c.id))]

    async def wanted(self, since: datetime | None) -> Sequence[Unsummarised]:
        asked = ROOMS.c.compact_asked_at.is_not(None)
        looked_at = asked if since is None else or_(asked, ROOMS.c.last_message_at >= since)
        alive = AGENTS.c.retired_at.is_(None) & COMMUNITIES.c.paused.is_(False) & HERE
        rooms = (
            select(ROOMS.c.community_id, ROOMS.c.id, asked.label("asked"))
            .join(
                AGENTS,
                and_(
                    AGENTS.c.community_id == ROOMS.c.community_id,
                    AGENTS.c.id == func.coalesce(ROOMS.c.thread_of, ROOMS.c.id),
                ),
            )
            .join(COMMUNITIES, COMMUNITIES.c.id == ROOMS.c.community_id)
            .where(looked_at, alive)
            .cte("spoke")
        )
        # with WITH and sorted by what is counted, all of it is done at once and off the loop (storage.inline)
        tokens = uncovered_tokens(rooms, NEWEST_COUNTED).label("tokens")
        statement = select(rooms, tokens).order_by(tokens.desc(), rooms.c.community_id, rooms.c.id)
        rows = await self.session.rows(statement)
        return [
            Unsummarised(
                community_id=row.community_id, room_id=row.id, tokens=int(row.tokens or 0), asked=bool(row.asked)
            )
            for row in rows
        ]


async def withdraw(session: Session, community_id: int, room_id: int, first_gone: int) -> None:
    """Withdraw a room's summaries that cover a message, and the later ones, which carry them over.

    The room is marked, so that what is left is summed up anew.
    """
    later = and_(
        owned(CHECKPOINTS, community_id), CHECKPOINTS.c.room_id == room_id, CHECKPOINTS.c.last_message_id >= first_gone
    )
    gone = [plain(Checkpoint, row) for row in await session.mappings(select(CHECKPOINTS).where(later))]
    if not any(one.first_message_id <= first_gone <= one.last_message_id for one in gone):
        return
    await session.run(delete(CHECKPOINTS).where(later))
    mark = func.coalesce(ROOMS.c.compact_asked_at, max(one.created_at for one in gone))
    this = and_(owned(ROOMS, community_id), ROOMS.c.id == room_id)
    await session.run(update(ROOMS).where(this).values(compact_asked_at=mark))
    await _forget_copies(session, community_id, room_id, {compacted(one) for one in gone})


async def withdraw_where(session: Session, community_id: int, condition: ColumnElement[bool]) -> None:
    """Withdraw the summaries that meet a condition, with those that carry them over."""
    first = func.min(CHECKPOINTS.c.first_message_id)
    asked = select(CHECKPOINTS.c.room_id, first).where(owned(CHECKPOINTS, community_id), condition)
    for room_id, first_gone in await session.rows(asked.group_by(CHECKPOINTS.c.room_id)):
        await withdraw(session, community_id, room_id, first_gone)


async def withdraw_covering(session: Session, community_id: int, gone: Sequence[tuple[int, int]]) -> None:
    """Withdraw the summaries that cover one of these messages (room and id), with those that carry them over.

    However many are gone it is one question: a condition for each would take long to be worded.
    """
    ids: dict[int, list[int]] = {}
    for room_id, message_id in sorted(gone):
        ids.setdefault(room_id, []).append(message_id)
    first, last = CHECKPOINTS.c.first_message_id, CHECKPOINTS.c.last_message_id
    asked = select(CHECKPOINTS.c.room_id, first, last).where(
        owned(CHECKPOINTS, community_id),
        CHECKPOINTS.c.room_id.in_(ids),
        last >= min(those[0] for those in ids.values()),
        first <= max(those[-1] for those in ids.values()),
    )
    covering: dict[int, int] = {}
    for room_id, begins, ends in await session.rows(asked.order_by(first)):
        at = bisect_left(ids[room_id], begins)
        if at < len(ids[room_id]) and ids[room_id][at] <= ends:
            covering.setdefault(room_id, begins)
    for room_id, first_gone in covering.items():
        await withdraw(session, community_id, room_id, first_gone)


async def _forget_copies(session: Session, community_id: int, room_id: int, texts: set[str]) -> None:
    """Take summaries out of the focus of everyone who was given them."""
    given = members_of(community_id, room_id)
    theirs = and_(owned(MINDS, community_id), MINDS.c.agent_id.in_(given), MINDS.c.focus.is_not(None))
    for agent_id, side, focus in await session.rows(
        select(MINDS.c.agent_id, MINDS.c.side, MINDS.c.focus).where(theirs)
    ):
        if focus and focus.get("compacted_context") in texts:
            kept = {name: value for name, value in focus.items() if name != "compacted_context"}
            this = and_(owned(MINDS, community_id), MINDS.c.agent_id == agent_id, MINDS.c.side == side)
            await session.run(update(MINDS).where(this).values(focus=kept))
