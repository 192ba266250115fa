"""`/agent`: make agents and look after them."""

from datetime import timedelta

from discord import app_commands

from bot.core.actions import CreateAgent, Pause, RestoreAgent, Resume, RetireAgent, Say, Sleep, WakeAgent
from bot.core.kinds import AgentType
from bot.core.templates import TEMPLATES
from cogs.base import AgentArg, Group, Interaction, guild_of
from cogs.ui.cards import agent_card, agent_list
from cogs.ui.forms import AgentForm, Draft

WEEK_MINUTES = 7 * 24 * 60
Minutes = app_commands.Range[int, 1, WEEK_MINUTES]
TEMPLATE_CHOICES = [
    app_commands.Choice(name=f"{template.name}: {template.about}", value=template.name)
    for template in TEMPLATES.values()
]


class AgentCog(Group, group_name="agent", group_description="Make agents and look after them"):
    """Commands on agents."""

    @app_commands.command()
    @app_commands.choices(template=TEMPLATE_CHOICES)
    async def create(
        self,
        interaction: Interaction,
        name: app_commands.Range[str, 1, 50] = "",
        prompt: app_commands.Range[str, 1, 4000] = "",
        type: AgentType = AgentType.PERSONA,
        template: str = "",
    ) -> None:
        """Make a new agent with a room of its own; a form asks for what you leave out.

        Args:
            name: What it is called
            prompt: Who it is (persona) or what it does (bot)
            type: A persona is a character, a bot is a function
            template: Start from a ready-made one
        """
        start = TEMPLATES.get(template)
        draft = Draft(
            name=name or (start.name if start else ""),
            prompt=prompt or (start.prompt if start else ""),
            type=start.type if start else type,
        )
        if name and draft.prompt:
            await self.make(interaction, draft)
        else:
            await interaction.response.send_modal(AgentForm(draft, self.make))

    async def make(self, interaction: Interaction, draft: Draft) -> None:
        """Make what the form or the command describes."""
        action = CreateAgent(name=draft.name or None, background_prompt=draft.prompt, agent_type=draft.type)
        await self.act(interaction, action)

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction) -> None:
        """List the agents of this server."""
        await interaction.response.defer(ephemeral=True)
        view = await self.client.front_desk.view(guild_of(interaction))
        await interaction.followup.send(agent_list(view, self.client.front_desk.now()), ephemeral=True)

    @app_commands.command()
    async def show(self, interaction: Interaction, agent: AgentArg) -> None:
        """Show one agent: what it is, what it does and what it waits for.

        Args:
            agent: Whom to show
        """
        await interaction.response.defer(ephemeral=True)
        view = await self.client.front_desk.view(guild_of(interaction), agent.id)
        await interaction.followup.send(embed=agent_card(view, agent.id, self.client.front_desk.now()), ephemeral=True)

    @app_commands.command()
    async def wake(self, interaction: Interaction, agent: AgentArg) -> None:
        """Wake an agent now.

        Args:
            agent: Whom to wake
        """
        await self.act(interaction, WakeAgent(agent_id=agent.id))

    @app_commands.command()
    async def sleep(self, interaction: Interaction, agent: AgentArg, minutes: Minutes) -> None:
        """Let an agent sleep for some minutes.

        Args:
            agent: Who is to sleep
            minutes: For how long
        """
        until = self.client.front_desk.now() + timedelta(minutes=minutes)
        await self.act(interaction, Sleep(until=until), subject=agent.id)

    @app_commands.command()
    async def pause(self, interaction: Interaction, agent: AgentArg, reason: str = "") -> None:
        """Pause an agent: it has no beats until it is resumed.

        Args:
            agent: Whom to pause
            reason: Why, for others to see
        """
        await self.act(interaction, Pause(reason=reason or None), subject=agent.id)

    @app_commands.command()
    async def resume(self, interaction: Interaction, agent: AgentArg) -> None:
        """Let a paused agent go on.

        Args:
            agent: Who may go on
        """
        await self.act(interaction, Resume(), subject=agent.id)

    @app_commands.command()
    async def say(self, interaction: Interaction, agent: AgentArg, message: app_commands.Range[str, 1, 2000]) -> None:
        """Say something as an agent, in its own room.

        Args:
            agent: Who is to say it
            message: What it says
        """
        await self.act(interaction, Say(message=message), subject=agent.id)

    @app_commands.command()
    async def retire(self, interaction: Interaction, agent: AgentArg) -> None:
        """Retire an agent: its room becomes read-only, its history stays, and it can be restored.

        Args:
            agent: Whom to retire
        """
        await self.act(interaction, RetireAgent(agent_id=agent.id))

    @app_commands.command()
    async def restore(self, interaction: Interaction, agent: AgentArg) -> None:
        """Bring a retired agent back.

        Args:
            agent: Whom to bring back
        """
        await self.act(interaction, RestoreAgent(agent_id=agent.id))
