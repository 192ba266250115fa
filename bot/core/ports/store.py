"""The community's memory: reads and transactions, each in parts by matter."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

from bot.core.changes import Change
from bot.core.happenings import Happening
from bot.core.keeping import ArchiveContents
from bot.core.models import OwnProviders
from bot.core.ports.beats import Beats, Claims, Money, WritableClaims, WritableMoney
from bot.core.ports.communities import (
    Communities,
    Logs,
    Notes,
    Upkeep,
    WritableCommunities,
    WritableNotes,
    WritableProviders,
)
from bot.core.ports.people import People, Personal, WritablePeople, WritablePersonal
from bot.core.ports.residents import Access, Agents, Inquiries, Rooms, Views, WritableAgents, WritableRooms
from bot.core.ports.scenes import Scenes, WritableScenes
from bot.core.ports.talk import Letters, Reactions, Summaries, Talk, WritableLetters, WritableTalk
from bot.core.ports.timelines import Timelines, WritableTimelines
from bot.core.records import AgentId, Community, CommunityId, LetterId, Snowflake

IdKind = Literal["agent", "message", "key", "request", "letter", "beat", "schedule", "checkpoint", "scene", "timeline"]


class Ids(Protocol):
    """Small integer ids, counted per community and never given twice."""

    def take(self, kind: IdKind) -> int:
        """Give the next id of a kind; it is used up when the transaction commits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """A letter that moves on; with what it is then posted as, and who waits for that where."""

    letter_id: LetterId
    author_id: AgentId | None = None
    room_id: AgentId | None = None
    posts: Sequence[Snowflake] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a transaction is likely to ask: it is read as it opens, in one statement, and asked anew where it changed.

    `posts` and `replied_to` by Discord id; `addressed_by`: whose calls, and since when.
    """

    people: Sequence[Snowflake] = ()
    channels: Sequence[Snowflake] = ()
    threads: Sequence[Snowflake] = ()  # or channels, in which scenes may be played
    posts: Sequence[Snowflake] = ()
    replied_to: Sequence[Snowflake] = ()
    spent_on: date | None = None
    addressed_by: tuple[Snowflake, datetime] | None = None
    moves: Moves | None = None
    claims: tuple[Sequence[AgentId], datetime] | None = None  # of whom, and when they are due
    ends_beats: bool = False


class Reading(Protocol):
    """One consistent read, by matter; every answer is of one community unless it says otherwise."""

    access: Access
    agents: Agents
    beats: Beats
    claims: Claims
    communities: Communities
    inquiries: Inquiries
    letters: Letters
    logs: Logs
    money: Money
    notes: Notes
    people: People
    personal: Personal
    providers: OwnProviders
    reactions: Reactions
    rooms: Rooms
    scenes: Scenes
    summaries: Summaries
    talk: Talk
    timelines: Timelines
    views: Views


class Writing(Reading, Protocol):
    """One transaction; what it reads includes what it wrote. It commits when its block ends without an error."""

    ids: Ids  # the counters of the transaction's community
    agents: WritableAgents
    claims: WritableClaims
    communities: WritableCommunities
    letters: WritableLetters
    money: WritableMoney
    notes: WritableNotes
    people: WritablePeople
    personal: WritablePersonal
    providers: WritableProviders
    rooms: WritableRooms
    scenes: WritableScenes
    talk: WritableTalk
    timelines: WritableTimelines
    upkeep: Upkeep

    async def apply(self, community_id: CommunityId, changes: Sequence[Change]) -> None:
        """Write changes, grouped into few statements."""

    def savepoint(self) -> AbstractAsyncContextManager[object]:
        """Open a part of the transaction: when its block ends with an error, only the part is undone."""


class Archives(Protocol):
    """Whole communities as files that people are handed and hand in."""

    async def pack(self, community_id: CommunityId, *, most_bytes: int) -> tuple[bytes, ArchiveContents]:
        """Give a community as a file, without what opens keys; raises BadSetting for one that is larger."""

    async def look_into(self, community_id: CommunityId, data: bytes) -> ArchiveContents:
        """Read all of an archive, beside everything else; raises BadSetting for one that cannot be imported."""

    async def unpack(self, community: Community, data: bytes) -> ArchiveContents:
        """Let what is in an archive move into an empty community, all or nothing; raises BadSetting."""


class Store(Protocol):
    """The community's memory."""

    def reading(self) -> AbstractAsyncContextManager[Reading]:
        """Open a consistent read."""

    def writing(
        self, community_id: CommunityId | None = None, expected: Expected | None = None
    ) -> AbstractAsyncContextManager[Writing]:
        """Open a transaction; ids are counted for that community (None: only a community is made)."""

    def tell(self, happenings: Sequence[Happening]) -> None:
        """Tell at once, to who looks on, what happened and is written nowhere."""

    def call_place(self, server: str, most: int) -> AbstractAsyncContextManager[None]:
        """Wait for one of so many places for calls at a server, shared by processes on the same database, and hold it.

        Who is alone on a database waits for nobody.
        """

    async def gone_for_good(self, community_id: CommunityId | None = None) -> bool:
        """Wait until the bytes of what was deleted have left the database's files; tells whether they have.

        `community_id`: only what was deleted there counts.
        """
