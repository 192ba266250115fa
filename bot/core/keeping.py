"""What the store tells of its logs, of rooms that want a summary, and of a person who is forgotten."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from bot.core.kinds import MindPart
from bot.core.name_redaction import Trace
from bot.core.records import AgentId, CommunityId, Json, Side, Snowflake, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    """What went with a person, and what did not.

    `spared`: longer names of others that begin like one of the `names`. `texts`: of others that held `@name` with one
    of the `names`; `agents` still know one and are to be told to forget. `is_shared`: another name of theirs is or was
    somebody else's too, and was left alone. `traces`: for managers.
    """

    messages: int
    reactions: int
    texts: int
    names: tuple[str, ...]
    spared: tuple[str, ...]
    is_shared: bool
    agents: tuple[AgentId, ...]
    traces: tuple[Trace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledHere:
    """All usernames, folded, of a person; which of them others bear or bore too, and others' names that begin alike."""

    names: tuple[str, ...]
    shared: frozenset[str]
    longer: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """Where somebody may read now: rooms by their ids, threads in them by Discord's."""

    rooms: frozenset[AgentId]
    threads: frozenset[Snowflake] = frozenset()


WriteText = Callable[[str], object]  # takes what is written piece by piece


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveContents:
    """What is in an archive; `left_out` are secrets that are to be set again, in words."""

    agents: int
    messages: int
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Who changed what."""

    at: datetime
    by: str
    what: str
    agent_id: AgentId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One change of an agent's knowledge or plan; `before` and `after` are None where there was nothing."""

    id: int
    at: datetime
    path: str
    before: Json
    after: Json
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """One change of an agent's mind that was taken over from a timeline; `by` names the world it is from."""

    agent_id: AgentId
    side: Side
    part: MindPart
    entry: JournalEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsummarised:
    """A room with about so many tokens that no summary covers; `asked`: it is to be summed up however little."""

    community_id: CommunityId
    room_id: AgentId
    tokens: int
    asked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What one agent, room, model or format (its `key`) used on a UTC day, or since that day."""

    day: date
    key: str
    beats: int
    usage: Usage
