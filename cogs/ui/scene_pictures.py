"""Pictures of scenes, by their kinds: drawn from what a view gives for them, and from nothing else."""

import asyncio
from collections.abc import Callable, Mapping

import discord

from bot.core.records import Json
from bot.core.scenes.showing import Board
from bot.core.terminal import without_unseen
from cogs.ui.files import picture
from cogs.ui.landlord_table import table, table_words
from cogs.ui.village_map import village_map, village_words
from cogs.ui.werewolf_ring import ring, ring_words

Names = Mapping[int, str]


async def scene_picture(kind: str, shown: Mapping[str, Json], names: Names) -> discord.File | None:
    """Draw a scene as a view shows it, without holding others up; None where its kind has no picture."""
    draws = PICTURES.get(kind)
    if draws is None or not shown:
        return None
    png = await asyncio.to_thread(draws[0], shown, names)
    name = f"{kind}.png" if kind in COLOURED else f"{kind}.dark.png"
    return picture(name, png, without_unseen(draws[1](shown, names)))


async def board_picture(board: Board) -> discord.File | None:
    """Draw what everybody sees of a scene; None where its kind has no picture."""
    return await scene_picture(board.kind, board.picture, board.names)


Draws = tuple[Callable[[Mapping[str, Json], Names], bytes], Callable[[Mapping[str, Json], Names], str]]
PICTURES: Mapping[str, Draws] = {
    "landlord": (table, table_words),
    "village": (village_map, village_words),
    "werewolf": (ring, ring_words),
}
COLOURED = frozenset({"landlord", "village"})  # their colours mean something: no page is to change them
