"""What every command promises: it is there, explained, and within Discord's limits."""

import re

import discord
import pytest
from discord import app_commands

from bot.adapters.discord.commands import MANAGERS, CommandSync
from cogs.ui.guide import each_of
from tests.cogs.pages import PAGE, handbook
from tests.cogs.trees import Json, commands_sent, for_everyone, leaves, paths, tree

PROMISED = """
setup start
agent create | edit | clone | retire | restore | delete | show | list | wake | sleep | pause | resume | say
agent scheduled
agent permit | export | import
key create | give | revoke | list
access request | pending | grant | deny | revoke
attention show | set | reset
room info | topic | billboard | wpm | rpm | access | visibility | members | invite | remove | hush | clear
room scheduled
knowledge show | set | delete | history | undo
focus show | set | clear | defaults
plan show | set | clear | undo
hud show | history | format
heartbeat status | pause | resume | interval
usage today | by | budget
person mute | unmute
privacy export | forget-me | ignore-me
audit
search
history
help
"""
MENU = {"Who said this?", "Show the HUD behind this", "Ask again", "Delete and forget", "React as The Architect"}
NAME = re.compile(r"[-_a-z0-9]{1,32}")


def promised() -> set[str]:
    found = set()
    for line in PROMISED.strip().splitlines():
        first, *others = line.split(" | ")
        group, _, _ = first.partition(" ")
        found |= {first, *(f"{group} {name}" for name in others)}
    return found


async def test_every_promised_command_is_there() -> None:
    assert promised() - paths(await commands_sent()) == set()


async def test_each_group_offers_first_what_everybody_may_use_and_then_what_is_used_first() -> None:
    commands = await tree()
    CommandSync.order(commands)
    everyones = await for_everyone()
    offered = [command for command in commands if isinstance(command, app_commands.Group)]
    for group in offered:
        ranks = [command.qualified_name in everyones for command in group.commands]
        assert ranks == sorted(ranks, reverse=True), group.name
    agent = next(one for one in offered if one.name == "agent")
    assert [one.name for one in agent.commands][:5] == ["browse", "list", "show", "create", "edit"]


async def test_a_message_has_its_menu() -> None:
    assert {one["name"] for one in await commands_sent() if one.get("type") == 3} == MENU


async def test_everything_is_explained_within_discords_limits() -> None:
    for path, command in leaves(await commands_sent()):
        if command.get("type") == 3:
            continue
        assert NAME.fullmatch(path[-1]), path
        check_words(path, command)
        names = [option["name"] for option in command.get("options", ())]
        assert len(names) == len(set(names)) <= 25, path
        for option in command.get("options", ()):
            assert NAME.fullmatch(option["name"]), (path, option["name"])
            check_words((*path, option["name"]), option)
            assert len(option.get("choices") or ()) <= 25


def check_words(path: tuple[str, ...], part: Json) -> None:
    words = part["description"]
    assert 3 < len(words) <= 100, path
    assert not words.endswith("…"), f"{path}: cut off, so make it shorter: {words}"


async def test_a_group_has_no_more_commands_than_discord_takes() -> None:
    commands = await commands_sent()
    assert len([one for one in commands if one.get("type", 1) == 1]) <= 100
    assert all(len(one.get("options", ())) <= 25 for one in commands)
    assert {one["name"]: characters(one) for one in commands if characters(one) > 8_000} == {}


def characters(part: Json) -> int:
    """Count what Discord counts of a command: names, descriptions and choices, all the way down."""
    own = len(part["name"]) + len(part.get("description", ""))
    choices = sum(len(one["name"]) + len(str(one["value"])) for one in part.get("choices") or ())
    return own + choices + sum(map(characters, part.get("options", ())))


async def test_what_is_for_everyone_is_there() -> None:
    assert {"help", "agent list", "Who said this?"} <= await for_everyone() <= paths(await commands_sent())


async def test_agents_rooms_keys_requests_and_models_are_suggested() -> None:
    suggested = {"agent", "room", "label", "request", "model", "time_zone"}
    plain = {("key", "create", "label"), ("setup", "moderation", "model")}  # new words, none to choose from
    for path, command in leaves(await commands_sent()):
        for option in command.get("options", ()):
            if option["name"] in suggested and (*path, option["name"]) not in plain:
                assert option.get("autocomplete"), (path, option["name"])


@pytest.mark.parametrize(("to_all", "hidden"), [(False, MANAGERS), (True, None)])
async def test_what_only_managers_need_is_hidden_from_others_unless_a_role_makes_managers(
    to_all: bool, hidden: discord.Permissions | None
) -> None:
    commands = await tree()
    CommandSync.offer(commands, to_all=to_all)
    wanted = {one.name: one.default_permissions for one in commands}
    for name in ("setup", "knowledge", "key", "hud", "audit", "Delete and forget", "Show the HUD behind this"):
        assert wanted[name] == hidden, name
    for name in ("agent", "room", "access", "heartbeat", "privacy", "help", "search", "Who said this?", "Ask again"):
        assert wanted[name] is None, name


async def test_the_page_of_commands_keeps_up() -> None:
    assert handbook(await tree()) in PAGE.read_text(), "`make pages` writes the table of docs/commands.md anew"


async def test_what_one_types_right_after_a_command_goes_where_it_is_meant() -> None:
    first = {one.qualified_name: one.parameters[0].display_name for one in each_of(await tree()) if one.parameters}
    meant = {"agent create": "name", "room billboard": "text", "room topic": "topic", "key create": "label"}
    assert {name: first[name] for name in meant} == meant
