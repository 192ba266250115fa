"""Archives that people are handed and hand in: nothing in them opens a door, and a worker looks through them first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from tempfile import TemporaryFile

from bot.core.cards import is_bounded
from bot.core.errors import BadSetting
from bot.core.keeping import ArchiveContents
from bot.core.kinds import LetterState, RequestState
from bot.core.ports import Cipher, Workshop
from bot.core.records import Community, CommunityId
from bot.core.scenes.records import OPEN
from storage.database import Database
from storage.forgetting import forget_rest
from storage.late_indexing import index_rest
from storage.moving.archive import (
    BROKEN,
    UNREADABLE,
    manifest_of,
    opened,
    write_archive,
)
from storage.moving.contents import MOVED, STAYS
from storage.moving.incoming import import_community
from storage.moving.pages import TOO_LARGE, Page, pages_of
from storage.session import Values
from storage.tables import MESSAGES, OVERRIDES

LARGEST_UNPACKED = 200_000_000  # bytes
MOST_AGENTS = 450  # Discord has no channels for more
MOST_ROWS = 150_000  # to write them takes long, however short they are
# What a look at one agent, room, message, scene or the whole reads: by table whose it is, and how many rows at most.
ALL = ""
READ_TOGETHER: Mapping[str, Sequence[tuple[str, int]]] = {
    "rooms": [(ALL, 1_500)],  # with private threads
    "memberships": [(ALL, 3_000)],
    "reasons": [("agent_id", 100), (ALL, 1_000)],
    "lookups": [("agent_id", 50), (ALL, 500)],
    "schedules": [("agent_id", 20), (ALL, 500)],
    "minds": [("agent_id", 100)],
    "checkpoints": [("room_id", 1_000)],
    "letters": [("room_id", 200), (ALL, 1_000)],
    "keys": [("room_id", 50), (ALL, 500)],  # each is opened for whoever owns the room, and blotted out of what is kept
    "key_holders": [(ALL, 2_000)],
    "requests": [(ALL, 500)],
    "usage": [(ALL, 20_000)],
    "attachments": [("message_id", 20)],
    "parts": [("message_id", 50)],
    "overrides": [(ALL, 500)],
    "scenes": [(ALL, 100)],
    "scene_seats": [("scene_id", 24)],
    "scene_events": [("scene_id", 4_000)],
    "scene_moves": [("scene_id", 4_000)],
}
LARGEST_TOGETHER = 2_000_000  # characters of these
LARGEST_SETTINGS = 60_000  # characters of settings, which are read with each line that is said
# What is looked for, or told, one by one: of which table, whose it is, what counts once, how many of each, and of all.
DIFFERENT: Sequence[tuple[str, str, str, int, int]] = (
    ("names", "bearer", "name", 200, 5_000),  # who is forgotten, or asks what is kept, is looked for by each
    ("messages", "sender_person_id", "sender_name", 200, 5_000),
    ("reactions", "message_id", "emoji", 50, MOST_ROWS),  # Discord has twenty beside a message, which shows them all
    ("reactions", "message_id", "emotion", 50, 2_000),  # an agent's are counted by these
)
WAITING = (
    LetterState.WAITING,
    LetterState.SENDING,
    LetterState.HELD,
    RequestState.PENDING,
    *OPEN,
)  # what is over nobody reads, or few of it
MOST_UNTOLD = 5_000  # messages in threads of which older programs did not know what they are: they go one by one
TOO_MUCH = (
    "The archive holds more than can come in here without keeping everybody waiting: ask whoever runs Selfroom to "
    "bring it in, who has `selfroom import`; nothing was imported."
)


class HandedArchives:
    """Implements `ports.Archives`."""

    def __init__(self, database: Database, workshop: Workshop, cipher: Cipher) -> None:
        self._database = database
        self._workshop = workshop
        self._cipher = cipher

    async def pack(self, community_id: CommunityId, *, most_bytes: int) -> tuple[bytes, ArchiveContents]:
        with TemporaryFile() as file:

            def check() -> None:
                if file.tell() > most_bytes:
                    raise BadSetting(
                        f"This community takes more than the {most_bytes / 1e6:,.1f} MB that can be sent here: ask "
                        "whoever runs Selfroom for it, who has `selfroom export`."
                    )

            moved = await write_archive(self._database, community_id, file, keyless=True, on_page=check)
            check()
            file.seek(0)
            return file.read(), contents_of(moved.counts, moved.left_out)

    async def look_into(self, community_id: CommunityId, data: bytes) -> ArchiveContents:
        return await self._workshop.done(community_id, looked_through, data)

    async def unpack(self, community: Community, data: bytes) -> ArchiveContents:
        moved = await import_community(self._database, data, into=community, cipher=self._cipher, closed=True)
        await forget_rest(self._database, moved.community_id)
        await index_rest(self._database)
        return contents_of(moved.counts, moved.left_out)


def looked_through(data: bytes) -> ArchiveContents:
    """Read all of an archive as an import does, but for the database; raises BadSetting."""
    try:
        with opened(data) as archive:
            manifest = manifest_of(archive, LARGEST_UNPACKED)
            if not all(map(is_bounded, manifest.get("kept", {}).values())):
                raise BadSetting(TOO_LARGE)
            found = {table.name: 0 for table in MOVED}
            untold, together = 0, Together()
            for page in pages_of(archive, manifest, handed=True):
                found[page.table_name] += len(page.rows)
                if page.table_name == MESSAGES.name:
                    untold += sum(row["thread_id"] is not None and row["thread_name"] is None for row in page.rows)
                if found["agents"] > MOST_AGENTS:
                    raise BadSetting(TOO_LARGE)
                together.add(page)
                if sum(found.values()) > MOST_ROWS or untold > MOST_UNTOLD:
                    raise BadSetting(TOO_MUCH)
            return contents_of(found, manifest["left_out"])
    except UNREADABLE as error:
        raise BadSetting(BROKEN) from error


class Together:
    """Adds up what is read together, and raises BadSetting where that keeps everybody waiting."""

    def __init__(self) -> None:
        self._rows: Counter[tuple[str, str, object]] = Counter()
        self._characters: Counter[tuple[str, str, object]] = Counter()
        self._different: defaultdict[tuple[str, str, object], set[object]] = defaultdict(set)

    def add(self, page: Page[Values]) -> None:
        """Count the rows of a page."""
        self._add_different(page)
        bounds = READ_TOGETHER.get(page.table_name, ())
        largest = LARGEST_SETTINGS if page.table_name == OVERRIDES.name else LARGEST_TOGETHER
        for row in page.rows if bounds else ():
            if row.get("state", row.get("status", WAITING[0])) in WAITING:
                size = sum(len(str(value)) for value in row.values())
                for owner, most in bounds:
                    whose = page.table_name, owner, row.get(owner)
                    self._rows[whose] += 1
                    self._characters[whose] += size
                    if self._rows[whose] > most or self._characters[whose] > largest:
                        raise BadSetting(TOO_MUCH)

    def _add_different(self, page: Page[Values]) -> None:
        for table, owner, column, each, all_ in DIFFERENT:
            for row in page.rows if table == page.table_name else ():
                for whose, most in ((ALL, all_), (row.get(owner), each)):
                    different = self._different[table, column, whose]
                    if whose is not None:
                        different.add(row.get(column))
                    if len(different) > most:
                        raise BadSetting(TOO_MUCH)


def contents_of(counts: Mapping[str, int], left_out: Iterable[object]) -> ArchiveContents:
    """Word what an archive holds."""
    known = tuple(words for words in STAYS.values() if words in left_out)
    return ArchiveContents(agents=counts["agents"], messages=counts["messages"], left_out=known)
