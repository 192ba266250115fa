"""What a person may do, by matter: `/help`."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Self

import discord
from discord import app_commands

from bot.core.sentences import Sentence
from bot.languages import LOCKED, command_path, spoken
from bot.languages.shown import speak_view
from cogs.ui.again import MOST_OPTIONS, Interaction, Item, Lasting, chosen

FOR_EVERYONE: Final = {"for": "everyone"}
"""The `extras` of a command that is not for managers alone."""
HEAD = [
    Sentence("**What you can do with Selfroom**"),
    Sentence(
        "Every agent lives in a channel of its own: say something there, and it answers. Elsewhere call it by its name."
    ),
    Sentence("👍 on its message makes it look around more often, 👎 less; 🛑 silences a room for a while."),
    Sentence("Press and hold a message (or right-click it), then Apps: *Who said this?*, *Ask again*."),
    "",
    Sentence("**To begin with**"),
]
FIRST: Final = ("agent list", "talk agent", "scene list", "access request", "search", "privacy export")
FIRST_FOR_MANAGERS: Final = ("agent create", "agent list", "agent show", "scene start", "usage budget", "setup start")
LOOKING_BACK: Final = Sentence("looking back")
FOR_MANAGERS = re.compile(r" ?[（(][^（()）]+[)）]$")  # at the end of a group's description
TITLES: Final[dict[str, Sentence]] = {LOOKING_BACK: Sentence("Find what was said and changed")}
NOTHING_LEFT = Sentence("Nothing of this is for you any more.")
LONGEST = 4_000  # characters of a card

Command = app_commands.Command[Any, Any, Any]  # whatever it takes and gives
Entry = Command | app_commands.Group | app_commands.ContextMenu


def front(commands: Sequence[Entry], *, manages: bool, locale: str) -> str:
    """Give how to talk to agents, and what one uses first, in a language."""
    named = {one.qualified_name: one for one in each_of(commands)}
    first = [_line(named[name], locale) for name in (FIRST_FOR_MANAGERS if manages else FIRST)]
    return "\n".join([*(spoken(one, locale) for one in HEAD), *first])


def matters(commands: Iterable[Entry], *, manages: bool, locale: str) -> dict[str, tuple[str, list[str]]]:
    """Give by matter what it is about, and a line for each command of it that the person may use, in a language."""
    found: dict[str, tuple[str, list[str]]] = {}
    for one in commands:
        lines = [_line(each, locale) for each in each_of([one]) if manages or is_for_everyone(each)]
        name = one.name if isinstance(one, app_commands.Group) else LOOKING_BACK
        about = spoken(TITLES.get(name) or Sentence(str(getattr(one, "description", ""))), locale)
        if lines:
            found.setdefault(name, (FOR_MANAGERS.sub("", about), []))[1].extend(lines)
    return found


def _line(one: Command, locale: str) -> str:
    said = spoken(Sentence(one.description.removeprefix(LOCKED)), locale)
    return f"`/{command_path(one.qualified_name, locale)}` {said}"


class MatterSelect(Lasting, template="help"):
    """Shows the commands of one matter to whoever chooses it."""

    @classmethod
    def drawn(cls, commands: Iterable[Entry], *, manages: bool, locale: str) -> Self:
        """Give the select as Discord shows it."""
        options = [
            discord.SelectOption(label=_matter(name, locale), value=name, description=about[:100])
            for name, (about, _) in matters(commands, manages=manages, locale=locale).items()
        ]
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id="help", options=options[:MOST_OPTIONS], placeholder=Sentence("All commands about …")
        )
        return cls(select)  # type: ignore[arg-type]  # a select is pressed as a button is

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item)  # type: ignore[arg-type]

    async def pressed(self, interaction: Interaction) -> None:
        """Show what the person may use now."""
        commands, name = interaction.client.tree.get_commands(), "".join(chosen(interaction)[:1])
        manages = interaction.client.person(interaction.user).is_architect
        locale = interaction.locale.value
        found = matters(commands, manages=manages, locale=locale)
        about, lines = found.get(name, (spoken(NOTHING_LEFT, locale), []))
        card = discord.Embed(title=about, description="\n".join(lines)[:LONGEST])
        await interaction.response.edit_message(
            content=None, embed=card, view=help_view(commands, manages=manages, locale=locale)
        )


def help_view(commands: Iterable[Entry], *, manages: bool, locale: str) -> discord.ui.View:
    """Give what one may ask more about."""
    view = discord.ui.View(timeout=None)
    view.add_item(MatterSelect.drawn(commands, manages=manages, locale=locale))
    view.stop()
    speak_view(view, locale)
    return view


def _matter(name: str, locale: str) -> str:
    return (spoken(LOOKING_BACK, locale) if name == LOOKING_BACK else command_path(name, locale)).capitalize()


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
