"""Buttons that let a knock in or turn it away."""

from collections.abc import Sequence

import discord

from bot.core.records import AccessRequest, Snowflake
from bot.core.view import View
from cogs.ui.deciding import SHOWN, Button, DecidingButton, Interaction

STYLES = {"grant": discord.ButtonStyle.success, "deny": discord.ButtonStyle.danger}


class KnockButton(DecidingButton, template=r"knock:(?P<verdict>grant|deny):(?P<id>\d+)"):
    """Grant or Deny for one request."""

    @staticmethod
    def drawn(verdict: str, number: int, row: int | None) -> Button:
        """Give the button as Discord shows it."""
        label, id = f"{verdict.title()} {number}", f"knock:{verdict}:{number}"
        return discord.ui.Button(label=label, style=STYLES[verdict], custom_id=id, row=row)

    async def decide(self, interaction: Interaction, guild_id: Snowflake) -> str:
        """Let in, or turn away."""
        who = interaction.client.person(interaction.user)
        desk = interaction.client.front_desk
        return await desk.decide_knock(guild_id, who, self.number, grant=self.verdict == "grant")


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
