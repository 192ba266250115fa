"""The whole command tree, held to Discord's own description of what it takes."""

from collections.abc import Callable

import pytest

from tests.cogs.trees import Json, commands_sent, leaves
from tests.playground.openapi import DESCRIPTION, MISSING, OpenApiCheck, exchange

pytestmark = pytest.mark.skipif(not DESCRIPTION.exists(), reason=MISSING)

PATHS = ("/applications/1/commands", "/applications/1/guilds/2/commands")


def faults(path: str, commands: list[Json]) -> list[str]:
    """Give what does not fit the description when these commands are sent there."""
    check = OpenApiCheck()
    check(exchange("PUT", path, request=commands, response=[]))
    assert check.checked == 1
    return check.violations


def leaf(commands: list[Json], *path: str) -> Json:
    return next(command for names, command in leaves(commands) if names == path)


@pytest.mark.parametrize("path", PATHS)
async def test_discord_takes_every_command(path: str) -> None:
    assert faults(path, await commands_sent()) == []


SPOILED: dict[str, tuple[Callable[[list[Json]], object], str]] = {
    "a description of a command": (
        lambda sent: leaf(sent, "agent", "show").update(description="x" * 101),
        "[maxLength]",
    ),
    "a description of a parameter": (
        lambda sent: leaf(sent, "agent", "show")["options"][0].update(description="x" * 101),
        "[maxLength]",
    ),
    "a name": (lambda sent: leaf(sent, "help").update(name="help" * 9), "[maxLength]"),
    "a name of a choice": (
        lambda sent: leaf(sent, "agent", "create")["options"][1]["choices"][0].update(name="x" * 101),
        "[maxLength]",
    ),
    "no description": (lambda sent: leaf(sent, "agent", "show").pop("description"), "[required]"),
    "a type that there is not": (lambda sent: leaf(sent, "agent", "show")["options"][0].update(type=99), "[enum]"),
    "too many parameters": (
        lambda sent: leaf(sent, "agent", "show").update(options=leaf(sent, "agent", "show")["options"] * 26),
        "[maxItems]",
    ),
}


@pytest.mark.parametrize("what", SPOILED)
async def test_what_discord_would_not_take_is_seen(what: str) -> None:
    commands = [one for one in await commands_sent() if one["name"] in ("agent", "help")]  # the others are in order
    spoil, told = SPOILED[what]
    spoil(commands)
    found = faults(PATHS[1], commands)
    assert any(told in fault for fault in found), found
