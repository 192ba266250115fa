"""Agents' channels: made in the community's category, renamed, opened to people, kept from others."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import discord

from bot.adapters.discord.inner import Raw, rest
from bot.adapters.discord.refusals import worded
from bot.adapters.discord.territory import Place
from bot.core.errors import PublishError
from bot.core.publishing import NewChannel
from bot.core.records import Snowflake

CATEGORY = "Agents"
CHANNELS_PER_CATEGORY = 50
LAST_POSITION = 10_000
VIEW = discord.Permissions(view_channel=True).value
WRITE = discord.Permissions(send_messages=True, send_messages_in_threads=True).value
TEXT: Final = 0
CATEGORY_TYPE: Final = 4
ROLE, MEMBER = 0, 1


class Channels:
    """Writes channels through discord.py's HTTP client, so that what is not cached counts too."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._making: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def make(self, guild_id: Snowflake, new: NewChannel) -> Snowflake:
        """Make a channel, or give the one that was made already; channels stand in the order of their agents' ids."""
        async with self._making[guild_id]:
            with worded("look at the server's channels"):
                there = await rest(self._client).get_all_guild_channels(guild_id)
            for channel in there:
                if _is_made_already(channel, new):
                    return Snowflake(int(channel["id"]))
            parent = await self._category(guild_id, there, new.category_id)
            with worded("make a channel"):
                made = await rest(self._client).create_channel(
                    guild_id,
                    TEXT,
                    name=channel_name(new.name),
                    topic=new.topic,
                    parent_id=parent,
                    position=min(new.agent_id, LAST_POSITION),
                    permission_overwrites=self._overwrites(guild_id) if new.private else [],
                )
            return Snowflake(int(made["id"]))

    async def _category(self, guild_id: Snowflake, there: list[Raw], chosen_id: Snowflake | None) -> int:
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
            made = await rest(self._client).create_channel(guild_id, CATEGORY_TYPE, name=name)
        return int(made["id"])

    def _overwrites(self, guild_id: Snowflake) -> list[dict[str, Raw]]:
        us = _set(_nothing(self._me(), MEMBER), allow=VIEW)  # first, or we shut ourselves out
        return [us, _set(_nothing(guild_id, ROLE), deny=VIEW)]

    def _me(self) -> int:
        if self._client.user is None:
            raise PublishError("I am not logged in to Discord yet.")
        return self._client.user.id

    async def edit(self, place: Place, *, name: str | None, topic: str | None) -> None:
        """Rename a channel or change its topic."""
        options: dict[str, Raw] = {}
        if name is not None:
            options["name"] = channel_name(name)
        if topic is not None:
            options["topic"] = topic
        with worded("change the channel"):
            await rest(self._client).edit_channel(place.id, **options)

    async def allow(
        self, place: Place, person_id: Snowflake | None, *, allowed: bool | None, writable: bool = True
    ) -> None:
        """Let a person (None: everyone) see a channel, or no longer; everyone may also be kept from writing.

        `allowed` None: who sees it stays as it is. What people have set there otherwise stays.
        """
        with worded("look at the channel"):
            channel: Raw = await rest(self._client).get_channel(place.id)
        there = {int(one["id"]): one for one in channel["permission_overwrites"]}
        if person_id is not None:
            await self._person(place, there.get(person_id, _nothing(person_id, MEMBER)), allowed=bool(allowed))
            return
        us, all_of_them = self._me(), int(channel["guild_id"])
        before = there.get(all_of_them, _nothing(all_of_them, ROLE))
        denied = (VIEW if allowed is False else 0) | (0 if writable else WRITE)
        given_back = (VIEW if allowed else 0) | (WRITE if writable and allowed is None else 0)
        ours = denied & ~int(before["deny"])  # allowed to us first, or we shut ourselves out and could not undo it
        await self._put(place, there.get(us, _nothing(us, MEMBER)), allow=ours)
        await self._put(place, before, deny=denied, forget=given_back & int(before["deny"]))

    async def _person(self, place: Place, before: dict[str, Raw], *, allowed: bool) -> None:
        """Allow a person to see, or forget that; what they are denied there stays denied."""
        others = int(before["deny"]) | int(before["allow"]) & ~VIEW
        if allowed:
            await self._put(place, before, allow=VIEW)
        elif others:
            await self._put(place, before, forget=VIEW & int(before["allow"]))
        else:
            with worded("change who sees the channel"), suppress(discord.NotFound):
                await rest(self._client).delete_channel_permissions(place.id, before["id"])

    async def _put(self, place: Place, before: dict[str, Raw], **bits: int) -> None:
        """Change an overwrite by what is allowed, denied and forgotten; nothing when that is so already."""
        after = _set(before, **bits)
        if after == before:
            return
        with worded("change who sees the channel"):
            await rest(self._client).edit_channel_permissions(
                place.id, after["id"], after["allow"], after["deny"], after["type"]
            )

    async def open_thread(self, thread: Place) -> None:
        """Bring a thread back from the archive."""
        with worded("open the thread again"):
            await rest(self._client).edit_channel(thread.id, archived=False)


def _is_made_already(channel: Mapping[str, Raw], new: NewChannel) -> bool:
    """Tell whether a channel is the one that an answer which got lost was about."""
    id_, topic = int(channel["id"]), channel.get("topic") or ""
    is_new = channel["type"] == TEXT and id_ > new.after and id_ not in new.rooms
    return is_new and any(mark in topic for mark in new.marks)


def _nothing(id_: int, type_: int) -> dict[str, Raw]:
    return {"id": id_, "type": type_, "allow": "0", "deny": "0"}


def _set(before: dict[str, Raw], *, allow: int = 0, deny: int = 0, forget: int = 0) -> dict[str, Raw]:
    """Allow and deny these bits, say nothing on others any more, and keep the rest of an overwrite."""
    kept = ~(allow | deny | forget)
    bits = {"allow": int(before["allow"]) & kept | allow, "deny": int(before["deny"]) & kept | deny}
    return before | {name: str(each) for name, each in bits.items()}


def _is_named(name: str, base: str) -> bool:
    return re.fullmatch(rf"{re.escape(base)}( \d+)?", name, re.IGNORECASE) is not None


def channel_name(name: str) -> str:
    """Give the channel's name for an agent's: lower case, dashes for spaces, no marks that Discord refuses."""
    kept = "".join(sign if sign.isalnum() or sign in "-_" or ord(sign) > 0x2190 else " " for sign in name.lower())
    return "-".join(kept.split())[:100] or "agent"
