"""How times, sizes and fill levels are put into words."""

from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

MEND: Final = "mend: "  # begins the line that asks once more for an answer
FOUND: Final = ">>> LOOKUPS <<<"  # begins what was looked up within the beat
NEVER: Final = "never (just joined)"
ABBREVIATED_FROM, WARNING_FROM, CRITICAL_FROM = 70, 80, 95  # percent of a cap


def timestamp(at: datetime) -> str:
    """Word a time: `2026-11-20 10:31:22`, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def time_since(at: datetime | None, now: datetime) -> str:
    """Word how long ago something was: `30 seconds`, `2 minutes`, `2.5 hours`, `3 days`."""
    if at is None:
        return NEVER
    seconds = max(0, int((now - at).total_seconds()))
    if seconds < 60:
        return plural(seconds, "second")
    if seconds < 3_600:
        return plural(seconds // 60, "minute")
    if seconds < 48 * 3_600:
        hours = f"{seconds / 3_600:.1f}".removesuffix(".0")
        return f"{hours} hour{'' if hours == '1' else 's'}"
    return plural(seconds // 86_400, "day")


def plural(number: int, noun: str) -> str:
    """Word a number of things."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def local_time(now: datetime, zone: str) -> str:
    """Word the community's own time; empty where it is UTC or the zone is not known."""
    try:
        return "" if zone == "UTC" else f"{now.astimezone(ZoneInfo(zone)):%H:%M}"
    except (ZoneInfoNotFoundError, ValueError):
        return ""


def percent(used: int, cap: int) -> int:
    """Give a fill level in whole percent."""
    return round(100 * used / cap) if cap > 0 else 100


def fill_status(fill_percent: int) -> str:
    """Word a fill level on the one scale of the house."""
    if fill_percent >= CRITICAL_FROM:
        return "CRITICAL: almost full, delete or shorten knowledge and focus now"
    if fill_percent >= WARNING_FROM:
        return "WARNING: getting full, tidy up knowledge and focus"
    return "abbreviated" if fill_percent >= ABBREVIATED_FROM else "ok"


def focus_tier(fill_percent: int) -> int:
    """Give how much of the focus is shown: 0 full, 1 abbreviated, 2 minimal."""
    return 2 if fill_percent >= WARNING_FROM else int(fill_percent >= ABBREVIATED_FROM)


def size(size_bytes: int) -> str:
    """Word the size of a file."""
    if size_bytes < 1_024:
        return f"{size_bytes} B"
    return f"{size_bytes / 1_024:.0f} KB" if size_bytes < 1_048_576 else f"{size_bytes / 1_048_576:.1f} MB"
