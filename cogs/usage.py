"""`/usage`: what the day has used (managers)."""

from decimal import Decimal

from discord import app_commands

from bot.core.options import bounds_of
from bot.core.spent import Spent
from bot.core.wording import counted
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.charts import Used, usage_rows, usage_table
from cogs.ui.money import budget
from cogs.ui.pictures import Bar

LEAST_USD, MOST_USD = bounds_of("usd_per_day")
Usd = app_commands.Range[float, float(LEAST_USD), float(MOST_USD)]
Tokens = app_commands.Range[int, *bounds_of("tokens_per_day")]


class UsageCog(Group, group_name="usage", group_description="What agents use, and what they may (managers)"):
    """Commands on money and tokens."""

    @app_commands.command()
    async def today(self, interaction: Interaction) -> None:
        """Show what today has used of the budget."""
        managers_only(interaction)
        await wait(interaction)
        spent = await self.desk.money.spent_today(guild_of(interaction))
        rows = [Bar(label="Budget used", share=spent.spending.share, note=f"{spent.spending.share:.1%}")]
        await self.draw_out(interaction, "Usage today (UTC)", rows, spent_lines(spent))

    @app_commands.command(name="by-agent")
    async def agents(self, interaction: Interaction) -> None:
        """Show what each agent has used today."""
        managers_only(interaction)
        await wait(interaction)
        guild_id = guild_of(interaction)
        spent = await self.desk.money.spent_today(guild_id)
        agents = {agent.id: agent for agent in await self.desk.agents.everyone(guild_id)}
        names = {id: agents[id].name if id in agents else f"agent {id}" for id in spent.by_agent}
        used: dict[str, Used] = {names[id]: each for id, each in spent.by_agent.items()}
        models = {names[id]: [agents[id].model] for id in spent.by_agent if id in agents}
        table = usage_table(used, spent.model, models)
        await self.draw_out(interaction, "Usage today by agent", usage_rows(used), table)

    @app_commands.command(name="by-format")
    async def formats(self, interaction: Interaction) -> None:
        """Show what each HUD format has used today."""
        managers_only(interaction)
        await wait(interaction)
        spent = await self.desk.money.spent_today(guild_of(interaction))
        models = dict.fromkeys(spent.by_format, spent.models)
        rows, table = usage_rows(spent.by_format), usage_table(spent.by_format, spent.model, models)
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
            await self.desk.community.configure(guild_id, who, usd_per_day=str(Decimal(str(usd_per_day))))
        if tokens_per_day is not None:
            await self.desk.community.configure(guild_id, who, tokens_per_day=tokens_per_day or None)
        _, config = await self.desk.community.settings(guild_id)
        source, _ = await self.desk.providers.sources(guild_id)
        tokens = counted(config.tokens_per_day, "token") if config.tokens_per_day else "no limit in tokens"
        await self.say(interaction, f"A day may cost {budget(config.usd_per_day, source)}, with {tokens}.")


def spent_lines(spent: Spent) -> list[str]:
    """Give what the day used beside its limits."""
    may = budget(spent.config.usd_per_day, spent.model.source)
    unknown = [f"What {name} costs is unknown." for name in spent.models if not spent.model.price_is_known(name)]
    limit = spent.config.tokens_per_day
    tokens = f"{spent.tokens:,} tokens, without a limit" if limit is None else f"{spent.tokens:,} of {limit:,} tokens"
    beats = sum(count for count, _ in spent.by_agent.values())
    return [f"{spent.usd:.4f} of {may}", tokens, counted(beats, "beat"), *unknown]
