"""`/usage`: what the day has used (managers)."""

from decimal import Decimal

from discord import app_commands

from bot.core.spending import of_day
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.cards import counted
from cogs.ui.charts import Used, usage_rows, usage_table
from cogs.ui.pictures import Bar

Usd = app_commands.Range[float, 0.0, 10_000.0]
Tokens = app_commands.Range[int, 0, 10**12]


class UsageCog(Group, group_name="usage", group_description="What agents use, and what they may (managers)"):
    """Commands on money and tokens."""

    @app_commands.command()
    async def today(self, interaction: Interaction) -> None:
        """Show what today has used of the budget."""
        managers_only(interaction)
        await wait(interaction)
        spent = await self.desk.spent_today(guild_of(interaction))
        limits = spent.config
        share = of_day((spent.usd, spent.tokens), limits).share
        usd = of_limit(f"{spent.usd:.4f}", limits.usd_per_day, "USD")
        tokens = of_limit(f"{spent.tokens:,}", limits.tokens_per_day, "tokens")
        rows = [Bar(label="Budget used", share=float(share), note=f"{share:.1%}")]
        beats = sum(count for count, _ in spent.by_agent.values())
        await self.draw_out(interaction, "Usage today (UTC)", rows, [usd, tokens, counted(beats, "beat")])

    @app_commands.command(name="by-agent")
    async def agents(self, interaction: Interaction) -> None:
        """Show what each agent has used today."""
        managers_only(interaction)
        await wait(interaction)
        guild_id = guild_of(interaction)
        spent = await self.desk.spent_today(guild_id)
        names = {agent.id: agent.name for agent in await self.desk.agents(guild_id)}
        used: dict[str, Used] = {names.get(id, f"agent {id}"): each for id, each in spent.by_agent.items()}
        await self.draw_out(interaction, "Usage today by agent", usage_rows(used), usage_table(used))

    @app_commands.command(name="by-format")
    async def formats(self, interaction: Interaction) -> None:
        """Show what each HUD format has used today."""
        managers_only(interaction)
        await wait(interaction)
        spent = await self.desk.spent_today(guild_of(interaction))
        rows, table = usage_rows(spent.by_format), usage_table(spent.by_format)
        await self.draw_out(interaction, "Usage today by format", rows, table)

    @app_commands.command()
    async def budget(
        self, interaction: Interaction, usd_per_day: Usd | None = None, tokens_per_day: Tokens | None = None
    ) -> None:
        """Show or set what a UTC day may cost; 0 tokens means no limit in tokens.

        Args:
            usd_per_day: In USD
            tokens_per_day: In tokens
        """
        managers_only(interaction)
        await wait(interaction)
        guild_id, who = guild_of(interaction), person(interaction)
        if usd_per_day is not None:
            await self.desk.configure(guild_id, who, usd_per_day=str(Decimal(str(usd_per_day))))
        if tokens_per_day is not None:
            await self.desk.configure(guild_id, who, tokens_per_day=tokens_per_day or None)
        _, config = await self.desk.community(guild_id)
        tokens = f"{config.tokens_per_day:,} tokens" if config.tokens_per_day else "no limit in tokens"
        await self.say(interaction, f"A day may cost {config.usd_per_day} USD, with {tokens}.")


def of_limit(used: str, limit: Decimal | int | None, unit: str) -> str:
    """Word what was used of a limit, if there is one."""
    return f"{used} {unit}, without a limit" if limit is None else f"{used} of {limit:,} {unit}"
