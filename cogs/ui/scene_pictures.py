"""The pictures of scenes, by kind: each drawn from what the view of a seat gives, and told in words."""

import asyncio
from collections.abc import Callable, Mapping

import discord

from bot.core.records import Json
from bot.core.scenes.kind import Seat
from bot.core.scenes.showing import Board
from cogs.ui.files import picture as file_of
from cogs.ui.village_map import Map, village_map

Drawing = Callable[[Mapping[str, Json], Mapping[Seat, str]], Map]
DRAWN_BY: Mapping[str, Drawing] = {"village": village_map}


async def scene_picture(kind: str, picture: Mapping[str, Json], names: Mapping[Seat, str]) -> discord.File | None:
    """Draw what a view gives without holding others up; its colours mean something, so no page is to change them."""
    drawing = DRAWN_BY.get(kind)
    if drawing is None or not picture:
        return None
    map_ = await asyncio.to_thread(drawing, picture, names)
    return file_of(f"{kind}.png", map_.png, map_.told)


async def board_picture(board: Board) -> discord.File | None:
    """Draw what everybody sees of a scene; None where its kind has no picture."""
    return await scene_picture(board.kind, board.picture, board.names)
