"""Pictures of scenes, by kind: a board as everybody sees it, and what one seat alone sees."""

import asyncio
from collections.abc import Callable, Mapping

import discord

from bot.core.records import Json
from bot.core.scenes.kind import Seat
from bot.core.scenes.showing import Board, Turn
from cogs.ui.files import picture
from cogs.ui.games import landlord

Names = Mapping[Seat, str]
Drawer = Callable[[Mapping[str, Json], Names], tuple[bytes, str]]  # a PNG, and the words that stand for it
DRAWERS: Mapping[str, Drawer] = {"landlord": landlord.drawn}


async def board_picture(board: Board) -> discord.File | None:
    """Draw a board; None for a kind that has no picture, and before it begins."""
    return await _drawn("board", board.kind, board.picture, board.names)


async def seat_picture(turn: Turn) -> discord.File | None:
    """Draw what a seat sees."""
    return await _drawn("seat", turn.kind.kind, turn.picture, turn.names)


async def _drawn(name: str, kind: str, fields: Mapping[str, Json], names: Names) -> discord.File | None:
    drawer = DRAWERS.get(kind)
    if drawer is None or not fields:
        return None
    png, told = await asyncio.to_thread(drawer, fields, names)
    return picture(f"{name}.dark.png", png, told)
