"""Discord's markup for mentions, channels, emoji and times, turned into names that anyone can read."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What ids stand for in one server; users by username, channels and roles by name."""

    users: Mapping[int, str] = field(default_factory=dict)
    roles: Mapping[int, str] = field(default_factory=dict)
    channels: Mapping[int, str] = field(default_factory=dict)


_TOKEN = re.compile(
    r"<(?:"
    r"@!?(?P<user>\d{1,20})"
    r"|@&(?P<role>\d{1,20})"
    r"|#(?P<channel>\d{1,20})"
    r"|a?:(?P<emoji>\w{1,64}):\d{1,20}"
    r"|t:(?P<time>-?\d{1,17})(?::(?P<style>[tTdDfFRsS]))?"
    r"|/(?P<command>[^:<>\n]{1,100}):\d{1,20}"
    r")>"
)
_STYLES = {"t": "%H:%M UTC", "T": "%H:%M:%S UTC", "d": "%Y-%m-%d", "D": "%Y-%m-%d"}


def _user(value: str, names: Names) -> str:
    return f"@{names.users.get(int(value), 'someone')}"


def _role(value: str, names: Names) -> str:
    return f"@{names.roles.get(int(value), 'a-role')}"


def _channel(value: str, names: Names) -> str:
    return f"#{names.channels.get(int(value), 'a-channel')}"


_NAMED: Mapping[str, Callable[[str, Names], str]] = {
    "user": _user,
    "role": _role,
    "channel": _channel,
    "emoji": lambda value, _: f":{value}:",
    "command": lambda value, _: f"/{value}",
}


def _time(match: re.Match[str]) -> str:
    try:
        moment = datetime.fromtimestamp(int(match["time"]), UTC)
    except (OverflowError, OSError, ValueError):
        return match[0]
    return moment.strftime(_STYLES.get(match["style"] or "f", "%Y-%m-%d %H:%M UTC"))


def readable(content: str, names: Names) -> str:
    """Give the text with every piece of Discord's markup replaced by what a person sees there."""

    def shown(match: re.Match[str]) -> str:
        if match["time"] is not None:
            return _time(match)
        kind = match.lastgroup or ""
        return _NAMED[kind](match[kind], names)

    return _TOKEN.sub(shown, content)
