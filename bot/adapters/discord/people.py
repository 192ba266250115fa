"""People as Discord shows them, and whether they may manage the server."""

import asyncio
from collections.abc import Iterable, MutableMapping

import discord

from bot.core.records import Person, Snowflake

AT_ONCE = 100  # Discord tells no more members in one go
ANSWER_SECONDS = 5.0  # what was said waits for it

Author = discord.Member | discord.User


class People:
    """Makes records of members; `architect_roles` tells, by server, the role that is worth as much as managing it."""

    def __init__(self, architect_roles: MutableMapping[int, int] | None = None) -> None:
        self.architect_roles: MutableMapping[int, int] = architect_roles if architect_roles is not None else {}
        self._looked_up: dict[tuple[int, int], discord.Member | None] = {}

    def name_architects(self, guild_id: int, role_id: object) -> None:
        """Know a server's role of architects; anything but an id takes it away."""
        if isinstance(role_id, int):
            self.architect_roles[guild_id] = role_id
        else:
            self.architect_roles.pop(guild_id, None)

    def person(self, author: Author) -> Person:
        """Give the record of a member; a bare user has no rights."""
        is_architect = isinstance(author, discord.Member) and self.is_architect(author)
        return Person(
            id=Snowflake(author.id),
            username=author.name,
            display_name=author.display_name,
            is_architect=is_architect,
        )

    def is_architect(self, member: discord.Member) -> bool:
        """Tell whether a member may manage the server or holds the architect's role."""
        role_id = self.architect_roles.get(member.guild.id)
        rights = member.guild_permissions  # never those in a channel: an overwrite there is not the server's word
        return rights.manage_guild or (role_id is not None and member.get_role(role_id) is not None)

    async def member(self, author: Author, guild: discord.Guild) -> Author:
        """Give the member behind a user whom a history names without rights; asked of Discord once."""
        if isinstance(author, discord.Member):
            return author
        key = (guild.id, author.id)
        if key not in self._looked_up:
            self._looked_up[key] = guild.get_member(author.id) or await _fetched(guild, author.id)
        return self._looked_up[key] or author

    @staticmethod
    async def by_id(user_id: int, guild: discord.Guild) -> discord.Member | None:
        """Give a member as they are now; None for who has left, or cannot be asked for."""
        return guild.get_member(user_id) or await _fetched(guild, user_id)

    async def meet(self, authors: Iterable[Author], guild: discord.Guild) -> None:
        """Ask for many members at once over the gateway; asking for each over REST would take seconds a person."""
        strangers = {author.id for author in authors if not isinstance(author, discord.Member)}
        unknown = sorted(id_ for id_ in strangers if (guild.id, id_) not in self._looked_up)
        for some in (unknown[at : at + AT_ONCE] for at in range(0, len(unknown), AT_ONCE)):
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    members = await guild.query_members(user_ids=some, limit=AT_ONCE, cache=False)
            except (TimeoutError, discord.ClientException):  # then each is asked for when it is needed
                return
            found = {member.id: member for member in members}
            self._looked_up.update({(guild.id, id_): found.get(id_) for id_ in some})

    def forget(self) -> None:
        """Ask anew for everyone's rights."""
        self._looked_up.clear()


async def _fetched(guild: discord.Guild, user_id: int) -> discord.Member | None:
    try:
        return await guild.fetch_member(user_id)
    except discord.HTTPException:  # has left, or cannot be asked for now: no rights then
        return None
