"""`/usage`: what was used, today and over time (managers)."""

from decimal import Decimal

from discord import app_commands

from bot.core.day_usage import SCENE, DayUsage, Period, as_csv, totals
from bot.core.kinds import UsedBy
from bot.core.options import bounds_of
from bot.core.sentences import Sentence
from bot.core.wording import counted
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.charts import usage_rows, usage_table
from cogs.ui.files import text_file
from cogs.ui.money import budget
from cogs.ui.pictures import Bar

LEAST_USD, MOST_USD = bounds_of("usd_per_day")
Usd = app_commands.Range[float, float(LEAST_USD), float(MOST_USD)]
WORDS = {
    Period.TODAY: Sentence("today (UTC)"),
    Period.WEEK: Sentence("of 7 days"),
    Period.MONTH: Sentence("of 30 days"),
    Period.EVER: Sentence("since the beginning"),
}
BY = {
    UsedBy.AGENT: Sentence("by agent"),
    UsedBy.ROOM: Sentence("by room"),
    UsedBy.MODEL: Sentence("by model"),
    UsedBy.FORMAT: Sentence("by format"),
}
Tokens = app_commands.Range[int, *bounds_of("tokens_per_day")]


class UsageCog(Group, group_name="usage", group_description="What agents use, and what they may (managers)"):
    """Commands on money and tokens."""

    @app_commands.command()
    async def today(self, interaction: Interaction) -> None:
        """Show what today has used of the budget."""
        managers_only(interaction)
        await wait(interaction)
        spent = await self.desk.money.spent_today(guild_of(interaction))
        rows = [Bar(label=Sentence("Budget used"), share=spent.spending.share, note=f"{spent.spending.share:.1%}")]
        await self.draw_out(interaction, Sentence("Usage today (UTC)"), rows, spent_lines(spent))

    @app_commands.command()
    async def by(self, interaction: Interaction, what: UsedBy, period: Period = Period.TODAY) -> None:
        """Show what was used, by agent, room, model or format, with a table for spreadsheets.

        Args:
            what: By what it is told
            period: Today, the last 7 days, the last 30, or ever (UTC)
        """
        managers_only(interaction)
        await wait(interaction)
        guild_id = guild_of(interaction)
        days, model = await self.desk.money.used(guild_id, what, period)
        used = totals(days)
        models = {name: [name] for name in used if what is UsedBy.MODEL and not name.startswith(SCENE)}
        lines = usage_table(used, model, models)
        title = Sentence("Usage {period} {by}", period=WORDS[period], by=BY[what])
        daily = text_file(f"usage-by-{what}-{period}.csv", as_csv(days, what)) if days else None
        await self.draw_out(interaction, title, usage_rows(used), lines, table=daily)

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
        usd, most = budget(config.usd_per_day, source), config.tokens_per_day
        tokens = counted(most, "token") if most else Sentence("no limit in tokens")
        await self.say(interaction, Sentence("A day may cost {budget}, with {tokens}.", budget=usd, tokens=tokens))


def spent_lines(spent: DayUsage) -> list[str]:
    """Give what the day used beside its limits."""
    may = budget(spent.config.usd_per_day, spent.model.source)
    unknown = [
        Sentence("What {name} costs is unknown.", name=name)
        for name in spent.models
        if not spent.model.price_is_known(name)
    ]
    limit = spent.config.tokens_per_day
    tokens = (
        Sentence("{tokens:,} tokens, without a limit", tokens=spent.tokens)
        if limit is None
        else Sentence("{tokens:,} of {limit:,} tokens", tokens=spent.tokens, limit=limit)
    )
    beats = sum(count for count, _ in spent.by_agent.values())
    return [Sentence("{usd:.4f} of {may}", usd=spent.usd, may=may), tokens, counted(beats, "beat"), *unknown]
