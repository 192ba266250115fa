"""Who somebody is now: what the console asks of Discord at each request."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.core.records import Person, Room, Snowflake
from bot.core.view import MayRead

Sees = Callable[[Snowflake | None], bool]  # whether who asks may read a channel on Discord


@dataclass(frozen=True, slots=True)
class Manager:
    """Somebody who may manage a server, and which of its channels they may read: not all, without Administrator."""

    person: Person
    sees: Sees


class Standing(Protocol):
    """People of servers with the rights that they have now."""

    async def manager(self, guild_id: Snowflake, user_id: Snowflake, *, anew: bool) -> Manager | None:
        """Give a person who may manage the server now; None for everybody else, and where nobody can be asked.

        `anew`: as they are after this is asked; else as they were a few seconds ago, for what goes on and on.
        """

    def reader(self, guild_id: Snowflake, user_id: Snowflake) -> MayRead:
        """Give what tells whether they may read a private thread now."""

    def name(self, guild_id: Snowflake) -> str:
        """Give what the server is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A manager, as they are now, and which channels and private threads they may read."""

    guild_id: Snowflake
    person: Person
    may_read: MayRead
    sees: Sees
    server: str

    def is_closed(self, room: Room) -> bool:
        """Tell whether a room's channel is closed to them on Discord; a thread's own question is `may_read`."""
        return room.thread_of is None and room.channel_id is not None and not self.sees(room.channel_id)
