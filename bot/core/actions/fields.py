"""The kinds of parameters that actions have, read leniently and then held to their limits."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StringConstraints

from bot.core.actions.aims import AN_ID, Aim
from bot.core.records import ARCHITECT_ID, ARCHITECT_NAME
from bot.core.storable import cleaned

LARGEST_ID = 2**31 - 1  # ids are counted, and no database of ours holds larger ones
LARGEST_DISCORD_ID = 2**63 - 1
LONGEST_TEXT = 20_000  # of a message
LONGEST_LINE = 2_000
LARGEST_FILE = 200_000  # bytes of a file


def a_number(value: object) -> object:
    """Refuse `true` and `false` where a number is meant, and take `#12` for 12."""
    if isinstance(value, bool):
        raise ValueError("give a number")
    return value.strip().removeprefix("#") if isinstance(value, str) else value


def as_text(value: object) -> object:
    """Take a number for the text that it is."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def in_utc(moment: datetime) -> datetime:
    """Give the moment in UTC; without an offset it is UTC already."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("give a date within this century") from error


def printable(text: str) -> str:
    """Refuse characters that cannot be seen."""
    if not text.isprintable():
        raise ValueError("use printable characters only")
    return text


def fitting(text: str) -> str:
    """Refuse what would be too large as a file."""
    if len(text.encode("utf-8", "replace")) > LARGEST_FILE:
        raise ValueError(f"give at most {LARGEST_FILE // 1_000} kB")
    return text


def an_agents(value: object) -> object:
    """Refuse the id that stands for people."""
    if str(value).strip() == str(ARCHITECT_ID):
        raise ValueError(f"{ARCHITECT_ID} is {ARCHITECT_NAME}, who is no agent: speak to them in a room")
    return value


def percent(value: object) -> object:
    """Give attention as `"40"`, or as `"%*"` for dynamic."""
    text = str(value).strip().replace(" ", "").lower()
    if text in {"%*", "*", "*%", "dynamic"}:
        return "%*"
    number = text.removesuffix("%").removesuffix(".0")
    if not (number.isascii() and number.isdigit()) or int(number[:4]) > 100:
        raise ValueError('give "0" to "100", or "%*" for dynamic')
    return str(int(number))


Id = Annotated[int, BeforeValidator(a_number), Field(ge=1, le=LARGEST_ID), AN_ID]
DiscordId = Annotated[int, BeforeValidator(a_number), Field(ge=1, le=LARGEST_DISCORD_ID), AN_ID]
RoomRef = Annotated[Id, Aim.ROOM]
MessageRef = Annotated[Id, Aim.MESSAGE]
AgentRef = Annotated[Id, BeforeValidator(an_agents), Aim.AGENT]
PersonRef = Annotated[DiscordId, Aim.PERSON]
RequestRef = Annotated[Id, Aim.REQUEST]
ScheduledRef = Annotated[Id, Aim.SCHEDULED]
SummaryRef = Annotated[Id, Aim.SUMMARY]
ChangeRef = Annotated[Id, Aim.CHANGE]
SceneRef = Annotated[Id, Aim.SCENE]
Point = Annotated[Id, Aim.POINT]
Count = Annotated[int, BeforeValidator(a_number), Field(ge=1, le=50)]
Number = Annotated[float, BeforeValidator(a_number), Field(allow_inf_nan=False)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_LINE)]
LONGEST_PATH = 1_500
Path = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PATH)]
LONGEST_PROMPT = 8_000
Prompt = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PROMPT)]
FileText = Annotated[str, StringConstraints(min_length=1, max_length=LARGEST_FILE), AfterValidator(fitting)]
UtcTime = Annotated[datetime, AfterValidator(in_utc)]
Secret = Annotated[str, StringConstraints(min_length=4, max_length=64), AfterValidator(printable)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=64), AfterValidator(printable)]
Percent = Annotated[str, BeforeValidator(percent)]
Anything = Annotated[JsonValue, AfterValidator(cleaned)]  # JSON in a text is read after the answer was cleaned
