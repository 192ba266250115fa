"""Each answer of Discord that is no success means one thing for a letter, in one sentence."""

from typing import Any
from unittest.mock import Mock

import aiohttp
import discord
import pytest
from discord import app_commands

from bot.adapters.discord.refusals import ThreadArchived, WebhookGone, explained, refusal, worded
from bot.core.errors import ChannelGone, FateUnknown, Forbidden, Gone, Invalid, Limited, Rejected


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, 50035, Invalid),
        (400, 50083, ThreadArchived),
        (401, 50027, WebhookGone),
        (403, 50013, Forbidden),
        (404, 10003, ChannelGone),
        (404, 10008, Gone),
        (404, 10015, WebhookGone),
        (500, 0, FateUnknown),
        (503, 0, FateUnknown),
    ],
)
def test_an_answer_is_understood(status: int, code: int, kind: type[Exception]) -> None:
    error = refusal(status, code, "why", "post")
    assert type(error) is kind
    assert "post" in error.sentence


def answer(status: int) -> Any:  # noqa: ANN401 - what discord.py wants to see
    return Mock(status=status, reason="because", headers={})


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (discord.RateLimited(60.0), Limited),
        (discord.HTTPException(answer(429), {"code": 0, "message": "slow down"}), Limited),
        (discord.Forbidden(answer(403), {"code": 50013, "message": "Missing Permissions"}), Forbidden),
        (discord.NotFound(answer(404), {"code": 10003, "message": "Unknown Channel"}), ChannelGone),
        (discord.DiscordServerError(answer(502), "bad gateway"), FateUnknown),
        (aiohttp.ServerDisconnectedError(), FateUnknown),
        (TimeoutError(), FateUnknown),
        (ConnectionResetError(), FateUnknown),
    ],
)
def test_what_discord_py_raises_is_worded(raised: Exception, kind: type[Exception]) -> None:
    with pytest.raises(kind), worded("post"):
        raise raised


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Rejected("You may not."), "You may not."),
        (app_commands.CommandOnCooldown(app_commands.Cooldown(1, 5), 2.6), "try again in 3 s"),
        (app_commands.CheckFailure(), "ask someone who may manage this server"),
        (discord.Forbidden(answer(403), {"code": 50013, "message": "Missing Permissions"}), "Missing Permissions"),
        (discord.RateLimited(41.7), "try again in 42 s"),
        (discord.DiscordServerError(answer(502), "bad gateway"), "Discord itself fails just now"),
        (aiohttp.ServerDisconnectedError(), "Discord itself fails just now"),
    ],
)
def test_a_person_is_told_in_one_sentence(error: Exception, words: str) -> None:
    assert words in (explained(error) or "")


def test_what_nobody_foresaw_is_left_to_the_log() -> None:
    assert explained(ZeroDivisionError()) is None
