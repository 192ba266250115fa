"""Agents' channels: made in the community's category, renamed, opened to people, kept from others."""

import asyncio
import re
from collections import Counter, defaultdict
from typing import Any, Final

import discord

from bot.adapters.discord.refusals import worded
from bot.core.errors import PublishError
from bot.core.letters import is_marked
from bot.core.publishing import NewChannel
from bot.core.records import Snowflake

CATEGORY = "Agents"
CHANNELS_PER_CATEGORY = 50
LAST_POSITION = 10_000
VIEW = discord.Permissions(view_channel=True).value
WRITE = discord.Permissions(send_messages=True, send_messages_in_threads=True).value
SEE_AND_WRITE = VIEW | WRITE  # without them we could not give them back
TEXT: Final = 0
CATEGORY_TYPE: Final = 4
ROLE, MEMBER = 0, 1


class Channels:
    """Writes channels through discord.py's HTTP client, so that what is not cached counts too."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._making: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def make(self, guild_id: Snowflake, new: NewChannel) -> Snowflake:
        """Make a channel, or give the one whose topic is marked; channels stand in the order of their agents' ids."""
        async with self._making[guild_id]:
            with worded("look at the server's channels"):
                there = await self._client.http.get_all_guild_channels(guild_id)
            for channel in there:
                if is_marked(channel.get("topic") or "", new.agent_id):
                    return Snowflake(int(channel["id"]))
            parent = await self._category(guild_id, there, new.category_id)
            with worded("make a channel"):
                made = await self._client.http.create_channel(
                    guild_id,
                    TEXT,
                    name=channel_name(new.name),
                    topic=new.topic,
                    parent_id=parent,
                    position=min(new.agent_id, LAST_POSITION),
                    permission_overwrites=self._overwrites(guild_id) if new.private else [],
                )
            return Snowflake(int(made["id"]))

    async def _category(self, guild_id: Snowflake, there: list[Any], chosen_id: Snowflake | None) -> int:
        """Give the first category of ours (or of the chosen one's name) with a place left, or make a further one."""
        full = Counter(str(channel.get("parent_id")) for channel in there)
        categories = [channel for channel in there if channel["type"] == CATEGORY_TYPE]
        chosen = next((one for one in categories if int(one["id"]) == chosen_id), None)
        base = chosen["name"] if chosen else CATEGORY
        ours = sorted(
            (one for one in categories if _is_named(one["name"], base)),
            key=lambda one: (one is not chosen, int(one["id"])),
        )
        for category in ours:
            if full[str(category["id"])] < CHANNELS_PER_CATEGORY:
                return int(category["id"])
        name = f"{base[:90]} {len(ours) + 1}" if ours else base
        with worded("make a category"):
            made = await self._client.http.create_channel(guild_id, CATEGORY_TYPE, name=name)
        return int(made["id"])

    def _overwrites(self, guild_id: Snowflake) -> list[dict[str, Any]]:
        user = self._client.user
        if user is None:
            raise PublishError("I am not logged in to Discord yet.")
        return [
            {
                "id": user.id,
                "type": MEMBER,
                "allow": str(SEE_AND_WRITE),
                "deny": "0",
            },  # first, or we shut ourselves out
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

    async def allow(
        self, channel_id: Snowflake, person_id: Snowflake | None, *, allowed: bool, writable: bool = True
    ) -> None:
        """Let a person (None: everyone) see a channel, or no longer; everyone may also be kept from writing.

        What people have set there otherwise stays.
        """
        if person_id is not None:
            await self._person(channel_id, person_id, allowed=allowed)
            return
        with worded("look at the channel"):
            channel: Any = await self._client.http.get_channel(channel_id)
        us, everyone = self._overwrites(Snowflake(int(channel["guild_id"])))
        await self._put(channel_id, us)
        before = next((one for one in channel["permission_overwrites"] if int(one["id"]) == everyone["id"]), everyone)
        denied = (0 if allowed else VIEW) | (0 if writable else WRITE)
        kept = {"allow": int(before["allow"]) & ~denied, "deny": int(before["deny"]) & ~(VIEW | WRITE) | denied}
        await self._put(channel_id, everyone | {name: str(bits) for name, bits in kept.items()})

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


def _is_named(name: str, base: str) -> bool:
    return re.fullmatch(rf"{re.escape(base)}( \d+)?", name, re.IGNORECASE) is not None


def channel_name(name: str) -> str:
    """Give the channel's name for an agent's: lower case, dashes for spaces, no marks that Discord refuses."""
    kept = "".join(sign if sign.isalnum() or sign in "-_" or ord(sign) > 0x2190 else " " for sign in name.lower())
    return "-".join(kept.split())[:100] or "agent"
