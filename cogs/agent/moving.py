"""Agents moving in from files, and out into files."""

import json

import discord
from discord import app_commands

from bot.core.actions import AlterAgent
from bot.core.cards import read_card
from bot.core.errors import Rejected
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.faces import lasting
from cogs.ui.files import text_file

MOST_BYTES = 10_000_000


class Moving(Group):
    """Commands with character cards."""

    @app_commands.command()
    async def export(self, interaction: Interaction, agent: AgentArg) -> None:
        """Give an agent as one file: a character card with what it knows.

        Args:
            agent: Whom to export
        """
        managers_only(interaction)
        await wait(interaction)
        card = await self.desk.move_out(guild_of(interaction), agent.id)
        file = text_file(f"agent-{agent.id}.json", json.dumps(card, ensure_ascii=False, indent=2))
        await self.say(interaction, f"**{agent.name}** as a character card (v2). No key is in it.", files=[file])

    @app_commands.command(name="import")
    async def import_(self, interaction: Interaction, file: discord.Attachment) -> None:
        """Let an agent move in from a character card (JSON, or a PNG with a card in it).

        Args:
            file: The card
        """
        managers_only(interaction)
        await wait(interaction)
        if file.size > MOST_BYTES:
            raise Rejected("That file is too large: a card has at most 10 MB.")
        card = read_card(await file.read())
        agent, told = await self.desk.move_in(guild_of(interaction), person(interaction), card)
        if card.has_picture:
            address = await lasting(interaction, agent.id, file)
            await self.do(interaction, AlterAgent(agent_id=agent.id, avatar_url=address))
        await self.say(interaction, told)
