"""What a person may do, by matter: `/help`."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Self

import discord
from discord import app_commands

from cogs.ui.again import MOST_OPTIONS, Interaction, Item, Lasting, chosen

FOR_EVERYONE: Final = {"for": "everyone"}
"""The `extras` of a command that is not for managers alone."""
HEAD = [
    "Every agent lives in a channel of its own: say something there, and it answers. Elsewhere call it by its name.",
    "👍 on its message makes it look around more often, 👎 less; 🛑 silences a room for a while.",
    "Press and hold a message (or right-click it), then Apps: *Who said this?*, *Ask again*.",
]
FIRST: Final = ("agent list", "talk agent", "scene list", "access request", "search", "privacy export")
FIRST_FOR_MANAGERS: Final = ("agent create", "agent list", "agent show", "scene start", "usage budget", "setup start")
LOOKING_BACK: Final = "looking back"
TITLES: Final = {LOOKING_BACK: "Find what was said and changed"}
LONGEST = 4_000  # characters of a card

Command = app_commands.Command[Any, Any, Any]
Entry = Command | app_commands.Group | app_commands.ContextMenu


def front(commands: Sequence[Entry], *, manages: bool) -> str:
    """Give how to talk to agents, and what one uses first."""
    named = {one.qualified_name: one for one in each_of(commands)}
    first = [_line(named[name]) for name in (FIRST_FOR_MANAGERS if manages else FIRST)]
    return "\n".join(["**What you can do with Selfroom**", *HEAD, "", "**To begin with**", *first])


def matters(commands: Iterable[Entry], *, manages: bool) -> dict[str, tuple[str, list[str]]]:
    """Give by matter what it is about, and a line for each command of it that the person may use."""
    found: dict[str, tuple[str, list[str]]] = {}
    for one in commands:
        lines = [_line(each) for each in each_of([one]) if manages or is_for_everyone(each)]
        name = one.name if isinstance(one, app_commands.Group) else LOOKING_BACK
        about = TITLES.get(name) or str(getattr(one, "description", ""))
        if lines:
            found.setdefault(name, (about.removesuffix(" (managers)"), []))[1].extend(lines)
    return found


def _line(one: Command) -> str:
    return f"`/{one.qualified_name}` {one.description}"


class MatterSelect(Lasting, template="help"):
    """Shows the commands of one matter to whoever chooses it."""

    @classmethod
    def drawn(cls, commands: Iterable[Entry], *, manages: bool) -> Self:
        """Give the select as Discord shows it."""
        options = [
            discord.SelectOption(label=name.capitalize(), value=name, description=about[:100])
            for name, (about, _) in matters(commands, manages=manages).items()
        ]
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id="help", options=options[:MOST_OPTIONS], placeholder="All commands about …"
        )
        return cls(select)  # type: ignore[arg-type]  # a select is pressed as a button is

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item)  # type: ignore[arg-type]

    async def pressed(self, interaction: Interaction) -> None:
        """Show what the person may use now."""
        commands, name = interaction.client.tree.get_commands(), "".join(chosen(interaction)[:1])
        manages = interaction.client.person(interaction.user).is_architect
        about, lines = matters(commands, manages=manages).get(name, ("Nothing of this is for you any more.", []))
        card = discord.Embed(title=about, description="\n".join(lines)[:LONGEST])
        await interaction.response.edit_message(content=None, embed=card, view=help_view(commands, manages=manages))


def help_view(commands: Iterable[Entry], *, manages: bool) -> discord.ui.View:
    """Give what one may ask more about."""
    view = discord.ui.View(timeout=None)
    view.add_item(MatterSelect.drawn(commands, manages=manages))
    view.stop()
    return view


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
