"""Forms for text that is too long for a command's line."""

from collections.abc import Awaitable, Callable

import discord

from bot.client import SelfroomClient
from bot.core.kinds import AgentType

FORM_CHARACTERS = 4_000  # Discord's limit of one field
Interaction = discord.Interaction[SelfroomClient]
Made = Callable[[Interaction, str, str], Awaitable[None]]


class AgentForm(discord.ui.Modal):
    """Name and prompt of an agent; `filled` is called with both."""

    name: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(label="Name", max_length=50, required=False)
    prompt: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(
        label="Who is it?", style=discord.TextStyle.paragraph, max_length=FORM_CHARACTERS
    )

    def __init__(self, type: AgentType, filled: Made, *, name: str = "", prompt: str = "") -> None:
        super().__init__(title=f"Make a {type.value}")
        self._filled = filled
        self.name.default = name
        self.prompt.default = prompt[:FORM_CHARACTERS]
        if type is AgentType.BOT:
            self.prompt.label = "What does it do?"

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Hand on what was filled in."""
        await self._filled(interaction, self.name.value, self.prompt.value)

    async def on_error(self, interaction: Interaction, error: Exception) -> None:  # type: ignore[override]
        """Let the client word the error, as it does for commands."""
        await interaction.client.explain(interaction, error)
