"""What a person may do, in a few lines: `/help`."""

from collections.abc import Iterable
from typing import Any

from discord import app_commands

FOR_EVERYONE = frozenset(
    {
        "access request",
        "agent list",
        "agent show",
        "heartbeat status",
        "help",
        "history",
        "privacy export",
        "privacy forget-me",
        "privacy ignore-me",
        "room hush",
        "room info",
        "room members",
        "room summaries",
        "search",
    }
)
HEAD = [
    "Every agent lives in a channel of its own: say something there, and it answers. Elsewhere call it by its name.",
    "👍 on its message makes it look around more often, 👎 less; 🛑 silences a room for a while.",
    "Press and hold a message (or right-click it), then Apps: *Who said this?*, *Ask again*.",
]

Any_ = app_commands.Command[Any, Any, Any] | app_commands.Group | app_commands.ContextMenu


def guide(commands: Iterable[Any_], *, manages: bool) -> list[str]:
    """Give how to talk to agents, then each command that the person may use."""
    lines = [
        f"`/{one.qualified_name}` {one.description}"
        for one in sorted(each_of(commands), key=lambda one: one.qualified_name)
        if manages or one.qualified_name in FOR_EVERYONE
    ]
    return [*HEAD, *lines]


def each_of(commands: Iterable[Any_]) -> Iterable[app_commands.Command[Any, Any, Any]]:
    """Give every single command, those of groups too."""
    for one in commands:
        if isinstance(one, app_commands.Group):
            yield from each_of(one.commands)
        elif isinstance(one, app_commands.Command):
            yield one
