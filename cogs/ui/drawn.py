"""An answer that is a picture with its numbers under it, page by page."""

from collections.abc import Sequence

import discord

from cogs.ui.again import Again, PageButton, turns

Drawn = discord.ui.LayoutView


def drawn_page(title: str, file: discord.File, pages: Sequence[str], at: int, again: Again) -> Drawn:
    """Give one page: the title, the picture with the words that stand for it, and the numbers."""
    layout = Drawn(timeout=None)
    layout.add_item(discord.ui.TextDisplay(title))
    layout.add_item(discord.ui.MediaGallery(discord.MediaGalleryItem(file, description=file.description or title)))
    layout.add_item(discord.ui.TextDisplay(pages[at]))
    if len(pages) > 1:
        buttons: list[PageButton] = turns(again, at, len(pages))
        layout.add_item(discord.ui.ActionRow(*buttons))
    return layout
