"""A community becomes another: a clone beside itself, or one that leaves all places of an old server behind."""

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Date, Table, and_, delete, or_, select, update

from bot.core.changes import AddLetter, Change, SetOverride, UpdateRoom
from bot.core.kinds import LetterKind, LetterState, Visibility
from bot.core.letters import ChannelPayload
from bot.core.records import CommunityId
from storage.changes.applying import apply
from storage.columns import UtcTime, to_microseconds
from storage.database import Database, database_url
from storage.erasing import erase
from storage.moving.arrival import EARLIEST, OPEN
from storage.moving.contents import TABLES, counts_itself
from storage.rooms import SqlRooms
from storage.session import Session, Values, owned
from storage.tables import (
    AGENTS,
    COMMUNITIES,
    EARLY_EDITS,
    EVENTS,
    KEPT,
    LETTERS,
    MESSAGES,
    PARTS,
    PEOPLE,
    ROOMS,
    SCENES,
    TOMBSTONES,
)

# Its places, and what holds only there: the commands have to be brought to the other server too.
OVERRIDES = ("managers_channel_id", "category_id", "architect_role_id", "synced_commands")
NOWHERE: Values = MappingProxyType({"discord_id": None, "reply_to_discord_id": None, "thread_id": None})
UNREAD = "unread:%"  # kept for rooms: from which of the server's messages on they are to be read
STILL_TO_BE_SEEN = (LetterKind.CHANNEL, LetterKind.POST, LetterKind.BILLBOARD, LetterKind.TOPIC, LetterKind.RENAME)


def nowhere(message: Values) -> Values:
    """Give a message's row without its places, unless `rehome` has to look at these first."""
    if message["thread_id"] is not None and message["thread_name"] is None:
        return message
    return {**message, **NOWHERE}


async def rehome(session: Session, community_id: CommunityId) -> None:
    """Forget everything that lies in the server that the community came from, and ask for channels in its new one."""
    await _leave_threads(session, community_id)
    await _leave_messages(session, community_id)
    await _leave_letters(session, community_id)
    await apply(session, community_id, [SetOverride(name=name, value=None) for name in OVERRIDES])
    await session.run(delete(KEPT).where(KEPT.c.scope == community_id, KEPT.c.name.like(UNREAD)))
    await _set(session, community_id, SCENES, thread_id=None, board_post_id=None)
    await _set(session, community_id, EVENTS, post_id=None)
    await _set(session, community_id, PEOPLE, is_architect=False)  # they may manage that server, not this one
    await _ask_for_channels(session, community_id)


async def _leave_threads(session: Session, community_id: CommunityId) -> None:
    """Leave the private threads; what was said in threads that may be private, for nobody looked yet, goes."""
    await SqlRooms(session).leave_threads(community_id)
    await erase(session, community_id, and_(MESSAGES.c.thread_id.is_not(None), MESSAGES.c.thread_name.is_(None)))


async def _leave_messages(session: Session, community_id: CommunityId) -> None:
    somewhere = or_(*(MESSAGES.c[name].is_not(None) for name in NOWHERE))
    await _set(session, community_id, MESSAGES, somewhere, **NOWHERE)
    for table in (PARTS, TOMBSTONES, EARLY_EDITS):
        await session.run(delete(table).where(owned(table, community_id)))


async def _leave_letters(session: Session, community_id: CommunityId) -> None:
    """Keep what is still to be seen, as if nobody had tried yet."""
    waits = and_(LETTERS.c.state.in_(OPEN), LETTERS.c.kind.in_(STILL_TO_BE_SEEN))
    await session.run(delete(LETTERS).where(owned(LETTERS, community_id), ~waits))
    await _set(session, community_id, LETTERS, posted_as=None, last_part=None, attempts=0)
    begun = LETTERS.c.state == LetterState.SENDING
    await _set(session, community_id, LETTERS, begun, state=LetterState.WAITING)


async def _ask_for_channels(session: Session, community_id: CommunityId) -> None:
    """Do what restoring an agent does whose channel is gone: a room is private until Discord shows who sees it."""
    asked = select(LETTERS.c.room_id).where(owned(LETTERS, community_id), LETTERS.c.kind == LetterKind.CHANNEL)
    living = select(AGENTS.c.id).where(owned(AGENTS, community_id), AGENTS.c.retired_at.is_(None))
    rooms = select(ROOMS.c.id, ROOMS.c.visibility).where(owned(ROOMS, community_id), ROOMS.c.id.in_(living))
    changes: list[Change] = []
    for room_id, visibility in await session.rows(rooms.where(ROOMS.c.id.not_in(asked)).order_by(ROOMS.c.id)):
        payload = ChannelPayload(private=visibility == Visibility.PRIVATE).stored()
        changes += [
            UpdateRoom(room_id=room_id, fields={"visibility": Visibility.PRIVATE}),
            AddLetter(kind=LetterKind.CHANNEL, room_id=room_id, payload=payload, not_before=EARLIEST),  # at once
        ]
    await _set(session, community_id, ROOMS, channel_id=None)
    await apply(session, community_id, changes)


async def _set(
    session: Session, community_id: CommunityId, table: Table, *only: ColumnElement[bool], **values: object
) -> None:
    await session.run(update(table).where(owned(table, community_id), *only).values(values))


NO_VALUES: Values = MappingProxyType({})
AT_A_TIME = 5_000  # rows: what is copied is never twice in memory as a whole


async def clone_community(source: Database, community_id: CommunityId) -> Database:
    """Copy a community with its ids, as it stands at one moment; its full-text index is left to be made."""
    target = Database(database_url("sqlite:///:memory:"))
    async with source.reading() as reading, target.engine.begin() as writing:
        session, copy = Session(reading), Session(writing)
        await copy_rows(session, copy, COMMUNITIES, community_id)
        for table in (*TABLES, KEPT):
            await copy_rows(session, copy, table, community_id)
    return target


async def copy_rows(
    source: Session, target: Session, table: Table, community_id: int, only: str = "", values: Values = NO_VALUES
) -> None:
    """Copy a community's rows of a table into a store in memory, all or those that meet a condition in plain SQL."""
    key = {"communities": "id", "kept": "scope"}.get(table.name, "community_id")
    names = [column.name for column in table.columns if table is COMMUNITIES or not counts_itself(column)]
    columns, marks = ", ".join(names), ", ".join("?" for _ in names)
    order = ", ".join(column.name for column in table.primary_key)
    where = f"{key} = :community_id AND ({only})" if only else f"{key} = :community_id"
    asked = f"SELECT {columns} FROM {table.name} WHERE {where} ORDER BY {order}"  # noqa: S608  # our own names
    async for page in source.plainly(asked, {"community_id": community_id, **values}, AT_A_TIME):
        rows = page if source.is_sqlite else _as_sqlite_has_them(table, names, page)
        await target.put_plainly(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", rows)  # noqa: S608


def _as_sqlite_has_them(table: Table, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[tuple[object, ...]]:
    """Change what PostgreSQL keeps in types of its own; all else is the same in both."""
    moments = [place for place, name in enumerate(names) if isinstance(table.c[name].type, UtcTime)]
    days = [place for place, name in enumerate(names) if isinstance(table.c[name].type, Date)]
    changed: list[tuple[object, ...]] = []
    for row in rows:
        values = list(row)
        for place in moments:
            values[place] = None if values[place] is None else to_microseconds(values[place])
        for place in days:
            values[place] = values[place].isoformat()
        changed.append(tuple(values))
    return changed
