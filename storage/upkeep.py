"""What is kept no longer than it may be: old messages, old HUDs, and the traces of what was deleted."""

from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, func, or_, select, true, update

from bot.core.kinds import LetterState
from bot.core.records import CommunityId
from storage.erasing import erase
from storage.session import Session, owned
from storage.tables import BEATS, FAILURES, LETTERS, MEMBERSHIPS, MESSAGES, RESERVATIONS, ROOMS

NEWEST_KEPT = 200  # of each room, however old


class Upkeep(Session):
    """Retention."""

    async def forget(self, community_id: CommunityId, *, messages_before: datetime, huds_before: datetime) -> int:
        """Delete messages outside every window and stored HUDs that are older; gives how many messages went."""
        aged = and_(owned(BEATS, community_id), BEATS.c.at < huds_before)
        kept = or_(BEATS.c.hud.is_not(None), BEATS.c.answer.is_not(None), BEATS.c.thoughts.is_not(None))
        await self.run(update(BEATS).where(aged, kept).values(hud=None, answer=None, thoughts=None))
        gone = 0
        for room_id in [row[0] for row in await self.rows(select(ROOMS.c.id).where(owned(ROOMS, community_id)))]:
            gone += await self._forget_room(community_id, room_id, messages_before)
        await self._forget_traces(community_id, messages_before)
        return gone

    async def _forget_room(self, community_id: int, room_id: int, before: datetime) -> int:
        here = and_(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, MESSAGES.c.shown == true())
        newest = select(MESSAGES.c.sent_at).where(here).order_by(MESSAGES.c.sent_at.desc())
        begin: datetime | None = await self.value(newest.offset(NEWEST_KEPT - 1).limit(1))
        if begin is None:
            return 0
        windows = select(func.min(MEMBERSHIPS.c.window_start)).where(
            owned(MEMBERSHIPS, community_id), MEMBERSHIPS.c.room_id == room_id, MEMBERSHIPS.c.window_start > 0
        )
        outside = MESSAGES.c.id < func.coalesce(windows.scalar_subquery(), MESSAGES.c.id + 1)
        return await erase(self, community_id, and_(here, MESSAGES.c.sent_at < min(before, begin), outside), aged=True)

    async def _forget_traces(self, community_id: int, before: datetime) -> None:
        """Letters that were sent, keys that did not open and money that was settled need no longer memory."""
        closed = LETTERS.c.state.in_([LetterState.SENT, LetterState.FAILED])
        newest = select(func.max(LETTERS.c.last_part)).where(LETTERS.c.last_part.is_not(None))
        newest = newest.group_by(LETTERS.c.community_id, LETTERS.c.room_id)
        newest_beats = select(func.max(BEATS.c.id)).where(owned(BEATS, community_id)).group_by(BEATS.c.agent_id)
        old: list[tuple[Any, ...]] = [
            (
                LETTERS,
                closed,
                LETTERS.c.created_at < before,
                or_(LETTERS.c.last_part.is_(None), LETTERS.c.last_part.not_in(newest)),
            ),
            (BEATS, BEATS.c.at < before, BEATS.c.id.not_in(newest_beats)),
            (FAILURES, FAILURES.c.at < before),
            (RESERVATIONS, RESERVATIONS.c.day < before.date()),
        ]
        for table, *conditions in old:
            await self.run(delete(table).where(owned(table, community_id), *conditions))
