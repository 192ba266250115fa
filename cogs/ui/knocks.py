"""Buttons that let a knock in or turn it away; what they mean stands in their ids, so they survive a restart."""

import re
from collections.abc import Sequence
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import NotFound
from bot.core.records import AccessRequest, Snowflake
from bot.core.view import View
from cogs.ui.again import Lasting

Interaction = discord.Interaction[SelfroomClient]
SHOWN = 10  # two buttons each; a message has 25
STYLES = {"grant": discord.ButtonStyle.success, "deny": discord.ButtonStyle.danger}


class KnockButton(Lasting, template=r"knock:(?P<verdict>grant|deny):(?P<id>\d+)"):
    """Grant or Deny for one request; who presses must be a manager, which the performer checks."""

    def __init__(self, verdict: str, request_id: int, row: int | None = None) -> None:
        label = f"{verdict.title()} {request_id}"
        button: discord.ui.Button[discord.ui.View] = discord.ui.Button(
            label=label, style=STYLES[verdict], custom_id=f"knock:{verdict}:{request_id}", row=row
        )
        super().__init__(button)
        self.verdict = verdict
        self.request_id = request_id

    @classmethod
    async def from_custom_id(  # type: ignore[override]
        cls, interaction: Interaction, item: discord.ui.Item[discord.ui.View], match: re.Match[str], /
    ) -> Self:
        """Read the button again, whoever sent it and whenever."""
        return cls(match["verdict"], int(match["id"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Decide, and tell who pressed; the first decision wins."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.followup.send(await self._decide(interaction), ephemeral=True)

    async def _decide(self, interaction: Interaction) -> str:
        if interaction.guild_id is None:
            raise NotFound("This works in a server only.")
        desk, guild_id = interaction.client.front_desk, Snowflake(interaction.guild_id)
        who = interaction.client.person(interaction.user)
        return await desk.decide_knock(guild_id, who, self.request_id, grant=self.verdict == "grant")


def knock_view(knocks: Sequence[AccessRequest]) -> discord.ui.View:
    """Give buttons for these requests; they never time out."""
    view = discord.ui.View(timeout=None)
    for at, knock in enumerate(knocks[:SHOWN]):
        for verdict in STYLES:
            view.add_item(KnockButton(verdict, knock.id, row=at // 2))
    return view


def knock_line(knock: AccessRequest, view: View) -> str:
    """Word one request."""
    room = view.agents[knock.room_id].name
    at = int(knock.created_at.timestamp())
    return f"**{knock.id}**: {knock.requester_name} at **{room}**'s room, with the key *{knock.key_label}*, <t:{at}:R>"
