"""Forms for text that is too long for a command's line."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import discord

from bot.client import SelfroomClient
from bot.core.kinds import AgentType

FORM_CHARACTERS = 4_000  # Discord's limit of one field
Interaction = discord.Interaction[SelfroomClient]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An agent as a person describes it."""

    name: str
    prompt: str
    type: AgentType


Filled = Callable[[Interaction, Draft], Awaitable[None]]


class AgentForm(discord.ui.Modal):
    """Name and prompt of an agent; `filled` is called with what was written."""

    name: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(label="Name", max_length=50, required=False)
    prompt: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(
        label="Who is it?", style=discord.TextStyle.paragraph, max_length=FORM_CHARACTERS
    )

    def __init__(self, draft: Draft, filled: Filled) -> None:
        super().__init__(title=f"Make a {draft.type}")
        self._draft = draft
        self._filled = filled
        self.name.default = draft.name
        self.prompt.default = draft.prompt[:FORM_CHARACTERS]
        if draft.type is AgentType.BOT:
            self.prompt.label = "What does it do?"

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Hand on what was filled in."""
        written = replace(self._draft, name=self.name.value, prompt=self.prompt.value)
        await self._filled(interaction, written)

    async def on_error(self, interaction: Interaction, error: Exception) -> None:  # type: ignore[override]
        """Let the client word the error, as it does for commands."""
        await interaction.client.explain(interaction, error)
