"""An answer that is a picture with its numbers under it, page by page."""

from collections.abc import Sequence

import discord

from cogs.ui.again import Again, PageButton, turns

Drawn = discord.ui.LayoutView


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
