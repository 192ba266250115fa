"""`/hud`: look into an agent's head, as managers may."""

from discord import app_commands

from bot.core.actions import AlterAgent
from bot.core.kinds import InputFormat, OutputFormat
from cogs.arguments import AgentArg
from cogs.base import Group, Interaction, guild_of, managers_only, wait
from cogs.ui.cards import beat_line, beat_summary, beat_text
from cogs.ui.files import text_file


class HudCog(Group, group_name="hud", group_description="See what an agent saw (managers)"):
    """What agents see."""

    @app_commands.command()
    async def show(self, interaction: Interaction, agent: AgentArg) -> None:
        """Show exactly what an agent saw at its last beat, what it answered and what that cost.

        Args:
            agent: Whose head to look into
        """
        managers_only(interaction)
        await wait(interaction)
        beat = await self.desk.last_beat(guild_of(interaction), agent.id)
        file = text_file(f"hud-{agent.id}-beat-{beat.id}.txt", beat_text(beat))
        await self.say(interaction, f"**{agent.name}**\n{beat_summary(beat)}", files=[file])

    @app_commands.command()
    async def history(self, interaction: Interaction, agent: AgentArg) -> None:
        """List an agent's beats: why, what came of each, and what it cost.

        Args:
            agent: Whose beats
        """
        managers_only(interaction)
        beats = await self.desk.beats(guild_of(interaction), agent.id)
        lines = [beat_line(beat) for beat in beats]
        await self.list_out(interaction, f"**Beats of {agent.name}**", lines, empty=f"{agent.name} has not beaten yet.")

    @app_commands.command()
    async def format(
        self,
        interaction: Interaction,
        agent: AgentArg,
        input: InputFormat | None = None,
        output: OutputFormat | None = None,
    ) -> None:
        """Set in which format an agent's HUD is written, and in which it answers.

        Args:
            agent: Whose format
            input: Of the HUD
            output: Of its answers
        """
        await self.act(interaction, AlterAgent(agent_id=agent.id, input_format=input, output_format=output))
