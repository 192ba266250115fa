"""Slash commands in the languages of those who read them, brought to a server only when they have changed."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

import discord
import structlog
from discord import app_commands
from discord.app_commands import TranslationContextLocation as At
from discord.app_commands import TranslationContextTypes, locale_str

from bot.core.changes import SetOverride
from bot.core.ports import Store
from bot.core.records import Community
from bot.languages import CHOICE, COMMAND, LOCKED, MENU, OPTION, fingerprint, translation

SYNCED = "synced_commands"
ROLE = "architect_role_id"  # of those who may do what managers may, of whom Discord's own defaults know nothing
MANAGERS = discord.Permissions(manage_guild=True)
# whatever they take and give
Command = app_commands.Command[Any, Any, Any] | app_commands.Group | app_commands.ContextMenu
CONTEXTS = {At.command_name: COMMAND, At.group_name: COMMAND, At.parameter_name: OPTION, At.choice_name: CHOICE}
Tree = app_commands.CommandTree[Any]  # of a client of any kind
log = structlog.get_logger(__name__)


class CommandSync:
    """Keeps the hash of the commands that a server has, in all languages, and sends them when it differs."""

    def __init__(self, tree: Tree, store: Store) -> None:
        self._tree = tree
        self._store = store

    @staticmethod
    def offer(commands: Sequence[Command], *, to_all: bool) -> None:
        """Have Discord offer what is for managers alone to nobody else, unless a role makes managers of others."""
        for command in commands:
            shared = to_all or any(map(_is_for_everyone, _parts(command)))
            command.default_permissions = None if shared else MANAGERS

    @staticmethod
    def order(commands: Sequence[Command]) -> None:
        """Have each group begin with what is for everyone: Discord offers a group whole, or not at all."""
        for group in (one for one in commands if isinstance(one, app_commands.Group)):
            for command in sorted(group.commands, key=lambda one: not any(map(_is_for_everyone, _parts(one)))):
                group.remove_command(command.name)
                group.add_command(command)

    @staticmethod
    def mark(commands: Sequence[Command]) -> None:
        """Mark what is for managers alone in groups that Discord offers to everybody for what else is in them."""
        for group in (one for one in commands if isinstance(one, app_commands.Group)):
            parts = [one for one in _parts(group) if isinstance(one, app_commands.Command)]
            if any(map(_is_for_everyone, parts)):
                for one in parts:
                    said = one.description.removeprefix(LOCKED)
                    one.description = said if _is_for_everyone(one) else f"{LOCKED}{said}"

    @staticmethod
    def word(commands: Sequence[Command]) -> None:
        """Have choices that discord.py names as the members of an enum are in code read as words."""
        for command in (part for one in commands for part in _parts(one)):
            for parameter in command.parameters if isinstance(command, app_commands.Command) else ():
                for choice in parameter.choices:
                    if choice.name.isupper():
                        choice.name = choice.name.lower().replace("_", " ")

    async def bring_up_to_date(self, guild: discord.Guild, community: Community) -> bool:
        """Send the commands if the server has others; gives whether it was needed."""
        self._tree.copy_global_to(guild=guild)
        self.order(self._tree.get_commands(guild=guild))
        self.mark(self._tree.get_commands(guild=guild))
        self.word(self._tree.get_commands(guild=guild))
        self.offer(self._tree.get_commands(guild=guild), to_all=bool(community.overrides.get(ROLE)))
        commands = [command.to_dict(self._tree) for command in self._tree.get_commands(guild=guild)]
        said = json.dumps([commands, fingerprint()], sort_keys=True, default=str)
        digest = hashlib.sha256(said.encode()).hexdigest()[:16]
        if community.overrides.get(SYNCED) == digest:
            return False
        await self._tree.sync(guild=guild)  # it reads and translates the commands before it waits for anything
        async with self._store.writing(community.id) as write:
            await write.apply(community.id, [SetOverride(name=SYNCED, value=digest)])
        log.info("commands put into a server", server=guild.name, commands=len(commands))
        return True


class CommandTranslator(app_commands.Translator):
    """discord.py's translator over our catalogues; it waits for nothing."""

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: TranslationContextTypes
    ) -> str | None:
        """Give a name or description in a language, None where it stays English."""
        if context.location is At.choice_name:  # `CommandSync.word` may have put it in other words
            return translation(locale.value, context.data.name, CHOICE)
        if context.location is At.command_description and context.data.description.startswith(LOCKED):
            said = translation(locale.value, string.message)
            return f"{LOCKED}{said}" if said else None
        is_menu = isinstance(context.data, app_commands.ContextMenu)
        return translation(locale.value, string.message, MENU if is_menu else CONTEXTS.get(context.location, ""))


def _is_for_everyone(command: Command) -> bool:
    return bool(command.extras.get("for") == "everyone")


def _parts(command: Command) -> Iterator[Command]:
    """Give a command, or all that are in a group."""
    if isinstance(command, app_commands.Group):
        for one in command.commands:
            yield from _parts(one)
    else:
        yield command
