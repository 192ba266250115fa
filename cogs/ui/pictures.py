"""Bars drawn with Pillow, on a ground of their own so that light and dark themes both leave them legible."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO

import discord
from PIL import Image, ImageDraw

from bot.core.terminal import without_unseen
from bot.picture_text import fitting, write
from cogs.ui.again import Again, PageButton, turns
from cogs.ui.files import picture

WIDTH, MARGIN, ROW, HEAD = 560, 22, 44, 60
LABEL, NOTE = 160, 140  # widths of what stands left and right of a bar
GROUND, TRACK, INK, FAINT = "#1e2230", "#2f3547", "#f2f4f8", "#b9c0d0"
COLOURS = ("#5aa9e6", "#7fc97f", "#f4a259", "#c792ea", "#f28b82", "#4dd0c4")
MOST_ROWS = 18
LARGE, SMALL = 24, 18  # of letters
Drawn = discord.ui.LayoutView


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One row: `share` (0-1) fills it, `note` stands at its end."""

    label: str
    share: float
    note: str
    colour: int = 0


async def chart(name: str, title: str, rows: Sequence[Bar]) -> discord.File:
    """Draw rows without holding others up; the file's name tells a page the ground, which it may turn to light."""
    png = await asyncio.to_thread(drawn, title, rows)
    return picture(f"{name}.dark.png", png, alt_text(title, rows))


def drawn(title: str, rows: Sequence[Bar]) -> bytes:
    """Draw at most so many rows as fit; the rest is a line that says how many there are."""
    shown = [replace(row, label=without_unseen(row.label)) for row in rows[:MOST_ROWS]]
    more = len(rows) - len(shown)
    height = HEAD + ROW * len(shown) + (ROW if more else 0) + MARGIN // 2
    image = Image.new("RGB", (WIDTH, height), GROUND)
    draw = ImageDraw.Draw(image)
    write(draw, (MARGIN, HEAD / 2), fitting(title, LARGE, WIDTH - 2 * MARGIN), LARGE, INK)
    for at, row in enumerate(shown):
        _draw_row(draw, HEAD + at * ROW + ROW // 2, row)
    if more:
        write(draw, (MARGIN, height - ROW / 2), f"and {more} more", SMALL, FAINT)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def alt_text(title: str, rows: Sequence[Bar]) -> str:
    """Say in words what the picture shows."""
    return without_unseen(f"{title}: " + "; ".join(f"{row.label} {row.note}" for row in rows))


def _draw_row(draw: ImageDraw.ImageDraw, y: int, row: Bar) -> None:
    left, right = MARGIN + LABEL, WIDTH - MARGIN - NOTE
    write(draw, (MARGIN, y), fitting(row.label, SMALL, LABEL - 14), SMALL, INK)
    draw.rounded_rectangle((left, y - 11, right, y + 11), radius=11, fill=TRACK)
    length = max(0.0, min(1.0, row.share)) * (right - left)
    if length >= 1:
        draw.rounded_rectangle(
            (left, y - 11, left + max(22, length), y + 11), radius=11, fill=COLOURS[row.colour % len(COLOURS)]
        )
    write(draw, (WIDTH - MARGIN, y), fitting(row.note, SMALL, NOTE - 8), SMALL, FAINT, right=True)


def drawn_page(
    title: str, file: discord.File, pages: Sequence[str], at: int, again: Again, table: discord.File | None = None
) -> Drawn:
    """Give one page: the title, the picture with the words that stand for it, the numbers, and a table as a file."""
    layout = Drawn(timeout=None)
    layout.add_item(discord.ui.TextDisplay(title))
    layout.add_item(discord.ui.MediaGallery(discord.MediaGalleryItem(file, description=file.description or title)))
    layout.add_item(discord.ui.TextDisplay(pages[at]))
    if table is not None:
        layout.add_item(discord.ui.File(table))
    if len(pages) > 1:
        buttons: list[PageButton] = turns(again, at, len(pages))
        layout.add_item(discord.ui.ActionRow(*buttons))
    return layout
