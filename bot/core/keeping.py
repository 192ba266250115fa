"""What else the store keeps: small values by name, held letters, and what people may ask of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from bot.core.forgetting import Trace
from bot.core.kinds import UsedBy
from bot.core.models import OwnProvider
from bot.core.records import AgentId, Beat, CommunityId, Json, Letter, Message, MessageId, Snowflake, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What went with a person, and what did not.

    `texts`: of others that held `@name` with one of the `names`; `agents` still know one and are to be told to forget.
    `is_shared`: another name of theirs is or was somebody else's too, and was left alone. `traces`: for managers.
    """

    messages: int
    reactions: int
    texts: int
    names: tuple[str, ...]
    is_shared: bool
    agents: tuple[AgentId, ...]
    traces: tuple[Trace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """Where somebody may read now: rooms by their ids, threads in them by Discord's."""

    rooms: frozenset[AgentId]
    threads: frozenset[Snowflake] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Who changed what."""

    at: datetime
    by: str
    what: str
    agent_id: AgentId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One change of an agent's knowledge; `before` and `after` are None where there was nothing."""

    id: int
    at: datetime
    path: str
    before: Json
    after: Json
    by: str


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


class KeptReading(Protocol):
    """Questions beside those of a beat."""

    async def kept(self, community_id: CommunityId | None, name: str) -> Json:
        """Give a small value kept by name for a community (None: for the installation); None when there is none."""

    async def own_provider(self, community_id: CommunityId) -> OwnProvider | None:
        """Give the community's own model provider, if it has one."""

    async def held(self, community_id: CommunityId) -> Sequence[Letter]:
        """Give the letters that moderation holds, oldest first."""

    async def used_daily(self, community_id: CommunityId, by: UsedBy, since: date | None) -> Sequence[Used]:
        """Give what was used on each UTC day since one (None: ever), of each agent, room, model or format."""

    async def used_ever(self, community_id: CommunityId, agent_id: AgentId) -> Used | None:
        """Give what an agent used in all its life."""

    async def audit_log(self, community_id: CommunityId, *, limit: int = 50) -> Sequence[AuditEntry]:
        """Give who changed what, newest first."""

    async def journal(
        self, community_id: CommunityId, agent_id: AgentId, *, side: int = 0, limit: int = 50
    ) -> Sequence[JournalEntry]:
        """Give the changes of an agent's knowledge on one side, newest first."""

    async def beats(self, community_id: CommunityId, agent_id: AgentId, *, limit: int = 50) -> Sequence[Beat]:
        """Give an agent's beats as they were kept, newest first."""

    async def first_beats(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime, *, side: int = 0
    ) -> Mapping[AgentId, Beat]:
        """Give the first beat since then of each of these agents that had one on that side."""

    async def feedback(self, community_id: CommunityId, agent_id: AgentId, since: datetime) -> Mapping[str, int]:
        """Count by name the reactions since then, of those that mean something, to what an agent said."""

    async def unsummarised(self, since: datetime | None) -> Sequence[Unsummarised]:
        """Give the rooms of all communities that spoke since then (None: none of these) or are asked for a summary."""

    async def messages_after(
        self, community_id: CommunityId, room_id: AgentId, after: MessageId, *, limit: int
    ) -> Sequence[Message]:
        """Give a room's messages with later ids, in the order of their ids."""

    async def threads_of(self, community_id: CommunityId, person_id: Snowflake) -> Sequence[Snowflake]:
        """Give the threads in which a person spoke or reacted, the newest first."""

    async def data_of(self, community_id: CommunityId, person_id: Snowflake, readable: Readable) -> dict[str, Json]:
        """Give what is stored of a person where they may read, ready for a JSON file; of the rest only how much."""


class KeptWriting(Protocol):
    """Changes beside those of a beat."""

    async def keep(self, community_id: CommunityId | None, name: str, value: Json) -> None:
        """Keep a small value by name for a community (None: for the installation); None removes it."""

    async def pause_community(self, community_id: CommunityId, *, paused: bool) -> None:
        """Let nobody of a community beat any more, or let everyone go on."""

    async def keep_provider(self, community_id: CommunityId, provider: OwnProvider | None) -> None:
        """Keep a community's own model provider in place of an earlier one; None removes it."""

    async def forget_person(
        self, community_id: CommunityId, person_id: Snowflake, at: datetime, *, others: Collection[str] = ()
    ) -> Forgotten:
        """Remove what a person said and did, and their username; nothing on Discord itself is deleted.

        `others`: names that the server knows beside those of people and agents, such as its roles'.
        """

    async def delete_agent(self, community_id: CommunityId, agent_id: AgentId) -> None:
        """Delete an agent for good with its room and all that was said there; its id stays used."""
