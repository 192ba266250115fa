"""What a person may do, in a few lines: `/help`."""

from collections.abc import Iterable
from typing import Any, Final

from discord import app_commands

FOR_EVERYONE: Final = {"for": "everyone"}
"""The `extras` of a command that is not for managers alone."""
HEAD = [
    "Every agent lives in a channel of its own: say something there, and it answers. Elsewhere call it by its name.",
    "👍 on its message makes it look around more often, 👎 less; 🛑 silences a room for a while.",
    "Press and hold a message (or right-click it), then Apps: *Who said this?*, *Ask again*.",
]

Command = app_commands.Command[Any, Any, Any]
Entry = Command | app_commands.Group | app_commands.ContextMenu


def guide(commands: Iterable[Entry], *, manages: bool) -> list[str]:
    """Give how to talk to agents, then each command that the person may use."""
    lines = [
        f"`/{one.qualified_name}` {one.description}" for one in each_of(commands) if manages or is_for_everyone(one)
    ]
    return [*HEAD, *lines]


def is_for_everyone(one: Entry) -> bool:
    """Tell whether a command is not for managers alone."""
    return FOR_EVERYONE.items() <= one.extras.items()


def each_of(commands: Iterable[Entry]) -> Iterable[Command]:
    """Give every single command, those of groups too."""
    for one in commands:
        if isinstance(one, app_commands.Group):
            yield from each_of(one.commands)
        elif isinstance(one, app_commands.Command):
            yield one
