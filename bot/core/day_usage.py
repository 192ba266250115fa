"""What was used, of a day's budget and over time, as managers see it."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import reduce

from bot.core.config import CommunityConfig
from bot.core.keeping import Used
from bot.core.kinds import UsedBy
from bot.core.models import Model
from bot.core.records import AgentId, Usage
from bot.core.spending import Spending, added

SCENE = "scene "  # with its number: what the turns of a closed scene used that goes on
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # by which spreadsheets know what they are to work out


@dataclass(frozen=True, slots=True, kw_only=True)
class DayUsage:
    """A UTC day so far: (beats, usage) by agent, what counts against the budget, and whose models."""

    by_agent: Mapping[AgentId, tuple[int, Usage]]
    spending: Spending
    config: CommunityConfig
    model: Model
    models: Sequence[str]  # that were asked

    @property
    def usd(self) -> Decimal:
        """What is settled and reserved."""
        return self.spending.usd

    @property
    def tokens(self) -> int:
        """What is settled and reserved."""
        return self.spending.tokens


class Period(StrEnum):
    """How far back it is looked."""

    TODAY = "today"
    WEEK = "week"
    MONTH = "month"
    EVER = "ever"


DAYS = {Period.TODAY: 1, Period.WEEK: 7, Period.MONTH: 30}


def first_day(period: Period, today: date) -> date | None:
    """Give the first day of a period that ends today; None: there is none."""
    return today - timedelta(days=DAYS[period] - 1) if period in DAYS else None


def totals(days: Sequence[Used]) -> dict[str, tuple[int, Usage]]:
    """Add up (beats, usage) by key."""
    found: dict[str, list[Used]] = {}
    for one in days:
        found.setdefault(one.key, []).append(one)
    return {
        key: (sum(one.beats for one in some), reduce(added, (one.usage for one in some))) for key, some in found.items()
    }


def as_csv(days: Sequence[Used], by: UsedBy) -> str:
    """Give a table with a line for each day and key, for spreadsheets."""
    told = [field.name for field in fields(Usage)]
    table = io.StringIO()
    lines = csv.writer(table, lineterminator="\n")
    lines.writerow(["day", by, "beats", *told])
    for one in days:
        name = f"'{one.key}" if one.key.startswith(FORMULA) else one.key
        used = replace(one.usage, latency_seconds=round(one.usage.latency_seconds, 1))
        lines.writerow([one.day, name, one.beats, *(getattr(used, each) for each in told)])
    return table.getvalue()
