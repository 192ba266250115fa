"""Commands are put into a server when they changed, and whatever goes wrong in one is said in one sentence."""

import enum
from collections.abc import MutableMapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import discord
import pytest
import structlog
from discord import app_commands
from discord.ext import commands
from discord.utils import MISSING

from bot.adapters.discord.commands import CommandSync
from bot.client import SelfroomClient
from bot.core.errors import Rejected
from bot.core.permissions import ONLY_MANAGERS
from tests.adapters.discord.stage import staged, until


class Greeting(commands.Cog):
    """One command."""

    @app_commands.command()
    async def greet(self, interaction: discord.Interaction) -> None:
        """Say hello."""


class Parting(Greeting):
    """One more."""

    @app_commands.command()
    async def part(self, interaction: discord.Interaction) -> None:
        """Say goodbye."""


def asked(*, answered: bool = False) -> Any:  # noqa: ANN401 - as much of an interaction as is needed
    return SimpleNamespace(
        command=SimpleNamespace(qualified_name="agent create"),
        type=discord.InteractionType.application_command,
        locale=discord.Locale.american_english,
        response=SimpleNamespace(is_done=lambda: answered, send_message=AsyncMock()),
        followup=SimpleNamespace(send=AsyncMock()),
    )


async def test_choices_read_as_words_whatever_they_are_called_in_code() -> None:
    class Shade(enum.StrEnum):
        DARK_BLUE = "dark_blue"
        GREEN = "green"

    @app_commands.command()
    async def paint(interaction: discord.Interaction, shade: Shade) -> None:
        """Paint."""

    CommandSync.word([paint])
    [parameter] = paint.parameters
    assert [(one.name, one.value) for one in parameter.choices] == [("dark blue", "dark_blue"), ("green", "green")]


async def test_a_refusal_is_told_to_the_one_who_asked_alone() -> None:
    client, interaction = SelfroomClient(), asked()
    await client.explain(interaction, Rejected("Only managers can do that: ask one of them."))
    interaction.response.send_message.assert_awaited_once_with(
        "Only managers can do that: ask one of them.", ephemeral=True, view=MISSING
    )


async def test_a_refusal_is_told_in_the_language_of_who_asked() -> None:
    client, interaction = SelfroomClient(), asked()
    interaction.locale = discord.Locale.german
    await client.explain(interaction, Rejected(ONLY_MANAGERS))
    [[told], _] = interaction.response.send_message.await_args
    assert told == "Das können nur Personen, die den Server verwalten dürfen."


async def test_after_the_first_answer_the_sentence_follows_up() -> None:
    client, interaction = SelfroomClient(), asked(answered=True)
    await client.explain(interaction, Rejected("No."))
    interaction.followup.send.assert_awaited_once_with("No.", ephemeral=True, view=MISSING)


async def test_what_nobody_foresaw_gets_an_id_that_is_in_the_log_with_the_details() -> None:
    client, interaction = SelfroomClient(), asked()
    broken = app_commands.CommandInvokeError(Mock(name="create"), ZeroDivisionError("secret detail"))
    with structlog.testing.capture_logs() as logs:
        await client.explain(interaction, broken)
    [sentence] = interaction.response.send_message.await_args.args
    [entry] = logs
    assert entry["id"] in sentence
    assert isinstance(entry["exc_info"], ZeroDivisionError)
    assert "secret detail" not in sentence


@pytest.mark.parametrize(("status", "code"), [(404, 10062), (404, 10015), (401, 50027)])
async def test_an_answer_that_comes_too_late_is_only_noted(status: int, code: int) -> None:
    client, interaction = SelfroomClient(), asked()
    late = discord.HTTPException(Mock(status=status, reason="Gone"), {"code": code, "message": "Unknown"})
    await client.explain(interaction, late)
    interaction.response.send_message.assert_not_awaited()


def made(cog: type[commands.Cog], _: SelfroomClient) -> commands.Cog:
    return cog()


@pytest.mark.parametrize("second", [Greeting, Parting])
async def test_commands_are_sent_only_when_they_changed(second: type[commands.Cog]) -> None:
    async with staged() as stage:
        sent = []
        for cog in (Greeting, second):
            with structlog.testing.capture_logs() as logs:
                async with stage.bot(cogs=[partial(made, cog)]):
                    pass
            sent.append(any(entry["event"] == "commands put into a server" for entry in logs))
        assert sent == [True, second is Parting]


async def test_commands_are_put_in_again_when_a_language_says_them_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    async with staged() as stage:
        sent = []
        for print_ in ("one", "one", "other"):
            monkeypatch.setattr("bot.adapters.discord.commands.fingerprint", lambda print_=print_: print_)
            with structlog.testing.capture_logs() as logs:
                async with stage.bot(cogs=[partial(made, Greeting)]):
                    pass
            sent.append(any(entry["event"] == "commands put into a server" for entry in logs))
        assert sent == [True, False, True]


async def test_a_server_that_invites_the_bot_again_gets_the_commands_again() -> None:
    async with staged() as stage:
        member = f"/guilds/{stage.guild_id}/members/{stage.bot_id}"
        with structlog.testing.capture_logs() as logs:
            async with stage.bot(cogs=[partial(made, Greeting)]):
                await stage.owner.call("DELETE", member)
                await until(lambda: told(logs, "removed from a server", 1))
                url = f"{stage.playground.url}/playground{member}"
                async with stage.session.put(url, json={}) as answer:
                    assert answer.status < 300, await answer.text()
                await until(lambda: told(logs, "commands put into a server", 2))


async def told(logs: Sequence[MutableMapping[str, Any]], event: str, times: int) -> bool:
    return [entry["event"] for entry in logs].count(event) == times
