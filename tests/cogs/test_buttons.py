"""Buttons that use a command again are held to what the command by hand is held to."""

from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from discord import app_commands

from bot.adapters.discord.refusals import explained
from bot.client import SelfroomClient
from bot.engine.front_desk import FrontDesk
from cogs import COGS
from cogs.ui.again import SURE, Again

LIMITED = {"search": ("words=tea",), "history": (), "room summaries": (), "privacy export": ()}


async def client() -> SelfroomClient:
    """Give a client with all commands; nobody answers at the desk."""
    one = SelfroomClient()
    one.desk = cast(FrontDesk, None)
    for cog in COGS:
        await one.add_cog(cog(one))
    return one


def pressed(by: SelfroomClient, user_id: int = 5, **extras: object) -> Any:  # noqa: ANN401 - as much as is looked at
    """Give the press of a button."""
    fields = {"client": by, "_state": None, "guild": None, "guild_id": 1, "created_at": discord.utils.utcnow()}
    return SimpleNamespace(user=SimpleNamespace(id=user_id), extras=dict(extras), **fields)


def found(by: SelfroomClient, path: str) -> app_commands.Command[Any, Any, Any]:
    """Give a command by its path."""
    top, *rest = path.split()
    command: Any = by.tree.get_command(top)
    for name in rest:
        command = command.get_command(name)
    return cast("app_commands.Command[Any, Any, Any]", command)


@pytest.mark.parametrize("path", LIMITED)
async def test_a_button_takes_from_the_same_patience_as_its_command(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    house, used = await client(), []
    command, again = found(house, path), Again(path, LIMITED[path])

    async def use(_: object, interaction: Any, **__: object) -> None:  # noqa: ANN401
        used.append(interaction.user.id)

    monkeypatch.setattr(command, "_callback", use)
    assert await command._check_can_run(pressed(house))  # once by hand
    with pytest.raises(app_commands.CommandOnCooldown) as refused:
        for _ in range(10):
            await again.run(pressed(house))
    assert 1 <= len(used) <= 4
    assert str(explained(refused.value)).startswith("That was quick: try again in ")
    await again.run(pressed(house, 6))  # somebody else is as patient as before
    assert used[-1] == 6


async def test_a_confirmation_belongs_to_the_use_that_it_confirms(monkeypatch: pytest.MonkeyPatch) -> None:
    house, sure = await client(), []
    command = found(house, "privacy forget-me")

    async def use(_: object, interaction: Any) -> None:  # noqa: ANN401
        sure.append(interaction.extras[SURE])

    monkeypatch.setattr(command, "_callback", use)
    for _ in range(2):
        assert await command._check_can_run(pressed(house))
        await Again("privacy forget-me").run(pressed(house, **{SURE: True}))
    assert sure == [True, True]
