"""The pictures of scenes, by kind: each drawn from what the view of a seat gives, and told in words."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

import discord

from bot.core.records import Json
from bot.core.scenes.kind import Seat
from bot.core.scenes.showing import Board
from cogs.ui.files import picture as file_of
from cogs.ui.landlord_table import landlord_table


class Picture(Protocol):
    """A PNG, and the words that stand for it."""

    @property
    def png(self) -> bytes:
        """Give the picture."""

    @property
    def told(self) -> str:
        """Give it in words."""


Drawing = Callable[[Mapping[str, Json], Mapping[Seat, str]], Picture]
DRAWN_BY: Mapping[str, Drawing] = {"landlord": landlord_table}


async def scene_picture(kind: str, picture: Mapping[str, Json], names: Mapping[Seat, str]) -> discord.File | None:
    """Draw what a view gives without holding others up; None where its kind has no picture."""
    drawing = DRAWN_BY.get(kind)
    if drawing is None or not picture:
        return None
    found = await asyncio.to_thread(drawing, picture, names)
    return file_of(f"{kind}.dark.png", found.png, found.told)


async def board_picture(board: Board) -> discord.File | None:
    """Draw what everybody sees."""
    return await scene_picture(board.kind, board.picture, board.names)
