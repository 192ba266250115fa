"""What is kept no longer than it may be: old messages, old HUDs, old logs."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Table, and_, delete, exists, false, func, not_, or_, select, true, tuple_, update

from bot.core.errors import Unreadable
from bot.core.kinds import LetterState, RequestState
from bot.core.records import CommunityId
from storage.erasing import erase
from storage.letters import SqlLetters
from storage.questions import RECENT_ACTIONS
from storage.scenes import blank_said
from storage.session import Session, owned
from storage.tables import (
    ACTIONS,
    AUDIT,
    BEATS,
    EARLY_EDITS,
    EVENTS,
    FAILURES,
    HOLDERS,
    JOURNAL,
    KEYS,
    LETTERS,
    MEMBERSHIPS,
    MESSAGES,
    METADATA,
    REQUESTS,
    RESERVATIONS,
    ROOMS,
    TOMBSTONES,
)

Aged = tuple[Table, *tuple[ColumnElement[bool], ...]]  # rows of a table that meet all conditions
CLOSED = (LetterState.SENT, LetterState.FAILED)
NEWEST_KEPT = 200  # of each room, however old


@dataclass(frozen=True, slots=True)
class SqlUpkeep:
    """What is kept no longer than it may be."""

    session: Session
    letters: SqlLetters

    async def forget(
        self, community_id: CommunityId, *, messages_before: datetime, huds_before: datetime, logs_before: datetime
    ) -> int:
        kept = func.coalesce(BEATS.c.hud, BEATS.c.answer, BEATS.c.thoughts).is_not(None)  # as their index has it
        aged = and_(owned(BEATS, community_id), BEATS.c.at < huds_before, kept)
        await self.session.run(update(BEATS).where(aged).values(hud=None, answer=None, thoughts=None))
        gone = 0
        for room_id in [
            row[0] for row in await self.session.rows(select(ROOMS.c.id).where(owned(ROOMS, community_id)))
        ]:
            gone += await self._forget_room(community_id, room_id, messages_before)
        await blank_said(self.session, community_id, EVENTS.c.at < messages_before, aged=True)
        ended = _ended_keys(community_id, huds_before)
        for table, *conditions in [*_traces(community_id, messages_before), *_logs(community_id, logs_before), *ended]:
            await self.session.run(delete(table).where(owned(table, community_id), *conditions))
        return gone

    async def set_aside(self, found: Unreadable, at: datetime) -> None:
        table = METADATA.tables[found.table]
        for key in found.keys:
            this = tuple_(*table.primary_key) == tuple_(*key)
            match found.table:
                case LETTERS.name:
                    await self.session.run(update(LETTERS).where(this).values(state=LetterState.FAILED, closed_at=at))
                    for community_id, message_id in await self.session.rows(
                        select(LETTERS.c.community_id, LETTERS.c.message_id).where(
                            this, LETTERS.c.message_id.is_not(None)
                        )
                    ):
                        await self.letters.free_author(community_id, message_id, at)
                case REQUESTS.name:
                    await self.session.run(
                        update(REQUESTS).where(this).values(state=RequestState.EXPIRED, closed_at=at)
                    )
                case _:
                    await self.session.run(delete(table).where(this))

    async def _forget_room(self, community_id: int, room_id: int, before: datetime) -> int:
        here = and_(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id)
        shown = and_(here, MESSAGES.c.shown == true())
        newest = select(MESSAGES.c.sent_at).where(shown).order_by(MESSAGES.c.sent_at.desc())
        begin: datetime | None = await self.session.value(newest.offset(NEWEST_KEPT - 1).limit(1))
        windows = select(func.min(MEMBERSHIPS.c.window_start)).where(
            owned(MEMBERSHIPS, community_id), MEMBERSHIPS.c.room_id == room_id, MEMBERSHIPS.c.window_start > 0
        )
        outside = MESSAGES.c.id < func.coalesce(windows.scalar_subquery(), MESSAGES.c.id + 1)
        unposted = and_(here, MESSAGES.c.shown == false(), MESSAGES.c.sent_at < before, not_(_waits()))
        gone = await erase(self.session, community_id, unposted, aged=True)
        if begin is None:
            return gone
        old = and_(shown, MESSAGES.c.sent_at < min(before, begin), outside)
        return gone + await erase(self.session, community_id, old, aged=True)


def _waits() -> ColumnElement[bool]:
    """Tell whether a message is still to be posted, or to be decided about."""
    of_it = and_(LETTERS.c.community_id == MESSAGES.c.community_id, LETTERS.c.message_id == MESSAGES.c.id)
    return exists().where(of_it, LETTERS.c.state.not_in(CLOSED))


def _traces(community_id: int, before: datetime) -> list[Aged]:
    """Letters that were sent, beats, keys that did not open and money that was settled need no longer memory."""
    newest = select(func.max(LETTERS.c.last_part)).where(LETTERS.c.last_part.is_not(None))
    newest = newest.group_by(LETTERS.c.community_id, LETTERS.c.room_id)
    newest_beats = select(func.max(BEATS.c.id)).where(owned(BEATS, community_id)).group_by(BEATS.c.agent_id)
    its_last = or_(LETTERS.c.last_part.is_(None), LETTERS.c.last_part.not_in(newest))
    return [
        (LETTERS, LETTERS.c.state.in_(CLOSED), LETTERS.c.created_at < before, its_last),
        (BEATS, BEATS.c.at < before, BEATS.c.id.not_in(newest_beats)),
        (FAILURES, FAILURES.c.at < before),
        (RESERVATIONS, RESERVATIONS.c.day < before.date()),
    ]


def _ended_keys(community_id: int, before: datetime) -> list[Aged]:
    """Keys that have long opened nothing: no stored HUD shows them any more."""
    used_up = and_(KEYS.c.uses_left <= 0, KEYS.c.created_at < before)
    ended = or_(KEYS.c.revoked_at < before, KEYS.c.expires_at < before, used_up)
    theirs = select(KEYS.c.id).where(owned(KEYS, community_id), ended)
    return [(HOLDERS, HOLDERS.c.key_id.in_(theirs)), (KEYS, ended)]


def _logs(community_id: int, before: datetime) -> list[Aged]:
    """What was done; an agent's last actions stay, which its HUD shows. People who were forgotten stay forgotten."""
    later = ACTIONS.alias("later")
    last_shown = (
        select(later.c.id)
        .where(later.c.community_id == community_id, later.c.agent_id == ACTIONS.c.agent_id)
        .where(later.c.side == ACTIONS.c.side)
        .order_by(later.c.id.desc())
        .limit(1)
        .offset(RECENT_ACTIONS - 1)
        .correlate(ACTIONS)
        .scalar_subquery()
    )
    return [
        (ACTIONS, ACTIONS.c.at < before, ACTIONS.c.id < last_shown),
        (JOURNAL, JOURNAL.c.at < before),
        (AUDIT, AUDIT.c.at < before),
        (REQUESTS, REQUESTS.c.closed_at < before),
        (TOMBSTONES, TOMBSTONES.c.at < before),
        (EARLY_EDITS, EARLY_EDITS.c.edited_at < before),
    ]
