"""Buttons that use their command again, turned to another page or for sure: they need no memory, so they last.

What was used stands in a button's id. Whoever presses is asked for their rights anew, by the command itself.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import discord
from discord import app_commands

from bot.client import SelfroomClient
from bot.core.errors import NotFound, Rejected
from bot.core.records import Snowflake
from bot.core.sentences import Sentence
from bot.languages import spoken

BREAK = "␟"  # between the parts of an id
ID_CHARACTERS = 100  # Discord's limit
PAGE, SURE = "page", "sure"  # in what an interaction carries along
AGAIN = "again"
REMEMBERED = 1_000
MOST_OPTIONS = 25
UNDER_WAY = Sentence("-# ⏳ On it …")
UNCHANGED = Sentence("Nothing has changed.")

Interaction = discord.Interaction[SelfroomClient]
Item = discord.ui.Item[discord.ui.View]
Slash = app_commands.Command[Any, Any, Any]  # whatever it takes and gives
Raw = Any  # of Discord's own objects
Command = Slash | app_commands.ContextMenu


@dataclass(frozen=True, slots=True)
class Again:
    """A use of a command: its path, and what was given, as `name=value`."""

    path: str
    given: tuple[str, ...] = ()

    @classmethod
    def of(cls, interaction: Interaction) -> Self:
        """Give how a command was used, by hand or by one of these buttons."""
        if AGAIN in interaction.extras:
            used: Self = interaction.extras[AGAIN]
            return used
        data: Raw = interaction.data
        path = interaction.command.qualified_name if interaction.command else ""
        if data.get("target_id"):
            return cls(path, (f"message={interaction.channel_id}/{data['target_id']}",))
        return cls(path, tuple(f"{one['name']}={one['value']}" for one in _options(data)))

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the end of a button's id."""
        path, *given = text.split(BREAK)
        return cls(path, tuple(given))

    def on(self, **targets: int) -> Self:
        """Give the same use on what these ids are, whatever it is called by then."""
        given = dict(one.split("=", 1) for one in self.given) | {name: str(id_) for name, id_ in targets.items()}
        return replace(self, given=tuple(f"{name}={value}" for name, value in given.items()))

    def id(self, what: str, value: str) -> str:
        """Give a button's id; raises Rejected when it is too long for Discord."""
        id_ = BREAK.join([what, value, self.path, *(one.replace(BREAK, " ") for one in self.given)])
        if len(id_) > ID_CHARACTERS:
            raise Rejected(Sentence("That is too much to type: choose agents and rooms from the list that comes up."))
        return id_

    async def run(self, interaction: Interaction) -> None:
        """Use the command as the person who pressed."""
        interaction.extras[AGAIN] = self
        values = dict(one.split("=", 1) for one in self.given)
        menu = interaction.client.tree.get_command(self.path, type=discord.AppCommandType.message)
        if isinstance(menu, app_commands.ContextMenu):
            await _check(interaction, menu)
            await menu.callback(interaction, await _message(interaction, values["message"]))  # type: ignore[arg-type]
            return
        command = _command(interaction, self.path)
        await _check(interaction, command)
        # What reads a command's parameters for Discord itself: there is no public way to it.
        namespace = app_commands.Namespace(interaction, {}, [_option(command, *one) for one in values.items()])
        await _find_members(interaction, command, namespace)
        await command._do_call(interaction, await command._transform_arguments(interaction, namespace))


