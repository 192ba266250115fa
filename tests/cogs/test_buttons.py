"""Buttons that use a command again are held to what the command by hand is held to."""

from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock

import discord
import pytest
from discord import app_commands

from bot.adapters.discord.refusals import explained
from bot.client import SelfroomClient
from bot.core.actions import Action
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import Emotion
from bot.core.records import AgentId, Message, MessageId, Person, Snowflake
from bot.core.view import MayRead
from bot.engine.front_desk import FrontDesk
from bot.engine.performer import Outcome
from cogs import COGS
from cogs.menu import ReactionButton
from cogs.ui.again import SURE, Again
from cogs.ui.guide import each_of, is_for_everyone
from tests.factories import message, person, room

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
    return SimpleNamespace(
        user=SimpleNamespace(id=user_id), extras=dict(extras), locale=discord.Locale.american_english, **fields
    )


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
        for _ in range(40):
            await again.run(pressed(house))
    assert 1 <= len(used) < 30
    assert str(explained(refused.value)).startswith("That was quick: try again in ")
    await again.run(pressed(house, 6))  # somebody else is as patient as before
    assert used[-1] == 6


async def test_what_everybody_may_use_and_reads_much_is_held_to_so_many_times_a_minute() -> None:
    """Of a house of two hundred each takes forty milliseconds of everybody's time, and whoever writes a script many."""
    house = await client()
    limitless = {
        one.qualified_name for one in each_of(house.tree.get_commands()) if is_for_everyone(one) and not one.checks
    }
    counted_as_presses = {name for name in limitless if name.startswith("scene ")}  # `cogs.ui.scenes.seen` counts
    assert limitless - counted_as_presses == {"agent browse", "help"}  # which read nothing of the house
    assert not {"scene list", "scene stats"} & limitless


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


async def test_a_person_whom_a_use_named_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    house, given = await client(), list[object]()
    member = MagicMock(spec=discord.Member)

    async def use(_: object, interaction: Any, **named: object) -> None:  # noqa: ANN401
        given.append(named)

    monkeypatch.setattr(found(house, "key give"), "_callback", use)
    press = pressed(house, **{SURE: True})
    press.guild = SimpleNamespace(get_member={7: member}.get)
    await Again("key give", ("label=blue", "person=7")).run(press)
    assert given == [{"label": "blue", "agent": None, "person": member, "room": None}]


@pytest.mark.parametrize(("may_read", "is_architect", "reacts"), [(True, True, 1), (False, True, 0), (True, False, 0)])
async def test_a_reaction_is_put_only_on_what_the_manager_may_read_now(
    may_read: bool, is_architect: bool, reacts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, done, place = await client(), list[object](), room(9, thread_of=AgentId(1))

    async def by_id(_: Snowflake, id: MessageId, *, may_read: MayRead) -> Message:
        if not await may_read(place):
            raise NotFound("not known")
        return message(id)

    async def take(guild_id: Snowflake, by: Person, action: Action) -> Outcome:
        done.append(action)
        return Outcome(action=action, accepted=True)

    async def allowed(*_: object) -> bool:
        return may_read

    desk = SimpleNamespace(messages=SimpleNamespace(by_id=by_id), actions=SimpleNamespace(take=take))
    house.desk = cast(FrontDesk, desk)
    monkeypatch.setattr(house, "person", lambda user: person(is_architect=is_architect))
    monkeypatch.setattr("cogs.base.may_read_thread", allowed)
    press = pressed(house)
    press.response, press.followup = SimpleNamespace(defer=quiet), SimpleNamespace(send=quiet)
    with suppress(NotFound, Rejected):
        await ReactionButton(7, Emotion.THUMBS_UP).pressed(press)
    assert len(done) == reacts


async def quiet(*_: object, **__: object) -> None:
    """Take it, and say nothing."""


def at_desk(monkeypatch: pytest.MonkeyPatch, house: SelfroomClient, calls: list[object]) -> None:
    """Put a desk there that takes everything from a manager."""

    async def taken(*given: object, **_: object) -> Any:  # noqa: ANN401
        calls.append(given)
        return SimpleNamespace(model="m") if len(given) == 1 else "Done."

    async def settings(*_: object, **__: object) -> Any:  # noqa: ANN401
        return None, SimpleNamespace(model="m")

    providers = SimpleNamespace(try_model=taken, try_moderation=taken, bring=taken)
    messages, community = SimpleNamespace(ask_again=taken, at=settings), SimpleNamespace(settings=settings)
    desk = SimpleNamespace(messages=messages, providers=providers, community=community)
    for cog in house.cogs.values():
        monkeypatch.setattr(cog, "desk", desk)
    monkeypatch.setattr(house, "person", lambda user: person(is_architect=True))


def used_by(house: SelfroomClient, user_id: int) -> Any:  # noqa: ANN401
    use = pressed(house, user_id)
    use.response = SimpleNamespace(defer=quiet, is_done=lambda: True)
    use.followup = SimpleNamespace(send=quiet)
    return use


async def test_an_agent_is_asked_again_few_times_by_one_person_and_few_times_about_one_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house, asked = await client(), list[object]()
    at_desk(monkeypatch, house, asked)
    entry = cast("Any", house.tree.get_command("Ask again", type=discord.AppCommandType.message))

    async def ask(user_id: int, message_id: int) -> None:
        use = used_by(house, user_id)
        assert await entry._check_can_run(use)
        await entry.callback(use, SimpleNamespace(id=message_id))

    with pytest.raises(app_commands.CommandOnCooldown) as refused:
        for message_id in range(40):
            await ask(105, message_id)
    assert 1 <= len(asked) <= 5
    assert str(explained(refused.value)).startswith("That was quick: try again in ")
    asked.clear()
    with pytest.raises(app_commands.CommandOnCooldown):
        for user_id in range(200, 240):
            await ask(user_id, 77)
    assert 1 <= len(asked) <= 5
    await ask(240, 78)


@pytest.mark.parametrize("way", ["button", "form", "moderation"])
async def test_however_a_manager_has_models_asked_they_are_asked_few_times(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, asked = await client(), list[object]()
    at_desk(monkeypatch, house, asked)
    setup = cast("Any", house.get_cog("SetupCog"))
    form = SimpleNamespace(provider=None, key="", model="m")
    use = {
        "button": setup.tried,
        "form": lambda one: setup.brought(one, form),
        "moderation": lambda one: setup.judge(one, "m"),
    }

    async def tried(user_id: int) -> None:
        await use[way](used_by(house, user_id))

    with pytest.raises(app_commands.CommandOnCooldown):
        for _ in range(40):
            await tried(300 + len(way))
    assert 1 <= len(asked) <= 15
    await tried(400 + len(way))
