"""`/hud`: look into an agent's head, as managers may."""

import io

import discord
from discord import app_commands

from bot.core.records import Beat
from cogs.base import AgentArg, Group, Interaction, guild_of, managers_only


class HudCog(Group, group_name="hud", group_description="See what an agent saw (managers)"):
    """What agents see."""

    @app_commands.command()
    async def show(self, interaction: Interaction, agent: AgentArg) -> None:
        """Show exactly what an agent saw at its last beat, what it answered and what that cost.

        Args:
            agent: Whose head to look into
        """
        managers_only(interaction)
        await interaction.response.defer(ephemeral=True)
        beat = await self.client.front_desk.last_beat(guild_of(interaction), agent.id)
        text = f"{beat.hud}\n\n==== ANSWER ====\n{beat.answer or beat.failed}\n"
        file = discord.File(io.BytesIO(text.encode()), filename=f"hud-{agent.id}-beat-{beat.id}.txt")
        await interaction.followup.send(f"**{agent.name}**\n{summary(beat)}", file=file, ephemeral=True)


def summary(beat: Beat) -> str:
    """Give the numbers beside a HUD: tokens per section, cost and what came of it."""
    used = beat.usage
    sections = "\n".join(f"`{tokens:>6,}` {name}" for name, tokens in beat.sections)
    outcome = "\n".join(f"- {line}" for line in beat.outcome) or "- nothing: it stayed silent"
    return (
        f"Beat {beat.id}, because of *{beat.reason}*, with {beat.model} "
        f"({beat.agents_in_call} in the call, {used.latency_seconds:.1f} s)\n"
        f"{used.input_tokens:,} tokens in ({used.cached_tokens:,} cached), {used.output_tokens:,} out, "
        f"{used.cost_usd:.5f} USD\n{sections}\n{outcome}"
    )[:1900]
