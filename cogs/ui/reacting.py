"""Buttons to react with as The Architect; they survive a restart."""

import re
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.actions import React
from bot.core.emoji import SHOWN
from bot.core.errors import NotFound
from bot.core.kinds import Emotion
from bot.core.records import Snowflake
from cogs.ui.again import Lasting
from cogs.ui.rights import told

Interaction = discord.Interaction[SelfroomClient]


class ReactionButton(Lasting, template=r"react:(?P<id>\d+):(?P<emotion>[a-z_]+)"):
    """One of the reactions that agents know by name; that managers alone may press it is for the performer to say."""

    def __init__(self, message_id: int, emotion: Emotion) -> None:
        super().__init__(discord.ui.Button(emoji=SHOWN[emotion], custom_id=f"react:{message_id}:{emotion}"))
        self.action = React(message_id=message_id, reaction=emotion)

    @classmethod
    async def from_custom_id(  # type: ignore[override]
        cls, interaction: Interaction, item: discord.ui.Item[discord.ui.View], match: re.Match[str], /
    ) -> Self:
        """Read the button again, whoever sent it and whenever."""
        return cls(int(match["id"]), Emotion(match["emotion"]))

    async def pressed(self, interaction: Interaction) -> None:
        """React."""
        if interaction.guild_id is None:
            raise NotFound("This works in a server only.")
        await interaction.response.defer(ephemeral=True, thinking=True)
        who = interaction.client.person(interaction.user)
        outcome = await interaction.client.desk.actions.take(Snowflake(interaction.guild_id), who, self.action)
        await interaction.followup.send(await told(interaction, outcome), ephemeral=True)


def reactions(message_id: int) -> discord.ui.View:
    """Give a button for each reaction."""
    view = discord.ui.View(timeout=None)
    for emotion in Emotion:
        view.add_item(ReactionButton(message_id, emotion))
    return view
