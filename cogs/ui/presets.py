"""Scenes that are started with one press: each kind with its presets."""

import re
from typing import Self

import discord

from bot.core.actions import StartScene
from bot.core.errors import Rejected
from bot.core.records import AgentId
from bot.core.scenes.registry import KINDS
from cogs.ui.again import MOST_OPTIONS, Item, Lasting, chosen
from cogs.ui.scenes import Interaction, act, tell


class PresetSelect(Lasting, template=r"preset:(?P<room>\d+)"):
    """Opens a lobby with one press: each kind with its presets."""

    @classmethod
    def drawn(cls, room_id: AgentId) -> Self:
        """Give the select as Discord shows it."""
        options = [
            discord.SelectOption(label=f"{kind.title}: {preset.title}"[:100], value=f"{kind.kind}:{preset.name}")
            for kind in KINDS.values()
            for preset in kind.presets
        ]
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=f"preset:{room_id}", options=options[:MOST_OPTIONS], placeholder="What shall be played?"
        )
        return cls(select)  # type: ignore[arg-type]  # a select is pressed as a button is

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item)  # type: ignore[arg-type]

    async def pressed(self, interaction: Interaction) -> None:
        """Open the lobby."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        of, picked = self.template.fullmatch(self.custom_id), "".join(chosen(interaction)[:1])
        kind = KINDS.get(picked.partition(":")[0])
        preset = next((one for one in kind.presets if one.name == picked.partition(":")[2]), None) if kind else None
        if of is None or kind is None or preset is None:
            raise Rejected("That is not played any more: use /scene start.")
        start = StartScene(room_id=int(of["room"]), kind=kind.kind, title="", options=preset.options)
        await tell(interaction, await act(interaction, start))


def preset_view(room_id: AgentId) -> discord.ui.View:
    """Give what may be started with one press."""
    view = discord.ui.View(timeout=None)
    view.add_item(PresetSelect.drawn(room_id))
    return view
