"""Seats in scenes that people look at: each follows its scene by itself, while Discord lets it be edited."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import discord
from discord.ext import commands, tasks

from bot.core.errors import NotFound, SelfroomError
from bot.core.records import Snowflake
from bot.core.sentences import Sentence
from cogs.base import Cog, Interaction, guild_of, person
from cogs.ui.rights import may_still_read
from cogs.ui.scenes import look_of
from cogs.ui.seats import SEATS, Look

REST_SECONDS = 20.0
WHISPERED_SECONDS = 3.0  # after which whoever looks at their seat has heard what was told to it alone


class SeatsCog(Cog):
    """What becomes of seats after they were shown."""

    _told: Mapping[tuple[int, int], int] = {}  # by server and scene: how much had been told, to whomever

    async def cog_load(self) -> None:
        """Begin to look after them."""
        self.rest.start()
        self.whispered.start()

    async def cog_unload(self) -> None:
        """Look after them no more."""
        self.rest.cancel()
        self.whispered.cancel()

    @commands.Cog.listener()
    async def on_scene_board(self, guild_id: int, scene_id: int) -> None:
        """Whoever looks at their seat sees what has become of it."""
        for press, watched in SEATS.at(guild_id, scene_id):
            with suppress(SelfroomError, discord.HTTPException):  # they see it no more, or closed it: they press anew
                await SEATS.bring_up(watched, partial(self._look, press, scene_id))

    async def _look(self, press: Interaction, scene_id: int) -> Look:
        """Give how a seat is now; raises NotFound for who may not read its room any more."""
        guild_id = guild_of(press)
        room = await self.desk.rooms.place(guild_id, (await self.desk.scenes.find(guild_id, scene_id)).room_id)
        if room is None or not await may_still_read(press, room.channel_id):
            SEATS.forget(press, scene_id)
            raise NotFound(Sentence("This seat is not theirs to see any more."))
        return look_of(await self.desk.scenes.seat(guild_id, scene_id, person(press)))

    @tasks.loop(seconds=WHISPERED_SECONDS)
    async def whispered(self) -> None:
        """Show what only some seats are told: no board is drawn anew for that, as then all would know of it."""
        told = dict[tuple[int, int], int]()
        for guild_id, scene_id in SEATS.scenes():
            with suppress(SelfroomError):
                told[guild_id, scene_id] = (await self.desk.scenes.find(Snowflake(guild_id), scene_id)).events
        before, self._told = self._told, told
        for key, many in told.items():
            if before.get(key) != many:
                await self.on_scene_board(*key)

    @tasks.loop(seconds=REST_SECONDS)
    async def rest(self) -> None:
        """Have seats say that they are not kept up to date any more, before Discord takes no edits of them."""
        if SEATS.any_shown:
            await SEATS.rest(self.desk.clock.now())
