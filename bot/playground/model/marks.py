"""The marks by which the lines of a `text` HUD are told apart, and the small values inside them."""

import re
from datetime import UTC, date, datetime, time, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

AGENT = re.compile(r"^[-=\s]*AGENT \d+: (?P<name>.+?) \(ID: (?P<id>\d+)(?:, [^()]*)?\)[-=\s]*$")
SECTION = re.compile(r"^\s*>>> (?P<title>.+?) <<<\s*$")
ROOM = re.compile(r"^\s*--- Room: (?P<name>.*?) \(ID: (?P<id>\d+)\)(?P<rest>.*?)---\s*$")
MAJOR = re.compile(r"^={4,}\s*(?P<title>[^=].*?)?\s*=*$")
DAY = re.compile(r"^-- (?P<day>\d{4}-\d{2}-\d{2}) --$")
MESSAGE = re.compile(
    r"^\[(?P<id>\d+) (?P<clock>\d{1,2}:\d{2}(?::\d{2})?)\] "
    r"(?P<sender>@[^:]{0,80}|\d+|System|The Architect(?: \([^()]*\))?): ?(?P<text>.*)$"
)
DEED = re.compile(r"^\[(?P<at>\d{4}-\d{2}-\d{2}[ T][\d:]+[^\]]*)\] (?P<kind>\w+)(?::\s*| - |\s*$)(?P<text>.*)$")
FIELD = re.compile(r"^\s*(?P<key>[A-Za-z][\w .%'-]{0,60}?): ?(?P<value>.*)$")
NOTES = re.compile(r"\([^()]*\)(?: \([^()]*\))*")


def tail_of(text: str) -> tuple[str, int | None]:
    """The words of a message without the notes behind two spaces, and the message it replies to."""
    words, gap, notes = text.rpartition("  (")
    if not gap or not NOTES.fullmatch(f"({notes}"):
        return text, None
    reply_to = re.search(r"\bre (?:#?)(\d+)\)", notes)
    return words, int(reply_to[1]) if reply_to else None


def unescaped(text: str) -> str:
    """Line breaks and other control characters as they were said."""
    text = re.sub(r"\\([nrt])", lambda found: {"n": "\n", "r": "\n", "t": "\t"}[found[1]], text)
    return re.sub(r"\\u00([01][0-9a-f])", " ", text)


def unquoted(value: str) -> str:
    value = value.strip()
    inside = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    return unescaped(inside.replace('\\"', '"'))


def moment(text: str, zone: tzinfo | None = None) -> datetime | None:
    """A time such as `2026-11-20 10:31:22`, `2026-11-20T10:31Z` or one with words behind it."""
    found = re.search(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?", text)
    if not found:
        return None
    try:
        at = datetime.fromisoformat(f"{found[1]}T{found[2]}{found[3] or ''}")
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=zone or UTC)


def clock_on(day: date | None, clock: str, zone: tzinfo | None) -> datetime | None:
    """The moment of a line that shows only hours and minutes below its day's line."""
    try:
        at = time.fromisoformat(clock.zfill(5))
        return None if day is None else datetime.combine(day, at, tzinfo=zone or UTC)
    except ValueError:
        return None


def zone_named(text: str) -> tzinfo | None:
    found = re.search(r"\b([A-Z][A-Za-z_]+/[A-Za-z_/+-]+\w|UTC)\b", text)
    try:
        return ZoneInfo(found[1]) if found else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
