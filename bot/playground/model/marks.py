"""The marks by which the lines of a `text` HUD are told apart, and the small values inside them."""

import json
import re
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

STRING = r'"(?:[^"\\]|\\.)*"'
MAJOR = re.compile(r"^={20,}$")
MINOR = re.compile(r"^-{20,}$")
AGENT = re.compile(r"^AGENT \d+: (?P<name>.*) \(ID: (?P<id>\d+)(?:, .*)?\)$")
SECTION = re.compile(r"^>>> (?P<title>.+?) <<<$")
ROOM = re.compile(r"^--- Room: (?P<name>.*) \(ID: (?P<id>\d+)\) ---$")
DAY = re.compile(r"^-- (?P<day>\d{4}-\d{2}-\d{2}) --$")
MESSAGE = re.compile(
    r"^\[(?P<id>\d+) (?P<clock>\d{2}:\d{2})\] "
    r"(?P<sender>@[^:]{0,400}|\d+|System|The Architect(?: \([^()]*\))?): (?P<text>.*)$"
)
NOTES = re.compile(r"\([^()]*\)(?: \([^()]*\))*")
DEED = re.compile(r"^\[(?P<at>[^\]]+)\] (?P<kind>\w+)(?:: (?P<text>.*))?$")
FIELD = re.compile(r"^(?P<key>[A-Za-z][\w ]{0,40}?): ?(?P<value>.*)$")
ENTRY = re.compile(r"^(?P<id>\d+) (?P<name>.+?)(?: \(\w+, (?P<access>\w+)\)(?:: (?P<topic>.*))?)?$")
SEAT = re.compile(r"^(?P<room>\d+) .*: attention_pct .*?(?:, messages from (?P<first>\d+))?$")
KNOCK = re.compile(rf"request (?P<id>\d+) from (?P<who>.+?) with key {STRING}(?:; |$)")
LOOKUP = re.compile(r"^- (?P<question>.*?): (?P<answer>[\"\[{\d-].*|null|true|false)$")


def tail_of(text: str) -> tuple[str, int | None]:
    """The words of a message without the notes behind two spaces, and the message it replies to."""
    words, gap, notes = text.rpartition("  (")
    if not gap or not NOTES.fullmatch(f"({notes}"):
        return text, None
    reply_to = re.match(r"re (\d+)\)", notes)
    return words, int(reply_to[1]) if reply_to else None


def unescaped(text: str) -> str:
    """Line breaks as they were said; other control characters become spaces."""
    text = re.sub(r"\\([nrt])", lambda found: {"n": "\n", "r": "\n", "t": "\t"}[found[1]], text)
    return re.sub(r"\\u00[01][0-9a-f]", " ", text)


def unquoted(value: str) -> str:
    """The words of a value that may be a JSON string."""
    try:
        read = json.loads(value)
    except ValueError:
        return value.strip()
    return read if isinstance(read, str) else value.strip()


def moment(text: str) -> datetime | None:
    """The UTC time in a text that begins with one such as `2026-11-20 10:31:22`."""
    found = re.match(r"\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)", text)
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def now_in(text: str, zone: str = "") -> datetime | None:
    """The time of a call in the community's own zone, when that is named there: `… UTC (11:31 Europe/Berlin)`."""
    now, named = moment(text), re.search(r"\(\d{2}:\d{2} ([A-Za-z][\w/+-]*)\)", text)
    zone = named[1] if named else zone
    try:
        return now.astimezone(ZoneInfo(zone)) if now and zone else now
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return now


def day_in(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def clock_on(day: date | None, clock: str) -> datetime | None:
    """The moment of a line that shows only hours and minutes below its day's line."""
    try:
        return None if day is None else datetime.combine(day, time.fromisoformat(clock), tzinfo=UTC)
    except ValueError:
        return None
