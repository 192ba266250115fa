"""Agents moving in from files, and out into files."""

import discord
from discord import app_commands

from bot.core.actions import AlterAgent
from bot.core.errors import Rejected
from bot.core.records import Agent
from bot.core.sentences import Sentence
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.faces import lasting
from cogs.ui.files import text_file
from cogs.ui.rights import told
from cogs.ui.texts import label

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
        card = await self.desk.cards.move_out(guild_of(interaction), agent.id, who=person(interaction).id)
        file = text_file(f"agent-{agent.id}.json", card)
        await self.say(
            interaction,
            Sentence("**{agent}** as a character card (v2). No key is in it.", agent=label(agent.name)),
            files=[file],
        )

    @app_commands.command(name="import")
    async def import_(self, interaction: Interaction, file: discord.Attachment) -> None:
        """Let an agent move in from a character card (JSON, or a PNG with a card in it).

        Args:
            file: The card
        """
        managers_only(interaction)
        await wait(interaction)
        if file.size > MOST_BYTES:
            raise Rejected(Sentence("That file is too large: a card has at most 10 MB."))
        card = await self.desk.cards.read(guild_of(interaction), await file.read())
        agent, made = await self.desk.cards.move_in(guild_of(interaction), person(interaction), card)
        done = await told(interaction, made)
        await self.say(interaction, done + (await self.pictured(interaction, agent, file) if card.has_picture else ""))

    async def pictured(self, interaction: Interaction, agent: Agent, file: discord.Attachment) -> str:
        """Give an agent its card's picture; words why it has none, for the agent is there all the same."""
        try:
            address = await lasting(interaction, agent.id, file)
        except Rejected as no:
            return Sentence(" It has no picture yet. {sentence}", sentence=no.sentence)
        await self.do(interaction, AlterAgent(agent_id=agent.id, avatar_url=address))
        return ""
