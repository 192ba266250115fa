"""Buttons that let a knock in or turn it away."""

from collections.abc import Mapping, Sequence

import discord

from bot.core.people import mention
from bot.core.records import AccessRequest, Agent, AgentId, Snowflake
from bot.core.view import Outline
from cogs.ui.deciding import SHOWN, Button, DecidingButton, Interaction
from cogs.ui.rights import told
from cogs.ui.texts import label

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
        outcome = await desk.decide_knock(guild_id, who, self.number, grant=self.verdict == "grant")
        return await told(interaction, outcome)


def knock_view(knocks: Sequence[AccessRequest]) -> discord.ui.View:
    """Give buttons for these requests; they never time out."""
    view = discord.ui.View(timeout=None)
    for at, knock in enumerate(knocks[:SHOWN]):
        for verdict in STYLES:
            view.add_item(KnockButton(verdict, knock.id, row=at // 2))
    return view


def knock_line(knock: AccessRequest, view: Outline) -> str:
    """Word one request."""
    room = label(view.agents[knock.room_id].name)
    at = int(knock.created_at.timestamp())
    who = requester(knock, view.agents)
    return f"**{knock.id}**: {who} at **{room}**'s room, with the key *{label(knock.key_label)}*, <t:{at}:R>"


def requester(knock: AccessRequest, agents: Mapping[AgentId, Agent]) -> str:
    """Word who asks by their id: by now somebody else may bear the name under which they asked."""
    if knock.requester_person_id is not None:
        return f"{label(knock.requester_name)} (now {mention(knock.requester_person_id)})"
    agent = agents.get(knock.requester_agent_id) if knock.requester_agent_id is not None else None
    return f"{label(agent.name)} (ID {agent.id})" if agent else label(knock.requester_name)
