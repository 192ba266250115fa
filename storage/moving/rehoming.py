"""A community becomes another: a clone beside itself, or one that leaves all places of an old server behind."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from types import MappingProxyType

from sqlalchemy import Date, Table, and_, select

from bot.core.changes import AddLetter, Change, UpdateRoom
from bot.core.kinds import LetterKind, LetterState, Visibility
from bot.core.letters import ChannelPayload
from bot.core.records import AgentId, CommunityId
from storage.changes.applying import apply
from storage.columns import UtcTime, to_microseconds
from storage.database import Database, database_url
from storage.erasing import erase
from storage.moving.arrival import EARLIEST, OPEN
from storage.moving.contents import MOVED, counts_itself
from storage.moving.staging import Keys, keys_in, remove, short_turn
from storage.prepared import PlainRow
from storage.rooms import SqlRooms
from storage.session import Session, Values, owned
from storage.tables import (
    AGENTS,
    COMMUNITIES,
    EARLY_EDITS,
    KEPT,
    LETTERS,
    MESSAGES,
    OVERRIDES,
    PARTS,
    REASONS,
    ROOMS,
    SCHEDULES,
    TOMBSTONES,
)

# Its places, and what holds only there: the commands have to be brought to the other server too.
PLACES = ("managers_channel_id", "category_id", "architect_role_id", "synced_commands")
NOWHERE: Values = MappingProxyType({"discord_id": None, "reply_to_discord_id": None, "thread_id": None})
UNREAD = "unread:"  # kept for rooms: from which of the server's messages on they are to be read
ONLY_THERE = (PARTS, TOMBSTONES, EARLY_EDITS)
LEFT_THERE: Mapping[str, Values] = MappingProxyType(
    {
        "messages": NOWHERE,
        "rooms": {"channel_id": None},
        "scenes": {"thread_id": None, "board_post_id": None},
        "scene_events": {"post_id": None},
        "people": {"is_architect": False},  # they may manage that server, not this one
    }
)
FEW = 20  # threads, messages or rooms in one transaction
STILL_TO_BE_SEEN = (LetterKind.CHANNEL, LetterKind.POST, LetterKind.BILLBOARD, LetterKind.TOPIC, LetterKind.RENAME)


def rehomed(table: Table, row: Values) -> Values | None:
    """Give a row as it is in another server, None for one that was only about the old one.

    A message keeps its places where `rehome` has to look at these first.
    """
    if table in ONLY_THERE or (table is OVERRIDES and row["name"] in PLACES):
        return None
    if table is KEPT and row["name"].startswith(UNREAD):
        return None
    if table is MESSAGES and row["thread_id"] is not None and row["thread_name"] is None:
        return row
    if table is LETTERS:
        if row["state"] not in OPEN or row["kind"] not in STILL_TO_BE_SEEN:
            return None
        return {**row, "posted_as": None, "last_part": None, "attempts": 0, "state": LetterState.WAITING}
    return {**row, **LEFT_THERE.get(table.name, {})}


async def rehome(database: Database, community_id: CommunityId) -> None:
    """Leave the private threads of the server that the community came from, and ask for channels in its new one."""
    inside = select(ROOMS.c.id).where(owned(ROOMS, community_id), ROOMS.c.thread_of.is_not(None))
    for table in (LETTERS, REASONS, SCHEDULES):
        await remove(database, community_id, table, table.c.room_id.in_(inside))
    async with aclosing(keys_in(database, community_id, ROOMS, ROOMS.c.thread_of.is_not(None))) as threads:
        async for keys in threads:
            for some in _few(keys):
                async with short_turn(database, community_id) as session:
                    await SqlRooms(session).leave_threads(community_id, some)
    await _forget_untold(database, community_id)
    await _ask_for_channels(database, community_id)


async def _forget_untold(database: Database, community_id: CommunityId) -> None:
    """Erase what was said in threads that may be private, for nobody looked yet."""
    untold = and_(MESSAGES.c.thread_id.is_not(None), MESSAGES.c.thread_name.is_(None))
    async with aclosing(keys_in(database, community_id, MESSAGES, untold)) as messages:
        async for keys in messages:
            for some in _few(keys):
                async with short_turn(database, community_id) as session:
                    await erase(session, community_id, MESSAGES.c.id.in_(some))


async def _ask_for_channels(database: Database, community_id: CommunityId) -> None:
    """Do what restoring an agent does whose channel is gone: a room is private until Discord shows who sees it."""
    asked = select(LETTERS.c.room_id).where(owned(LETTERS, community_id), LETTERS.c.kind == LetterKind.CHANNEL)
    living = select(AGENTS.c.id).where(owned(AGENTS, community_id), AGENTS.c.retired_at.is_(None))
    async with database.reading() as connection:
        session = Session(connection)
        done = {row[0] for row in await session.rows(asked)}
        rooms = select(ROOMS.c.id, ROOMS.c.visibility).where(owned(ROOMS, community_id), ROOMS.c.id.in_(living))
        rows = await session.rows(rooms.order_by(ROOMS.c.id))
    visibility = {row[0]: row[1] for row in rows if row[0] not in done}
    for some in _few([(room_id,) for room_id in visibility]):
        changes: list[Change] = []
        for room_id in some:
            payload = ChannelPayload(private=visibility[room_id] == Visibility.PRIVATE).stored()
            changes += [
                UpdateRoom(room_id=AgentId(room_id), fields={"visibility": Visibility.PRIVATE}),
                AddLetter(kind=LetterKind.CHANNEL, room_id=AgentId(room_id), payload=payload, not_before=EARLIEST),
            ]
        async with short_turn(database, community_id) as session:
            await apply(session, community_id, changes)


def _few(keys: Keys) -> Iterator[list[int]]:
    """Give ids, few at a time, of which each takes some statements."""
    ids = [int(key[0]) for key in keys]
    return (ids[start : start + FEW] for start in range(0, len(ids), FEW))


NO_VALUES: Values = MappingProxyType({})
AT_A_TIME = 500  # rows: what is copied is never twice in memory as a whole, and each may be long
OF_LONG_ONES = {"agents": 50, "attachments": 50, "journal": 10, "messages": 100, "minds": 10}


async def clone_community(source: Database, community_id: CommunityId) -> Database:
    """Copy a community with its ids, as it stands at one moment; its full-text index is left to be made."""
    target = Database(database_url("sqlite:///:memory:"))
    async with source.reading() as reading, target.engine.begin() as writing:
        session, copy = Session(reading), Session(writing)
        await copy_rows(session, copy, COMMUNITIES, community_id)
        for table in MOVED:
            await copy_rows(session, copy, table, community_id)
    return target


async def copy_rows(
    source: Session,
    target: Session,
    table: Table,
    community_id: int,
    only: str = "",
    values: Values = NO_VALUES,
    without: Collection[str] = (),
    on_page: Callable[[Sequence[tuple[object, ...]]], None] = lambda _: None,
) -> None:
    """Copy a community's rows of a table into another SQLite, all or those that meet a condition in plain SQL.

    `without`: columns that stay behind. `on_page` is called with each piece, and may end it all by an error.
    """
    key = {"communities": "id", "kept": "scope"}.get(table.name, "community_id")
    names = [column.name for column in table.columns if table is COMMUNITIES or not counts_itself(column)]
    columns, marks = ", ".join(names), ", ".join("?" for _ in names)
    order = ", ".join(column.name for column in table.primary_key)
    where = f"{key} = :community_id AND ({only})" if only else f"{key} = :community_id"
    taken = ", ".join(f"NULL AS {name}" if name in without else name for name in names)
    asked = f"SELECT {taken} FROM {table.name} WHERE {where} ORDER BY {order}"  # noqa: S608  # our own names
    size = OF_LONG_ONES.get(table.name, AT_A_TIME)
    async for page in source.plainly(asked, {"community_id": community_id, **values}, size):
        on_page(page)
        rows = page if source.is_sqlite else _as_sqlite_has_them(table, names, page)
        await target.put_plainly(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", rows)  # noqa: S608


def _as_sqlite_has_them(table: Table, names: Sequence[str], rows: Iterable[PlainRow]) -> list[tuple[object, ...]]:
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
