"""Who somebody is now: what the console asks of Discord at each request."""

from dataclasses import dataclass
from typing import Protocol

from bot.core.records import Person, Snowflake
from bot.core.view import MayRead


class Standing(Protocol):
    """People of servers with the rights that they have now."""

    async def manager(self, guild_id: Snowflake, user_id: Snowflake) -> Person | None:
        """Give a person who may manage the server now; None for everybody else, and where nobody can be asked."""

    def reader(self, guild_id: Snowflake, user_id: Snowflake) -> MayRead:
        """Give what tells whether they may read a private thread now."""

    def name(self, guild_id: Snowflake) -> str:
        """Give what the server is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A manager, as they are now, and which private threads they may read."""

    guild_id: Snowflake
    person: Person
    may_read: MayRead
    server: str
