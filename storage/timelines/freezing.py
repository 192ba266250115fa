"""A community frozen for a tree: some rooms and who is in them, without what opens, pays or is still to be sent."""

import asyncio
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import URL, delete, select, text, union

from bot.core.errors import NotFound, Rejected
from bot.core.records import CommunityId
from bot.core.sentences import Sentence
from bot.core.timelines.records import Cut, Image
from storage.beats import recount
from storage.columns import to_microseconds
from storage.database import Database
from storage.emptying import is_begun
from storage.faults import in_sentences
from storage.forgetting import forgetting
from storage.inline import fill
from storage.moving.rehoming import copy_rows
from storage.owed import debts_in
from storage.private import UNFINISHED, keep_private
from storage.session import Session, Values, owned
from storage.tables import AGENTS, COMMUNITIES, MEMBERSHIPS, MESSAGES, OVERRIDES, ROOMS, SCENES, SEATS
from storage.timelines.deltas import digest_of_all
from storage.timelines.past import Past, moment_of
from storage.timelines.seating import Seating
from storage.timelines.tables import IN_ORDER
from storage.timelines.tree_file import PIECE, unkept, worded

LEVEL = 6
MOST_CHARACTERS = 200_000_000  # of what is frozen: each world of it lies on the disk while it runs
SMALL = ("cache_size = -4096", "mmap_size = 0")  # of a file that is written and read once, as little as may be at hand
GONE = Sentence("There is no such community: see the list of communities.")
NO_ROOM = Sentence("One of these rooms is not there any more: choose others.")
DELETING = Sentence("What was deleted is still being taken out: try again in a minute.")
TOO_MUCH = Sentence(
    "There is more in these rooms than a what-if can take along: choose fewer of them, or fewer messages."
)
FORGETTING = Sentence("Somebody is being forgotten here just now: try again in a minute.")
SOME = "SELECT {0} FROM {1} WHERE community_id = :community_id AND {0} IS NOT NULL AND {2}"


async def frozen(database: Database, community_id: CommunityId, cut: Cut, *, now: datetime) -> Image:
    """Freeze a part of a community in one read; raises NotFound for a room that is not there.

    Raises Rejected while something that was deleted there is still being taken out, and for more than can be held;
    StoreError where there is no space beside the database, in a file of which it is put together.
    """
    with _aside(database) as file:
        return await _frozen(database, file, community_id, cut, now)


@contextmanager
def _aside(database: Database) -> Iterator[Path]:
    """Give a place for a file that goes when the block ends."""
    try:
        with (
            TemporaryDirectory(dir=database.folder, prefix=UNFINISHED, ignore_cleanup_errors=True) as folder,
            in_sentences(),
        ):
            yield Path(folder, "part.db")
    except OSError as error:
        raise unkept(error) from error


async def _frozen(database: Database, file: Path, community_id: CommunityId, cut: Cut, now: datetime) -> Image:
    target = await asyncio.to_thread(_made, file)
    try:
        await target.plainly(_keep_small)
        async with database.reading() as reading, target.engine.begin() as writing:
            session, copy = Session(reading), Session(writing)
            await _refuse_unsettled(session, community_id)
            at = await moment_of(session, community_id, cut.point)
            part, measure = await _part(session, community_id, cut, until=at), _Measure()
            for table in IN_ORDER:
                if (only := part.only(table.name)) is not None:
                    left = STAYS.get(table.name, ())
                    await copy_rows(
                        session, copy, table, community_id, only, part.values, without=left, on_page=measure
                    )
            told = () if at is None else await Past(copy, community_id, cut.point, at).unwind()
            if cut.played_by:
                told = (*told, await Seating(copy, community_id, at or now).seat(cut.played_by, cut.point))
            await _settle(copy, community_id, part)
        data, digest = await target.plainly(partial(_packed, whole=file.with_name("whole.db")))
    finally:
        await target.close()
    return Image(data=data, digest=digest, at=at or now, not_unwound=tuple(told))


class _Measure:
    """Adds up what is frozen, and raises Rejected for more than a world may take of the disk."""

    def __init__(self) -> None:
        self._characters = 0

    def __call__(self, rows: Sequence[tuple[object, ...]]) -> None:
        self._characters += sum(len(one) for row in rows for one in row if isinstance(one, str | bytes))
        if self._characters > MOST_CHARACTERS:
            raise Rejected(TOO_MUCH)