class Lasting(discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=r"(?!)"):
    """A button that outlives a restart: what it is for stands in its id; what goes wrong in it, the client words."""

    @classmethod
    async def from_custom_id(  # type: ignore[override]
        cls, interaction: Interaction, item: Item, match: re.Match[str], /
    ) -> Self:
        """Read the button again, whoever sent it and whenever."""
        return cls.read(item, match)

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        """Give the button whose id this is."""
        raise NotImplementedError

    async def callback(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Do what the button is for."""
        try:
            await self.pressed(interaction)
        except Exception as error:  # the one place that words errors takes it
            await interaction.client.explain(interaction, error)

    async def pressed(self, interaction: Interaction) -> None:
        """Do what the button is for; may raise."""
        raise NotImplementedError


class PageButton(Lasting, template=rf"page{BREAK}(?P<number>\d+){BREAK}(?P<again>.+)"):
    """Turns to a page of what a command listed."""

    def __init__(self, number: int, again: Again, *, label: str = "", disabled: bool = False) -> None:
        super().__init__(
            discord.ui.Button(
                label=label or Sentence("Page"), custom_id=again.id("page", str(number)), disabled=disabled
            )
        )
        self.number = number
        self.again = again

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(int(match["number"]), Again.read(match["again"]))

    async def pressed(self, interaction: Interaction) -> None:
        """List once more, at this page."""
        interaction.extras[PAGE] = self.number
        await self.again.run(interaction)


class SureButton(Lasting, template=rf"sure{BREAK}(?P<yes>yes|no){BREAK}(?P<again>.+)"):
    """Answers a question that stood before something that cannot be undone; a second press does nothing more."""

    answered: ClassVar[deque[int]] = deque(maxlen=REMEMBERED)  # messages whose buttons are on their way off

    def __init__(self, yes: bool, again: Again, *, label: str = "") -> None:
        style = discord.ButtonStyle.danger if yes else discord.ButtonStyle.secondary
        id_ = again.id("sure", "yes" if yes else "no")
        super().__init__(discord.ui.Button(label=label or Sentence("Leave it"), style=style, custom_id=id_))
        self.yes = yes
        self.again = again

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(match["yes"] == "yes", Again.read(match["again"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Take the buttons off, and use the command for sure."""
        message_id = interaction.message.id if interaction.message else 0
        if message_id in self.answered:
            await interaction.response.defer()
            return
        self.answered.append(message_id)
        if not self.yes:
            await interaction.response.edit_message(content=spoken(UNCHANGED, interaction.locale.value), view=None)
            return
        asked = interaction.message.content if interaction.message else ""
        under_way = spoken(UNDER_WAY, interaction.locale.value)
        await interaction.response.edit_message(content=f"{asked}\n{under_way}", view=None)
        interaction.extras[SURE] = True
        try:
            await self.again.run(interaction)
        finally:
            await interaction.edit_original_response(content=asked)


class UseButton(Lasting, template=rf"use{BREAK}{BREAK}(?P<again>.+)"):
    """Uses a command."""

    def __init__(self, again: Again, *, label: str = "") -> None:
        super().__init__(discord.ui.Button(label=label or Sentence("Use"), custom_id=again.id("use", "")))
        self.again = again

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(Again.read(match["again"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Use the command as whoever pressed."""
        await self.again.run(interaction)


class RoomSelect(Lasting, template=rf"where{BREAK}{BREAK}(?P<again>.+)"):
    """Uses a command again in the room that is chosen."""

    @classmethod
    def drawn(cls, again: Again, rooms: Sequence[tuple[str, int]]) -> Self:
        """Give the select as Discord shows it; `rooms`: names and ids."""
        options = [discord.SelectOption(label=name[:100], value=str(id_)) for name, id_ in rooms[:MOST_OPTIONS]]
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=again.id("where", ""), options=options, placeholder=Sentence("In whose room?")
        )
        return cls(select)  # type: ignore[arg-type]  # a select is pressed as a button is

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item)  # type: ignore[arg-type]

    async def pressed(self, interaction: Interaction) -> None:
        """Use the command there as whoever chose."""
        of, values = self.template.fullmatch(self.custom_id), chosen(interaction)
        if of is None or not values:
            raise Rejected(Sentence("Choose a room."))
        await Again.read(of["again"]).on(room=int(values[0])).run(interaction)


def chosen(interaction: Interaction) -> Sequence[str]:
    """Give what was chosen from a select."""
    data: Mapping[str, object] = {**interaction.data} if interaction.data else {}
    values = data.get("values", [])
    return values if isinstance(values, list) else []


def pager(again: Again, at: int, pages: int) -> discord.ui.View:
    """Give the buttons under page `at` (from 0) of so many."""
    view = discord.ui.View(timeout=None)
    for button in turns(again, at, pages):
        view.add_item(button)
    return view


def turns(again: Again, at: int, pages: int) -> list[PageButton]:
    """Give the buttons that turn back and on."""
    back = PageButton(max(0, at - 1), again, label=Sentence("Back"), disabled=at == 0)
    on = PageButton(
        at + 1, again, label=Sentence("On ({at}/{pages})", at=at + 1, pages=pages), disabled=at >= pages - 1
    )
    return [back, on]


def question(again: Again, label: str) -> discord.ui.View:
    """Give the buttons under a question."""
    view = discord.ui.View(timeout=None)
    view.add_item(SureButton(True, again, label=label if len(label) <= 80 else label[:80]))
    view.add_item(SureButton(False, again))
    return view


def _options(data: Raw) -> list[Raw]:
    """Give the options of the command itself, below the groups it is in."""
    options: list[Raw] = data.get("options", [])
    while options and options[0]["type"] in (1, 2):
        options = options[0].get("options", [])
    return options


async def _check(interaction: Interaction, command: Command) -> None:
    """Ask what Discord's library asks before a command by hand; a confirmation belongs to the use that it confirms."""
    if SURE not in interaction.extras and not await command._check_can_run(interaction):
        raise app_commands.CheckFailure(f"The checks of {command.name} failed.")


def _command(interaction: Interaction, path: str) -> Slash:
    top, *rest = path.split()
    found: Raw = interaction.client.tree.get_command(top)
    for name in rest:
        found = found.get_command(name) if isinstance(found, app_commands.Group) else None
    if not isinstance(found, app_commands.Command):
        raise NotFound(Sentence("There is no command /{path} any more: /help lists those there are.", path=path))
    return found


def _option(command: Slash, name: str, value: str) -> Raw:
    """Give an option as Discord sends it."""
    kind = next((one.type.value for one in command.parameters if one.display_name == name), 3)
    read: dict[int, Callable[[str], object]] = {4: int, 5: "True".__eq__, 10: float}
    return {"name": name, "type": kind, "value": read.get(kind, str)(value)}


async def _find_members(interaction: Interaction, command: Slash, namespace: app_commands.Namespace) -> None:
    """Put members for ids: Discord sends who is named along with a use by hand only. Raises discord.NotFound."""
    for one in command.parameters:
        named = vars(namespace).get(one.display_name)
        if one.type is discord.AppCommandOptionType.user and named is not None and interaction.guild is not None:
            member = interaction.guild.get_member(named.id) or await interaction.guild.fetch_member(named.id)
            vars(namespace)[one.display_name] = member


async def _message(interaction: Interaction, place: str) -> discord.Message:
    channel_id, message_id = (int(id_) for id_ in place.split("/"))
    try:
        channel = await interaction.client.place(Snowflake(interaction.guild_id or 0), Snowflake(channel_id))
        return await channel.fetch_message(message_id)
    except discord.NotFound:
        raise NotFound(Sentence("This message is not there any more.")) from None


def with_button(again: Again, label: str) -> discord.ui.View:
    """Give one button that uses a command."""
    view = discord.ui.View(timeout=None)
    view.add_item(UseButton(again, label=label))
    return view
