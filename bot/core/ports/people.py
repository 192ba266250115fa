"""People, and what is kept of them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.core.keeping import CalledHere, ForgetReport, Readable, WriteText
from bot.core.records import CommunityId, Person, Room, Snowflake


class People(Protocol):
    """Whom a community knows."""

    async def find(self, community_id: CommunityId, person_id: Snowflake) -> Person | None:
        """Find a person."""

    async def known(self, community_id: CommunityId, ids: Collection[Snowflake]) -> Mapping[Snowflake, Person]:
        """Give those of these people who are known."""


class WritablePeople(People, Protocol):
    """Whom a community knows, and whom its agents listen to."""

    async def put(self, community_id: CommunityId, *people: Person) -> None:
        """Store people, or their new names and rights: whether agents listen to them stays as it was decided."""

    async def decide_about(self, community_id: CommunityId, person: Person) -> None:
        """Keep whether agents listen to a person who is known."""


class Personal(Protocol):
    """What is stored of one person."""

    async def threads(self, community_id: CommunityId, person_id: Snowflake) -> Sequence[Snowflake]:
        """Give the threads in which a person spoke or reacted, the newest first."""

    async def secluded(self, community_id: CommunityId, person_id: Snowflake) -> Sequence[Room]:
        """Give the private threads in which a person said or did anything, the newest first."""

    async def write_down(
        self, community_id: CommunityId, person_id: Snowflake, readable: Readable, write: WriteText
    ) -> None:
        """Write down what is stored of a person where they may read, as JSON; of the rest only how much it is."""

    async def called(self, community_id: CommunityId, person_id: Snowflake) -> CalledHere:
        """Give what a person is or was called, and who else; it looks through all that was said."""

    async def forgetting(self, *, until: datetime | None = None) -> Sequence[tuple[CommunityId, Snowflake]]:
        """Give who is still to be forgotten, and in which community; `until`: only where that was begun by then."""


class WritablePersonal(Personal, Protocol):
    """What is stored of one person, and the right to be forgotten."""

    async def begin_forgetting(
        self,
        community_id: CommunityId,
        person_id: Snowflake,
        at: datetime,
        *,
        others: Collection[str] = (),
        called: CalledHere | None = None,
    ) -> None:
        """Take a person's name away, so that nothing of them comes in, and note that what they said and did is to go.

        `others`: names that the server knows beside those of people and agents, such as its roles'.
        `called`: what was read before, so that nobody waits for that.
        """

    async def forget_on(self, community_id: CommunityId, person_id: Snowflake) -> ForgetReport | None:
        """Remove a bit of what a person said and did, and of their username, as much as takes a moment.

        Gives what went once all is done; nothing on Discord itself is deleted.
        """
