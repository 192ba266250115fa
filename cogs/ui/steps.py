"""The steps of `/setup start` that can be done on the spot."""

from collections.abc import Awaitable, Callable

import discord

from bot.client import SelfroomClient
from bot.core.kinds import AgentType
from cogs.ui.forms import AgentForm, Draft, Filled

Interaction = discord.Interaction[SelfroomClient]
Chosen = Callable[[Interaction, str, int], Awaitable[None]]
Tried = Callable[[Interaction], Awaitable[None]]


class Steps(discord.ui.View):
    """Choose the category and the managers' channel, try the model, make an agent; it lasts over a restart."""

    def __init__(self, *, chosen: Chosen, tried: Tried, filled: Filled) -> None:
        super().__init__(timeout=None)
        self.add_item(Place("category_id", "Where agents' channels are made", discord.ChannelType.category, chosen))
        self.add_item(Place("managers_channel_id", "Where managers are told things", discord.ChannelType.text, chosen))
        self._tried = tried
        self._filled = filled

    async def on_error(  # type: ignore[override]
        self, interaction: Interaction, error: Exception, item: discord.ui.Item["Steps"]
    ) -> None:
        """Let the client word the error."""
        await interaction.client.explain(interaction, error)

    @discord.ui.button(label="Try the model", row=2, custom_id="setup:model")
    async def model(self, interaction: Interaction, _: discord.ui.Button["Steps"]) -> None:
        """Ask the model one small question."""
        await self._tried(interaction)

    @discord.ui.button(label="Make an agent", style=discord.ButtonStyle.primary, row=2, custom_id="setup:agent")
    async def agent(self, interaction: Interaction, _: discord.ui.Button["Steps"]) -> None:
        """Open the form for a new agent."""
        draft = Draft(name="", prompt="", type=AgentType.PERSONA)
        await interaction.response.send_modal(AgentForm(draft, self._filled))


class Place(discord.ui.ChannelSelect[Steps]):
    """Chooses a channel for one setting."""

    def __init__(self, setting: str, asked: str, kind: discord.ChannelType, chosen: Chosen) -> None:
        super().__init__(placeholder=asked, channel_types=[kind], custom_id=f"setup:{setting}")
        self._setting = setting
        self._chosen = chosen

    async def callback(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Keep what was chosen."""
        await self._chosen(interaction, self._setting, self.values[0].id)
