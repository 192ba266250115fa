"""What every command group shares: how a command acts, and the parameters that name agents and rooms."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import SelfroomClient
from bot.core.actions import Action
from bot.core.errors import NotFound, Rejected
from bot.core.records import Agent, AgentId, Person, Snowflake

SHOWN_CHOICES = 25  # Discord shows no more

Interaction = discord.Interaction[SelfroomClient]


class Group(commands.GroupCog):
    """A group of commands; each defers, asks the front desk and says what came of it."""

    def __init__(self, client: SelfroomClient) -> None:
        super().__init__()
        self.client = client

    async def act(self, interaction: Interaction, action: Action, *, subject: AgentId | None = None) -> None:
        """Do one thing as the person who asked, and tell them the outcome in one sentence."""
        if not interaction.response.is_done():
            await interaction.response.defer(ephemeral=True, thinking=True)
        outcome = await self.client.front_desk.act(guild_of(interaction), person(interaction), action, subject=subject)
        await interaction.followup.send(outcome.result, ephemeral=True)


def guild_of(interaction: Interaction) -> Snowflake:
    """Give the server's id; commands are guild-only, so there is one."""
    if interaction.guild_id is None:
        raise NotFound("This works in a server only: use it in a channel there.")
    return Snowflake(interaction.guild_id)


def person(interaction: Interaction) -> Person:
    """Give the person who asked, with the rights they have now."""
    return interaction.client.person(interaction.user)


def managers_only(interaction: Interaction) -> None:
    """Refuse anyone who may not manage the server; checked in code, for Discord does not check subcommands."""
    if not person(interaction).is_architect:
        raise Rejected("Only people who may manage this server can do that: ask one of them.")


class AgentName(app_commands.Transformer):
    """An agent by name or id, with suggestions while it is typed."""

    async def transform(self, interaction: Interaction, value: str) -> Agent:  # type: ignore[override]
        """Find the agent; raises NotFound with a sentence."""
        typed = value.strip().removeprefix("#").casefold()
        for agent in await interaction.client.front_desk.agents(guild_of(interaction)):
            if typed in (str(agent.id), agent.name.casefold()):
                return agent
        raise NotFound(f"There is no agent {value!r} here: choose one from the list that comes up while you type.")

    async def autocomplete(  # type: ignore[override]
        self, interaction: Interaction, value: str
    ) -> list[app_commands.Choice[str]]:
        """Suggest agents whose name or id holds what was typed."""
        typed = value.strip().casefold()
        agents = await interaction.client.front_desk.agents(guild_of(interaction))
        fitting = [agent for agent in agents if typed in agent.name.casefold() or typed == str(agent.id)]
        return [
            app_commands.Choice(name=f"{agent.name} (ID {agent.id})", value=str(agent.id))
            for agent in fitting[:SHOWN_CHOICES]
        ]


AgentArg = app_commands.Transform[Agent, AgentName]
