"""What is kept no longer than it may be: old messages, old HUDs, old logs."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Table, and_, delete, exists, false, func, not_, or_, select, true, tuple_, update

from bot.core.errors import Unreadable
from bot.core.kinds import LetterState, RequestState
from bot.core.records import AgentId, CommunityId
from storage.erasing import erase
from storage.inline import unhurried
from storage.letters import SqlLetters
from storage.questions import RECENT_ACTIONS
from storage.scenes import blank_said
from storage.session import Session, key_of, owned
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
    LOOKUPS,
    MEMBERSHIPS,
    MESSAGES,
    METADATA,
    MINDS,
    MOVES,
    REQUESTS,
    RESERVATIONS,
    ROOMS,
    SCENES,
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
        aged = and_(owned(BEATS, community_id), _kept_before(huds_before))
        await self.session.run(update(BEATS).where(aged).values(hud=None, answer=None, thoughts=None))
        gone = 0
        for room_id in await self._rooms(community_id):
            for which in await self._aged(community_id, room_id, messages_before):
                gone += await erase(self.session, community_id, which, aged=True)
        await blank_said(self.session, community_id, EVENTS.c.at < messages_before, aged=True)
        for table, *conditions in _worn(community_id, messages_before, huds_before, logs_before):
            await self.session.run(delete(table).where(owned(table, community_id), *conditions))
        return gone

    async def forget_logs(
        self,
        community_id: CommunityId,
        *,
        messages_before: datetime,
        huds_before: datetime,
        logs_before: datetime,
        limit: int,
    ) -> int:
        most = 0
        with unhurried():
            for table, *conditions in _worn(community_id, messages_before, huds_before, logs_before):
                key, aged = key_of(table), (owned(table, community_id), *conditions)
                keys = [tuple(row) for row in await self.session.rows(select(*key).where(*aged).limit(limit))]
                these = tuple_(*key).in_(keys)
                await self.session.run(delete(table).where(owned(table, community_id), these))
                most = max(most, len(keys))
        return most

    async def forget_huds(self, community_id: CommunityId, before: datetime, *, limit: int) -> int:
        asked = select(BEATS.c.id).where(owned(BEATS, community_id), _kept_before(before)).limit(limit)
        ids = [row[0] for row in await self.session.rows(asked)]
        these = and_(owned(BEATS, community_id), BEATS.c.id.in_(ids))
        await self.session.run(update(BEATS).where(these).values(hud=None, answer=None, thoughts=None))
        return len(ids)

    async def forget_in_next(
        self, community_id: CommunityId, after: AgentId, before: datetime, *, limit: int
    ) -> tuple[int, AgentId | None]:
        following = select(func.min(ROOMS.c.id)).where(owned(ROOMS, community_id), ROOMS.c.id > after)
        room_id = await self.session.value(following)
        if room_id is None:
            return 0, None
        gone = 0
        for which in await self._aged(community_id, room_id, before):
            of_room = select(MESSAGES.c.id).where(owned(MESSAGES, community_id), which).limit(limit)
            ids = [row[0] for row in await self.session.rows(of_room)]
            gone += await erase(self.session, community_id, MESSAGES.c.id.in_(ids), aged=True) if ids else 0
        return gone, AgentId(room_id - 1 if gone else room_id)

    async def _rooms(self, community_id: int) -> list[int]:
        return [row[0] for row in await self.session.rows(select(ROOMS.c.id).where(owned(ROOMS, community_id)))]

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

    async def _aged(self, community_id: int, room_id: int, before: datetime) -> list[ColumnElement[bool]]:
        """Give which messages of a room go, by age alone."""
        here = and_(owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id)
        shown = and_(here, MESSAGES.c.shown == true())
        newest = select(MESSAGES.c.sent_at).where(shown).order_by(MESSAGES.c.sent_at.desc())
        begin: datetime | None = await self.session.value(newest.offset(NEWEST_KEPT - 1).limit(1))
        windows = select(func.min(MEMBERSHIPS.c.window_start)).where(
            owned(MEMBERSHIPS, community_id), MEMBERSHIPS.c.room_id == room_id, MEMBERSHIPS.c.window_start > 0
        )
        outside = MESSAGES.c.id < func.coalesce(windows.scalar_subquery(), MESSAGES.c.id + 1)
        unposted = and_(here, MESSAGES.c.shown == false(), MESSAGES.c.sent_at < before, not_(_waits()))
        if begin is None:
            return [unposted]
        return [unposted, and_(shown, MESSAGES.c.sent_at < min(before, begin), outside)]


def _kept_before(moment: datetime) -> ColumnElement[bool]:
    """Tell whether a beat still has what was sent and answered, and is older; as the index of those has it."""
    return and_(BEATS.c.at < moment, func.coalesce(BEATS.c.hud, BEATS.c.answer, BEATS.c.thoughts).is_not(None))


def _waits() -> ColumnElement[bool]:
    """Tell whether a message is still to be posted, or to be decided about."""
    of_it = and_(LETTERS.c.community_id == MESSAGES.c.community_id, LETTERS.c.message_id == MESSAGES.c.id)
    return exists().where(of_it, LETTERS.c.state.not_in(CLOSED))


def _worn(community_id: int, messages_before: datetime, huds_before: datetime, logs_before: datetime) -> list[Aged]:
    ended = _ended_keys(community_id, huds_before)
    return [*_traces(community_id, messages_before), *_logs(community_id, logs_before), *ended]


def _traces(community_id: int, before: datetime) -> list[Aged]:
    """Letters that were sent, beats, keys that did not open and money that was settled need no longer memory."""
    posted = (owned(LETTERS, community_id), LETTERS.c.last_part.is_not(None))
    newest = select(func.max(LETTERS.c.last_part)).where(*posted).group_by(LETTERS.c.room_id)
    later = BEATS.alias("later")
    of_agent = and_(later.c.community_id == community_id, later.c.agent_id == BEATS.c.agent_id)
    its_last = or_(LETTERS.c.last_part.is_(None), LETTERS.c.last_part.not_in(newest))
    return [
        (LETTERS, LETTERS.c.state.in_(CLOSED), LETTERS.c.created_at < before, its_last),
        (BEATS, BEATS.c.at < before, exists().where(of_agent, later.c.id > BEATS.c.id)),
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
        *_of_ended_scenes(community_id, before),
    ]


def _of_ended_scenes(community_id: int, before: datetime) -> list[Aged]:
    """The log of a scene, and what agents carried on the side that a closed one was, long after it."""

    def aged(scene_id: ColumnElement[int]) -> ColumnElement[bool]:
        return exists().where(
            SCENES.c.community_id == community_id, SCENES.c.id == scene_id, SCENES.c.ended_at < before
        )

    return [
        *((table, table.c.side < 0, aged(-table.c.side)) for table in (MINDS, LOOKUPS, ACTIONS)),
        *((table, aged(table.c.scene_id)) for table in (EVENTS, MOVES)),
    ]
