"""The billboard: one pinned message of the bot per channel, edited in place."""

import discord

from bot.adapters.discord.inner import Raw, rest
from bot.adapters.discord.refusals import worded
from bot.adapters.discord.territory import Place
from bot.core.errors import Gone
from bot.core.records import Snowflake

HEAD = "📌 "


class Billboards:
    """Finds the bot's pinned message by looking at the pins: Discord itself remembers which it is."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: dict[int, Snowflake] = {}

    async def show(self, place: Place, message_id: Snowflake | None, text: str) -> Snowflake | None:
        """Make the pinned message read `text`; empty text removes it."""
        known = message_id or self._known.get(place.id) or await self._find(place)
        if not text:
            await self._remove(place, known)
            return None
        if known is not None and await self._edit(place, known, text):
            return known
        return await self._make(place, text)

    async def _find(self, place: Place) -> Snowflake | None:
        with worded("look at the pinned messages"):
            pins: Raw = await rest(self._client).pins_from(place.id)
        for pin in pins["items"]:
            message = pin["message"]
            if self._is_ours(message):
                return Snowflake(int(message["id"]))
        return await self._unpinned(place)

    async def _unpinned(self, place: Place) -> Snowflake | None:
        """Find a billboard that was posted but not pinned, as when the program ended between the two."""
        with worded("read what was said"):
            recent = await rest(self._client).logs_from(place.id, 50)
        for message in recent:
            if self._is_ours(message):
                await self._pin(place, Snowflake(int(message["id"])))
                return Snowflake(int(message["id"]))
        return None

    def _is_ours(self, message: Raw) -> bool:
        user = self._client.user
        mine = user is not None and int(message["author"]["id"]) == user.id
        return mine and message["content"].startswith(HEAD)

    async def _edit(self, place: Place, message_id: Snowflake, text: str) -> bool:
        message = place.get_partial_message(message_id)
        try:
            with worded("change the billboard"):
                await message.edit(content=HEAD + text, allowed_mentions=discord.AllowedMentions.none())
        except Gone:
            self._known.pop(place.id, None)
            return False
        self._known[place.id] = message_id
        return True

    async def _make(self, place: Place, text: str) -> Snowflake:
        with worded("post the billboard"):
            message = await place.send(HEAD + text, allowed_mentions=discord.AllowedMentions.none())
        made = Snowflake(message.id)
        await self._pin(place, made)
        self._known[place.id] = made
        return made

    async def _pin(self, place: Place, message_id: Snowflake) -> None:
        with worded("pin the billboard"):
            await rest(self._client).pin_message(place.id, message_id)

    async def _remove(self, place: Place, message_id: Snowflake | None) -> None:
        self._known.pop(place.id, None)
        if message_id is None:
            return
        try:
            with worded("take the billboard down"):
                await rest(self._client).delete_message(place.id, message_id)
        except Gone:
            return
