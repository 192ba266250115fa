"""Long lists page by page, and questions before what cannot be undone."""

from collections.abc import Awaitable, Callable, Sequence

import discord

from bot.client import SelfroomClient

PAGE_CHARACTERS = 1_800  # a message holds 2,000
PANEL_SECONDS = 600.0

Interaction = discord.Interaction[SelfroomClient]
Pressed = Callable[[Interaction], Awaitable[None]]


class Panel(discord.ui.View):
    """Buttons of an answer that one person sees; an error in them is worded as for commands."""

    def __init__(self) -> None:
        super().__init__(timeout=PANEL_SECONDS)

    async def on_error(  # type: ignore[override]
        self, interaction: Interaction, error: Exception, item: discord.ui.Item["Panel"]
    ) -> None:
        """Let the client word the error."""
        await interaction.client.explain(interaction, error)


class Pager(Panel):
    """Turns pages."""

    def __init__(self, pages: Sequence[str]) -> None:
        super().__init__()
        self._pages = pages
        self._at = 0
        self._mark()

    @discord.ui.button(label="Back")
    async def back(self, interaction: Interaction, _: discord.ui.Button["Pager"]) -> None:
        """Turn back."""
        await self._turn(interaction, -1)

    @discord.ui.button(label="On")
    async def on(self, interaction: Interaction, _: discord.ui.Button["Pager"]) -> None:
        """Turn on."""
        await self._turn(interaction, 1)

    async def _turn(self, interaction: Interaction, by: int) -> None:
        self._at = max(0, min(len(self._pages) - 1, self._at + by))
        self._mark()
        await interaction.response.edit_message(content=self._pages[self._at], view=self)

    def _mark(self) -> None:
        self.back.disabled = self._at == 0
        self.on.disabled = self._at == len(self._pages) - 1
        self.on.label = f"On ({self._at + 1}/{len(self._pages)})"


class Confirm(Panel):
    """Asks before something that cannot be undone; `go` is called once when it is confirmed."""

    def __init__(self, label: str, go: Pressed) -> None:
        super().__init__()
        self._go = go
        self.yes.label = label

    @discord.ui.button(label="Yes", style=discord.ButtonStyle.danger)
    async def yes(self, interaction: Interaction, _: discord.ui.Button["Confirm"]) -> None:
        """Do it, once: a second press finds no button."""
        if self.is_finished():
            await interaction.response.defer()
            return
        self.stop()
        await interaction.response.edit_message(view=None)
        await self._go(interaction)

    @discord.ui.button(label="Leave it")
    async def no(self, interaction: Interaction, _: discord.ui.Button["Confirm"]) -> None:
        """Do nothing."""
        self.stop()
        await interaction.response.edit_message(content="Nothing has changed.", view=None)


def paged(title: str, lines: Sequence[str]) -> list[str]:
    """Put lines on pages, each under the title."""
    pages, page = [], title
    for line in lines:
        line = line[: PAGE_CHARACTERS - len(title) - 1]
        if len(page) + len(line) + 1 > PAGE_CHARACTERS and page != title:
            pages.append(page)
            page = title
        page += f"\n{line}"
    return [*pages, page]
