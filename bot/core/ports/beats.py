"""Beats: who is due, what came of it, and what it cost."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final, Protocol

from bot.core.gate import Claim
from bot.core.keeping import Used
from bot.core.kinds import HeldFor, UsedBy
from bot.core.records import AgentId, Beat, BeatId, CommunityId, Snowflake, Usage
from bot.core.view import Tally

NOBODY: Final[Mapping[AgentId, int]] = {}
NOBODY_ANYWHERE: Final[Mapping[AgentId, AgentId]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """A beat for which a person waits in a channel or a thread."""

    community_id: CommunityId
    beat_id: BeatId
    guild_id: Snowflake
    place: Snowflake


class Claims(Protocol):
    """Who is due, and who answers for whom."""

    async def due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, AgentId]]:
        """Give agents of all communities whose next beat has come and whom no live claim holds, first due first."""

    async def next_due_at(self) -> datetime | None:
        """Give the time at which the next agent of any community is due."""

    async def awaited(self, now: datetime) -> Sequence[Awaited]:
        """Give the live claims on agents that a person called and waits for, and where each was called."""


Later = tuple[Claim, datetime | None, HeldFor | None]  # released until then, and why


class WritableClaims(Claims, Protocol):
    """Claims, and what their end leaves."""

    async def take(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], *, now: datetime, lease_until: datetime
    ) -> Sequence[Claim]:
        """Claim those of the agents that are due and free, with their due reasons."""

    async def holds(self, claim: Claim) -> bool:
        """Tell whether the claim still stands."""

    async def release(self, claim: Claim, *, until: datetime | None = None, held_for: HeldFor | None = None) -> None:
        """Let an agent go with its reasons kept; those it claimed are due at `until` at the earliest, and why."""

    async def release_all(self, community_id: CommunityId, later: Sequence[Later]) -> None:
        """Let agents of one community go as `release` does, however many, in a few statements."""

    async def free_held(self, community_id: CommunityId, held_for: HeldFor, now: datetime) -> None:
        """Let reasons that were put off for that be due now."""

    async def renew(self, claims: Collection[tuple[CommunityId, BeatId]], lease_until: datetime) -> None:
        """Let claims last longer, as far as nobody else has taken their agents over."""

    async def abandon(self, *, keeping: Collection[tuple[CommunityId, BeatId]] = ()) -> None:
        """Free every agent of all communities but those of these beats: nothing runs for the others."""


class Beats(Protocol):
    """Beats as they were kept."""

    async def find(self, community_id: CommunityId, beat_id: BeatId) -> Beat | None:
        """Give a beat as it was kept."""

    async def newest(
        self, community_id: CommunityId, agent_id: AgentId, *, before: BeatId | None = None, limit: int = 50
    ) -> Sequence[Beat]:
        """Give an agent's beats, newest first, without what they saw, answered and thought: `find` gives that."""

    async def listed(self, community_id: CommunityId, ids: Collection[BeatId]) -> Mapping[BeatId, Beat]:
        """Give those of these beats that are kept, as `newest` gives them."""

    async def first(
        self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime, *, side: int = 0
    ) -> Mapping[AgentId, Beat]:
        """Give the first beat since then of each of these agents that had one on that side, as `newest` gives them."""

    async def addressed_by(self, community_id: CommunityId, person_id: Snowflake, since: datetime) -> int:
        """Count the beats that a person has caused by addressing agents."""

    async def self_caused(
        self, community_id: CommunityId, agent_id: AgentId, since: datetime, *, newest: int
    ) -> Sequence[datetime]:
        """Give when an agent beat after `since` without a person's cause, oldest first: the last ones, so many."""

    async def tally(self, community_id: CommunityId, agent_ids: Sequence[AgentId], since: datetime) -> Tally:
        """Add up what these agents did since then."""


class Money(Protocol):
    """What was set aside and spent."""

    async def spent(self, community_id: CommunityId, day: date) -> tuple[Decimal, int]:
        """Give USD and tokens settled and reserved on a UTC day."""

    async def paid(self, community_id: CommunityId, day: date) -> tuple[Decimal, Decimal]:
        """Give the USD of a UTC day, settled and reserved, that the installation pays: here, and for everyone."""

    async def spent_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, Usage]:
        """Give what was settled and is reserved on a UTC day for each agent: its share of each call."""

    async def usage_by_agent(self, community_id: CommunityId, day: date) -> Mapping[AgentId, tuple[int, Usage]]:
        """Give beats and usage of a UTC day by agent."""

    async def used_daily(
        self, community_id: CommunityId, by: UsedBy, since: date | None, *, agent_id: AgentId | None = None
    ) -> Sequence[Used]:
        """Give what was used on each UTC day since one (None: ever), of each agent, room, model or format.

        `agent_id`: only by this one.
        """

    async def used_ever(self, community_id: CommunityId, agent_id: AgentId) -> Used | None:
        """Give what an agent used in all its life."""


class WritableMoney(Money, Protocol):
    """Money that is set aside before it is spent."""

    async def take_turns(self) -> None:
        """Let no other transaction set the installation's money aside until this one ends."""

    async def reserve(
        self,
        community_id: CommunityId,
        day: date,
        *,
        usd: Decimal,
        tokens: int,
        agents: Mapping[AgentId, int] = NOBODY,
        paid: bool = False,
        places: Mapping[AgentId, AgentId] = NOBODY_ANYWHERE,
    ) -> int:
        """Set money aside for a call of these agents, with their weights; gives the reservation's id.

        `paid`: the installation pays for it. `places`: of whom it is told that they are asked, and for which room.
        """

    async def settle(self, community_id: CommunityId, reservation_id: int, *, usd: Decimal, tokens: int) -> None:
        """Replace a reservation by what was spent."""
