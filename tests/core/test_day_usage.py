"""What was used, over time."""

import csv
import io
from datetime import date
from decimal import Decimal

from bot.core.day_usage import Period, as_csv, first_day, totals
from bot.core.keeping import Used
from bot.core.kinds import UsedBy
from bot.core.records import Usage

MONDAY, TUESDAY = date(2026, 11, 16), date(2026, 11, 17)
SOME = Usage(input_tokens=10, cached_tokens=4, output_tokens=2, cost_usd=Decimal("0.5"), latency_seconds=1.0499999)
DAYS = [
    Used(day=MONDAY, key="Wren", beats=2, usage=SOME),
    Used(day=TUESDAY, key="Wren", beats=1, usage=SOME),
    Used(day=TUESDAY, key="=HYPERLINK(1)", beats=1, usage=SOME),
]


def test_a_week_ends_today_and_ever_has_no_beginning() -> None:
    assert [first_day(one, TUESDAY) for one in Period] == [TUESDAY, date(2026, 11, 11), date(2026, 10, 19), None]


def test_days_add_up() -> None:
    beats, usage = totals(DAYS)["Wren"]
    assert (beats, usage.input_tokens, usage.cached_tokens, usage.cost_usd) == (3, 20, 8, Decimal("1.0"))


def test_a_table_has_a_line_for_each_day_and_nothing_that_a_spreadsheet_would_work_out() -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv(DAYS, UsedBy.AGENT))))
    assert [(line["day"], line["agent"], line["beats"], line["cost_usd"]) for line in lines] == [
        ("2026-11-16", "Wren", "2", "0.5"),
        ("2026-11-17", "Wren", "1", "0.5"),
        ("2026-11-17", "'=HYPERLINK(1)", "1", "0.5"),
    ]
    assert {line["latency_seconds"] for line in lines} == {"1.0"}
