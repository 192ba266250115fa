"""What a message says, as text: markup as words, forwarded messages, stickers, polls and attachments too."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import discord

from bot.core.splitting import sound

LONGEST = 10_000  # characters: of a forwarded message and one's own words about it


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What ids stand for in one server; users by username, channels and roles by name."""

    users: Mapping[int, str] = field(default_factory=dict)
    roles: Mapping[int, str] = field(default_factory=dict)
    channels: Mapping[int, str] = field(default_factory=dict)


def text_of(message: discord.Message) -> str:
    """Give all that a message says, readable."""
    said = [readable(message.content, names_in(message))]
    said += [f"(forwarded) {snapshot.content}" for snapshot in message.message_snapshots]
    said += [f"(sticker {sticker.name})" for sticker in message.stickers]
    if message.poll is not None:
        answers = " / ".join(answer.text or "" for answer in message.poll.answers)
        said.append(f"(poll) {message.poll.question}: {answers}")
    return sound("\n".join(part for part in said if part)[:LONGEST])


def names_in(message: discord.Message) -> Names:
    """Give the names that a message's markup needs."""
    guild, content = message.guild, message.content
    if guild is None or "<" not in content:
        return Names()
    return Names(
        users={user.id: user.name for user in message.mentions},
        roles={role.id: role.name for role in guild.roles} if "<@&" in content else {},
        channels={place.id: place.name for place in _places(guild)} if "<#" in content else {},
    )


def _places(guild: discord.Guild) -> Iterator[discord.abc.GuildChannel | discord.Thread]:
    """Give the channels and threads that may be named: a private thread's name is for who is in it."""
    yield from guild.channels
    yield from (thread for thread in guild.threads if not thread.is_private())


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
