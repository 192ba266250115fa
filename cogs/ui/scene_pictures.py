"""Pictures of scenes, by their kinds: drawn from what a view gives for them, and from nothing else."""

import asyncio
from collections.abc import Callable, Mapping

import discord

from bot.core.records import Json
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Board, Told
from bot.core.terminal import without_unseen
from bot.core.wording import honest
from cogs.ui.files import picture, text_file
from cogs.ui.landlord_table import table, table_words
from cogs.ui.pictures import Bar, chart
from cogs.ui.round_table import round_table, round_table_words
from cogs.ui.seats import SHOWN_CHARACTERS
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
    "chat": (round_table, round_table_words),
    "council": (round_table, round_table_words),
    "landlord": (table, table_words),
    "village": (village_map, village_words),
    "werewolf": (ring, ring_words),
}
COLOURED = frozenset({"landlord", "village"})  # their colours mean something: no page is to change them


def results_text(told: Told) -> str:
    """Word how a scene stands, or ended."""
    came = told.cast.words(told.scene.outcome) if told.scene.status is SceneStatus.OVER else ""
    words = came or "\n".join(told.board.lines)
    return honest(f"**{told.board.title}**\n{words}"[:SHOWN_CHARACTERS])


async def drawn(kind: SceneKind, picture: Mapping[str, Json], names: Mapping[int, str]) -> list[discord.File]:
    """Draw the picture of a kind that has one."""
    file = await scene_picture(kind.kind, picture, names)
    return [] if file is None else [file]


async def results_files(told: Told) -> list[discord.File]:
    """Draw the last ballot, where there was one, and how it stands; give all that happened as a text."""
    counts = told.watching.bars if told.watching is not None else ()
    most = max((count for _, count in counts), default=0) or 1
    rows = [Bar(label=name, share=count / most, note=str(count)) for name, count in counts]
    files = [await chart("ballot", "Last ballot", rows)] if rows else []
    if told.watching is not None:
        files = await drawn(told.watching.kind, told.watching.picture, told.watching.names) or files
    return [*files, text_file("transcript.txt", "\n".join([told.board.title, "", *told.lines]) + "\n")]
