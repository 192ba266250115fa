"""The whole command tree, as Discord gets it."""

from collections.abc import Iterator
from typing import Any, cast

from discord import app_commands

from bot.client import SelfroomClient
from bot.engine.front_desk import FrontDesk
from cogs import COGS
from cogs.ui.guide import each_of, is_for_everyone

Json = dict[str, Any]
Command = app_commands.Command[Any, Any, Any] | app_commands.Group | app_commands.ContextMenu


async def tree() -> list[Command]:
    """Give every command with the bot's cogs put in; nobody answers at the desk."""
    client = SelfroomClient()
    client.desk = cast(FrontDesk, None)
    for cog in COGS:
        await client.add_cog(cog(client))
    return client.tree.get_commands()


async def for_everyone() -> set[str]:
    """Give the names of what is not for managers alone: commands, and entries in a message's menu."""
    commands = await tree()
    single: list[Command] = [*each_of(commands)]
    single += [one for one in commands if isinstance(one, app_commands.ContextMenu)]
    return {one.qualified_name for one in single if is_for_everyone(one)}


async def commands_sent() -> list[Json]:
    """Give every command as it is sent to Discord."""
    return [command.to_dict(SelfroomClient().tree) for command in await tree()]


def paths(commands: list[Json]) -> set[str]:
    """Give the names of all commands with their groups."""
    return {" ".join(path) for path, _ in leaves(commands)}


def leaves(commands: list[Json], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Give each single command with the names that lead to it."""
    for one in commands:
        inner = [part for part in one.get("options", ()) if part["type"] in (1, 2)]
        here = (*above, one["name"])
        if inner:
            yield from leaves(inner, here)
        else:
            yield here, one
