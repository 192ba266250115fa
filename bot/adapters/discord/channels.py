"""Agents' channels: made in the community's category, renamed, opened to people, kept from others."""

import asyncio
import re
from collections import Counter, defaultdict
from typing import Any, Final

import discord

from bot.adapters.discord.refusals import worded
from bot.core.errors import PublishError
from bot.core.records import Snowflake

CATEGORY = "Agents"
CHANNELS_PER_CATEGORY = 50
VIEW = discord.Permissions(view_channel=True).value
TEXT: Final = 0
CATEGORY_TYPE: Final = 4
ROLE, MEMBER = 0, 1


class Channels:
    """Writes channels through discord.py's HTTP client, so that what is not cached counts too."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._making: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def make(self, guild_id: Snowflake, name: str, topic: str, *, marker: str, private: bool) -> Snowflake:
        """Make a channel, or give the one whose topic holds the marker."""
        async with self._making[guild_id]:
            with worded("look at the server's channels"):
                there = await self._client.http.get_all_guild_channels(guild_id)
            for channel in there:
                if marker in (channel.get("topic") or ""):
                    return Snowflake(int(channel["id"]))
            parent = await self._category(guild_id, there)
            with worded("make a channel"):
                made = await self._client.http.create_channel(
                    guild_id,
                    TEXT,
                    name=channel_name(name),
                    topic=f"{topic} {marker}".strip(),
                    parent_id=parent,
                    permission_overwrites=self._overwrites(guild_id) if private else [],
                )
            return Snowflake(int(made["id"]))

    async def _category(self, guild_id: Snowflake, there: list[Any]) -> int:
        """Give the first of our categories that has a place left; a further one is made when all are full."""
        full = Counter(str(channel.get("parent_id")) for channel in there)
        ours = sorted(
            (channel for channel in there if channel["type"] == CATEGORY_TYPE and _is_ours(channel["name"])),
            key=lambda channel: int(channel["id"]),
        )
        for category in ours:
            if full[str(category["id"])] < CHANNELS_PER_CATEGORY:
                return int(category["id"])
        name = CATEGORY if not ours else f"{CATEGORY} {len(ours) + 1}"
        with worded("make a category"):
            made = await self._client.http.create_channel(guild_id, CATEGORY_TYPE, name=name)
        return int(made["id"])

    def _overwrites(self, guild_id: Snowflake) -> list[dict[str, Any]]:
        user = self._client.user
        if user is None:
            raise PublishError("I am not logged in to Discord yet.")
        return [
            {"id": user.id, "type": MEMBER, "allow": str(VIEW), "deny": "0"},  # first, or we shut ourselves out
            {"id": guild_id, "type": ROLE, "allow": "0", "deny": str(VIEW)},
        ]

    async def edit(self, channel_id: Snowflake, *, name: str | None, topic: str | None) -> None:
        """Rename a channel or change its topic."""
        options: dict[str, Any] = {}
        if name is not None:
            options["name"] = channel_name(name)
        if topic is not None:
            options["topic"] = topic
        with worded("change the channel"):
            await self._client.http.edit_channel(channel_id, **options)

    async def allow(self, channel_id: Snowflake, person_id: Snowflake | None, *, allowed: bool) -> None:
        """Let a person (None: everyone) see a channel, or no longer."""
        if person_id is not None:
            await self._person(channel_id, person_id, allowed=allowed)
            return
        with worded("look at the channel"):
            channel: Any = await self._client.http.get_channel(channel_id)
        for overwrite in self._overwrites(Snowflake(int(channel["guild_id"]))):
            if allowed and overwrite["type"] == ROLE:
                overwrite |= {"deny": "0"}
            await self._put(channel_id, overwrite)

    async def _person(self, channel_id: Snowflake, person_id: Snowflake, *, allowed: bool) -> None:
        if allowed:
            await self._put(channel_id, {"id": person_id, "type": MEMBER, "allow": str(VIEW), "deny": "0"})
            return
        with worded("change who sees the channel"):
            await self._client.http.delete_channel_permissions(channel_id, person_id)

    async def _put(self, channel_id: Snowflake, overwrite: dict[str, Any]) -> None:
        with worded("change who sees the channel"):
            await self._client.http.edit_channel_permissions(
                channel_id, overwrite["id"], overwrite["allow"], overwrite["deny"], overwrite["type"]
            )

    async def open_thread(self, thread_id: Snowflake) -> None:
        """Bring a thread back from the archive."""
        with worded("open the thread again"):
            await self._client.http.edit_channel(thread_id, archived=False)


def _is_ours(name: str) -> bool:
    return re.fullmatch(rf"{CATEGORY}( \d+)?", name, re.IGNORECASE) is not None


def channel_name(name: str) -> str:
    """Give the channel's name for an agent's: lower case, dashes for spaces, no marks that Discord refuses."""
    kept = "".join(sign if sign.isalnum() or sign in "-_" or ord(sign) > 0x2190 else " " for sign in name.lower())
    return "-".join(kept.split())[:100] or "agent"
