"""What is remembered of who looks at the bot's own face."""

from types import SimpleNamespace
from typing import cast

import pytest

from bot import visitors
from bot.client import SelfroomClient
from bot.core.records import Snowflake
from bot.core.sight import Sight


async def nobodys(*_: object) -> Sight:
    return Sight()


async def test_a_token_is_remembered_no_longer_than_what_it_may_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "SIGHT_SECONDS", 0.0)
    desk = SimpleNamespace(community=SimpleNamespace(sight=nobodys))
    client = cast(SelfroomClient, SimpleNamespace(desk=desk, get_guild=lambda _: None))
    those = visitors.Visitors(client, lambda token, guild_id: None)
    for number in range(100):
        await those.sight(f"token {number}", Snowflake(1))
    assert len(those._sights) <= 2
