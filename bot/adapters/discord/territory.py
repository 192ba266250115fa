"""A community's channels lie in its own server: here alone an id becomes a channel, and only one of that server."""

from typing import TypeVar

import discord
import structlog

from bot.core.errors import ChannelGone, Forbidden
from bot.core.records import Snowflake

NOT_THERE = "The channel is not there any more: it lies in another server or in none."
NOT_IN = "I am not in the server: invite me again."
MOST_REMEMBERED = 10_000  # of a kind, of all servers together
Key = tuple[int, int]  # of a server and a place in it
T = TypeVar("T")
Found = discord.abc.GuildChannel | discord.Thread
Place = discord.TextChannel | discord.Thread  # where agents' words stand
log = structlog.get_logger(__name__)


class Elsewhere(ChannelGone):
    """The channel lies in another server, or in none: for this one it is not there."""


class Territory:
    """Gives the channels of servers; the adapters take these and no ids, so that none of them reaches another."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._unlisted: dict[Key, discord.Thread] = {}  # threads that the cache does not know
        self._refused: dict[Key, None] = {}  # threads that Discord did not show, the newest last
        self._elsewhere: dict[Key, None] = {}  # by server; no channel ever moves

    async def channel(self, guild_id: int, channel_id: int, *, anew: bool = False) -> Found:
        """Give a channel or thread of a server; `anew`: as Discord has it now, whatever the cache knows.

        Raises Elsewhere when it lies in another, HTTPException when Discord does not show it.
        """
        guild, key = self._client.get_guild(guild_id), (guild_id, channel_id)
        if guild is None:
            raise Forbidden(NOT_IN)
        if key in self._elsewhere:
            raise Elsewhere(NOT_THERE)
        if anew:
            self._unlisted.pop(key, None)
        elif known := cached(guild, channel_id) or self._unlisted.get(key):
            return known
        try:
            found = await guild.fetch_channel(channel_id)
        except discord.InvalidData:
            _remember(self._elsewhere, key, None)
            log.warning("a channel lies in another server: nothing is done to it", server=guild_id, channel=channel_id)
            raise Elsewhere(NOT_THERE) from None
        if isinstance(found, discord.Thread):
            _remember(self._unlisted, key, found)
        return found

    async def thread(self, guild_id: int, thread_id: int) -> discord.Thread | None:
        """Give a thread that somebody asks about; what Discord refused once is not asked again until we are let in."""
        key = (guild_id, thread_id)
        if key in self._refused:
            return None
        try:
            found = await self.channel(guild_id, thread_id)
        except (discord.Forbidden, discord.NotFound, Elsewhere):
            self.refused(guild_id, thread_id)
            return None
        return found if isinstance(found, discord.Thread) else None

    def refused(self, guild_id: int, thread_id: int) -> None:
        """Remember that Discord does not let us look into a thread."""
        _remember(self._refused, (guild_id, thread_id), None)

    def let_in(self, guild_id: int, thread_id: int) -> None:
        """Ask about a thread again: we were brought in."""
        self._refused.pop((guild_id, thread_id), None)

    async def place(self, guild_id: Snowflake, channel_id: Snowflake) -> Place:
        """Give a channel or thread in which words can stand; raises the same, and Elsewhere for another kind."""
        found = await self.channel(guild_id, channel_id)
        if isinstance(found, Place):
            return found
        raise Elsewhere(NOT_THERE)

    def look_anew(self, guild_id: int | None = None) -> None:
        """Forget what the threads of a server (None: of all) were like when they were asked for."""
        for threads in (self._unlisted, self._refused):
            for key in [key for key in threads if guild_id in (None, key[0])]:
                del threads[key]


def _remember(known: dict[Key, T], key: Key, what: T) -> None:
    """Keep the newest of what anybody can bring about any number of: the rest is asked for again."""
    known[key] = what
    if len(known) > MOST_REMEMBERED:
        del known[next(iter(known))]


def cached(guild: discord.Guild, channel_id: int | None) -> Found | None:
    """Give a channel or thread of a server, as far as the cache knows it."""
    return guild.get_channel_or_thread(channel_id) if channel_id is not None else None
