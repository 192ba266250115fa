"""How spending slows a community down and lets it rest."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from bot.core.config import CommunityConfig
from bot.core.spending import Limit, day_of, next_day, of_day


@pytest.mark.parametrize(
    ("usd", "stretch", "over"), [("0.79", 1, False), ("0.80", 2, False), ("0.95", 4, False), ("1.00", 4, True)]
)
def test_intervals_grow_before_the_money_is_gone(usd: str, stretch: float, over: bool) -> None:
    spending = of_day((Decimal(usd), 0), CommunityConfig())
    assert (spending.stretch, spending.reached) == (stretch, Limit.BUDGET if over else None)


def test_the_tighter_of_two_limits_counts() -> None:
    spending = of_day((Decimal("0.10"), 96), CommunityConfig(tokens_per_day=100))
    assert not spending.allows_initiative
    assert spending.lacks(usd=Decimal(0), tokens=5) is Limit.BUDGET
    assert spending.lacks(usd=Decimal("0.9"), tokens=4) is None


def test_a_call_must_fit_in_what_is_left() -> None:
    spending = of_day((Decimal("0.99"), 0), CommunityConfig())
    assert spending.lacks(usd=Decimal("0.01"), tokens=10**9) is None
    assert spending.lacks(usd=Decimal("0.0101"), tokens=1) is Limit.BUDGET


def test_without_limits_nothing_is_too_much() -> None:
    spending = of_day((Decimal(1000), 10**9), CommunityConfig(usd_per_day=None))
    assert (spending.share, spending.reached) == (0.0, None)


def test_a_limit_of_nothing_is_always_reached() -> None:
    assert of_day((Decimal(0), 0), CommunityConfig(usd_per_day=Decimal(0))).reached is Limit.BUDGET


def test_days_are_utc_days() -> None:
    late = datetime(2026, 11, 20, 23, 30, tzinfo=timezone(timedelta(hours=-2)))
    assert day_of(late).isoformat() == "2026-11-21"
    assert next_day(late) == datetime(2026, 11, 22, tzinfo=UTC)
