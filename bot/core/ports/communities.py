"""Communities, and what is kept for one beside its talk."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.core.errors import Unreadable
from bot.core.keeping import AuditEntry, JournalEntry, Merged
from bot.core.kinds import MindPart
from bot.core.models import OwnProvider, OwnProviders
from bot.core.records import AgentId, Community, CommunityId, Json, Snowflake


class Communities(Protocol):
    """Discord servers in which agents live."""

    async def all(self) -> Sequence[Community]:
        """Give all communities."""

    async def of_guild(self, guild_id: Snowflake) -> Community | None:
        """Find a community by its Discord server."""

    async def of_id(self, community_id: CommunityId) -> Community | None:
        """Find a community by its number, however many others there are."""


class WritableCommunities(Communities, Protocol):
    """Communities that are made and paused."""

    async def add(self, guild_id: Snowflake, name: str) -> Community:
        """Make a community, or give the one that is there (with its new name)."""

    async def pause(self, community_id: CommunityId, *, paused: bool) -> None:
        """Let nobody of a community beat any more, or let everyone go on."""


class Notes(Protocol):
    """Small values by name, for a community (None: for the installation)."""

    async def find(self, community_id: CommunityId | None, name: str) -> Json:
        """Give a small value kept by name for a community (None: for the installation); None when there is none."""


class WritableNotes(Notes, Protocol):
    """Small values that are kept by name."""

    async def keep(self, community_id: CommunityId | None, name: str, value: Json) -> None:
        """Keep a small value by name for a community (None: for the installation); None removes it."""


class WritableProviders(OwnProviders, Protocol):
    """The model providers that communities bring."""

    async def keep(self, community_id: CommunityId, provider: OwnProvider | None) -> None:
        """Keep a community's own model provider in place of an earlier one; None removes it."""


class Logs(Protocol):
    """Logs for managers."""

    async def audit(self, community_id: CommunityId, *, limit: int = 50) -> Sequence[AuditEntry]:
        """Give who changed what, newest first."""

    async def journal(
        self,
        community_id: CommunityId,
        agent_id: AgentId,
        part: MindPart = MindPart.KNOWLEDGE,
        *,
        side: int = 0,
        limit: int = 50,
    ) -> Sequence[JournalEntry]:
        """Give the changes of an agent's knowledge, or of its plan, on one side, newest first.

        Where they are long, no more are given than have a million characters together.
        """

    async def change(
        self, community_id: CommunityId, agent_id: AgentId, part: MindPart, *, side: int, entry_id: int | None
    ) -> JournalEntry | None:
        """Give one of these changes by its number, else the newest; None where there is none."""

    async def merged(self, community_id: CommunityId, number: int) -> Sequence[Merged]:
        """Give what was taken over from a timeline in one go, the first change of which has this number."""

    async def merges(self, community_id: CommunityId, *, limit: int) -> Sequence[JournalEntry]:
        """Give the first change of each time that something was taken over from a timeline, newest first."""


class Upkeep(Protocol):
    """What is kept no longer than it may be, or cannot be read."""

    async def set_aside(self, found: Unreadable, at: datetime) -> None:
        """Take rows that cannot be read from what is still to be done, so that they hold nobody else up."""

    async def forget_logs(
        self,
        community_id: CommunityId,
        *,
        messages_before: datetime,
        huds_before: datetime,
        logs_before: datetime,
        limit: int,
    ) -> int:
        """Remove at most so many of each kind of log, letter and key; gives how many went of the kind with most."""

    async def forget_huds(self, community_id: CommunityId, before: datetime, *, limit: int) -> int:
        """Empty a few of the stored HUDs that are older; gives how many, 0 once there are none."""

    async def forget_in_next(
        self, community_id: CommunityId, after: AgentId, before: datetime, *, limit: int
    ) -> tuple[int, AgentId | None]:
        """Delete a few of the older messages outside every window, in the room that comes after one.

        Gives how many, and after which room it goes on; None where there is no more room.
        """

    async def forget(
        self, community_id: CommunityId, *, messages_before: datetime, huds_before: datetime, logs_before: datetime
    ) -> int:
        """Delete messages outside every window, stored HUDs and logs that are older; gives how many messages went."""