async def _refuse_unsettled(session: Session, community_id: CommunityId) -> None:
    if any(there == community_id for there, _ in await forgetting(session)):
        raise Rejected(FORGETTING)
    if await debts_in(session, community_id, limit=1) or await is_begun(session, community_id):
        raise Rejected(DELETING)


def _made(file: Path) -> Database:
    """Make a database in a file, with all tables."""
    keep_private(file)
    with worded(), closing(sqlite3.connect(file)) as connection:
        fill(connection)
    return Database(URL.create("sqlite+aiosqlite", database=str(file)))


def _keep_small(connection: sqlite3.Connection) -> None:
    for pragma in SMALL:
        connection.execute(f"PRAGMA {pragma}")


def _packed(connection: sqlite3.Connection, *, whole: Path) -> tuple[memoryview, str]:
    with worded():
        digest = digest_of_all(connection)
    return packed(connection, whole), digest


def packed(connection: sqlite3.Connection, whole: Path) -> memoryview:
    """Pack a database in pieces; what is given lies in a file without a name, and is gone with the last who holds it.

    `whole`: where a copy without what was deleted in it is written.
    """
    with worded():
        connection.execute("VACUUM INTO ?", (str(whole),))
    packing = zlib.compressobj(LEVEL)
    with whole.open("rb") as read, whole.with_suffix(".packed").open("w+b") as written:
        while piece := read.read(PIECE):
            written.write(packing.compress(piece))
        written.write(packing.flush())
        written.flush()
        return memoryview(mmap(written.fileno(), 0, access=ACCESS_READ))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What comes along, as conditions in plain SQL that both databases understand; ids are numbers of our own."""

    heard: Collection[int]  # rooms whose messages come along
    rooms: Collection[int]  # those, and the own rooms of who is in them, without what is said there
    agents: Collection[int]
    values: Values = field(default_factory=dict)
    since: bool = False

    def only(self, table_name: str) -> str | None:
        """Give which rows of a table come along; None: none at all."""
        heard, rooms, agents = _listed(self.heard), _listed(self.rooms), _listed(self.agents)
        sides = _listed({0, *self.heard})
        said = f"room_id IN ({heard}) AND (shown OR scene_id IS NOT NULL)"
        said += " AND sent_at >= :since" if self.since else ""
        of_message = f"message_id IN ({SOME.format('id', 'messages', said)})"
        of_scene = f"scene_id IN ({SOME.format('id', 'scenes', f'room_id IN ({heard})')})"
        of_key = SOME.format("id", "keys", f"room_id IN ({heard})")
        of_mind = f"agent_id IN ({agents}) AND side IN ({sides})"
        return {
            "communities": "1 = 1",
            "counters": "1 = 1",
            "overrides": "1 = 1",
            "people": self._people(said, of_message, of_scene),
            "names": " OR ".join(f"bearer = 'agent:{id_}'" for id_ in sorted(self.agents)) or "1 = 0",
            "agents": f"id IN ({agents})",
            "rooms": f"id IN ({rooms})",
            "memberships": f"agent_id IN ({agents}) AND room_id IN ({rooms})",
            "departures": f"agent_id IN ({agents}) AND room_id IN ({heard})",
            "reasons": f"agent_id IN ({agents}) AND scene_id IS NOT NULL AND {of_scene}",
            "schedules": f"agent_id IN ({agents}) AND room_id IN ({heard})",
            "messages": said,
            "attachments": of_message,
            "parts": of_message,
            "reactions": of_message,
            "checkpoints": f"room_id IN ({heard})",
            "minds": of_mind,
            "journal": of_mind,
            "actions": of_mind,
            "lookups": of_mind,
            "keys": f"room_id IN ({heard})",
            "key_holders": f"agent_id IN ({agents}) AND key_id IN ({of_key})",
            "requests": f"room_id IN ({heard})",
            "key_failures": f"room_id IN ({heard})",
            "beats": of_mind,
            "scenes": f"room_id IN ({heard})",
            "scene_seats": of_scene,
            "scene_moves": of_scene,
            "scene_events": of_scene,
        }.get(table_name)

    def _people(self, said: str, of_message: str, of_scene: str) -> str:
        """Give who comes along: whoever said or did something that does, or is to be forgotten for good."""
        heard = f"room_id IN ({_listed(self.heard)})"
        mentions = (
            ("sender_person_id", "messages", said),
            ("person_id", "scene_seats", of_scene),
            ("started_by", "scenes", heard),
            ("requester_person_id", "requests", heard),
            ("CAST(substr(reactor, 8) AS bigint)", "reactions", f"reactor LIKE 'person:%' AND {of_message}"),
        )
        return " OR ".join(f"id IN ({SOME.format(*mention)})" for mention in mentions)


def _listed(ids: Collection[int]) -> str:
    return ", ".join(str(int(id_)) for id_ in sorted(ids)) or "NULL"


async def _part(session: Session, community_id: CommunityId, cut: Cut, *, until: datetime | None) -> _Part:
    if await session.first(select(COMMUNITIES.c.id).where(COMMUNITIES.c.id == community_id)) is None:
        raise NotFound(GONE)
    its = owned(ROOMS, community_id)
    open_ = (its, ROOMS.c.thread_of.is_(None))  # private threads stay behind: all managers may look into a tree
    within = (ROOMS.c.id.in_(cut.rooms),) if cut.rooms else ()
    heard = {row[0] for row in await session.rows(select(ROOMS.c.id).where(*open_, *within))}
    if not heard.issuperset(cut.rooms):
        raise NotFound(NO_ROOM)
    agents = await _members(session, community_id, heard) | set(cut.played_by)
    own = {row[0] for row in await session.rows(select(ROOMS.c.id).where(its, ROOMS.c.id.in_(agents)))}
    values, since = await _since(session, community_id, heard, cut.newest_messages, until)
    return _Part(heard=heard, rooms=heard | own, agents=agents, values=values, since=since)


async def _members(session: Session, community_id: CommunityId, heard: Collection[int]) -> set[int]:
    """Give who is in these rooms, whose they are, and who sits in their scenes."""
    member = select(MEMBERSHIPS.c.agent_id).where(owned(MEMBERSHIPS, community_id), MEMBERSHIPS.c.room_id.in_(heard))
    own = select(AGENTS.c.id).where(owned(AGENTS, community_id), AGENTS.c.id.in_(heard))
    here = select(SCENES.c.id).where(owned(SCENES, community_id), SCENES.c.room_id.in_(heard))
    seated = select(SEATS.c.agent_id).where(
        owned(SEATS, community_id), SEATS.c.agent_id.is_not(None), SEATS.c.scene_id.in_(here)
    )
    return {row[0] for row in await session.rows(union(member, own, seated))}


async def _since(
    session: Session, community_id: CommunityId, heard: Collection[int], most: int, until: datetime | None
) -> tuple[Values, bool]:
    """Give since when messages come along, so that they are about as many as may; nothing where all do."""
    asked = select(MESSAGES.c.sent_at).where(owned(MESSAGES, community_id), MESSAGES.c.room_id.in_(heard))
    if until is not None:
        asked = asked.where(MESSAGES.c.sent_at <= until)
    asked = asked.order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc()).offset(max(most, 1) - 1).limit(1)
    at = await session.value(asked)
    if at is None:
        return {}, False
    return {"since": to_microseconds(at) if session.is_sqlite else at}, True


UNSETTLED = (
    # nothing opens, is owed to a model, or is held by a beat that will never come back
    "UPDATE keys SET ciphertext = x'', digest = x''",
    "UPDATE agents SET beat_id = NULL, lease_until = NULL, failures_in_a_row = 0, unusable_in_a_row = 0,"
    " backs_off_until = NULL, fault_told_at = NULL",
    "UPDATE beats SET response_id = '', latency_seconds = 0.0",
    "UPDATE scene_seats SET left_by = ''",
    # a room counts what it has
    "UPDATE rooms SET message_count = (SELECT count(*) FROM messages WHERE messages.community_id = rooms.community_id"
    " AND messages.room_id = rooms.id AND messages.shown)",
    "UPDATE rooms SET last_message_at = NULL WHERE message_count = 0",
)
# whoever reads the heard rooms may look into a tree: of the others it holds no word that not everybody sees
WORDLESS = "UPDATE rooms SET topic = '', billboard = '' WHERE visibility <> 'public' AND id NOT IN ({})"
STAYS = {"beats": ("hud", "answer", "thoughts")}  # never read: all of them together may take gigabytes
LEFT_BEHIND = ("managers_channel_id", "category_id", "architect_role_id", "synced_commands")


async def _settle(copy: Session, community_id: CommunityId, part: _Part) -> None:
    """Let nothing in the copy hang on what stayed behind."""
    for statement in (*UNSETTLED, WORDLESS.format(_listed(part.heard))):
        await copy.run(text(statement))
    await copy.run(delete(OVERRIDES).where(OVERRIDES.c.name.in_(LEFT_BEHIND)))
    await recount(copy, community_id, part.agents)
