"""What Discord is asked for one person, whatever command they use, leaves it time for all others."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock

import discord
import pytest
from discord import app_commands

from cogs.base import may_read_thread

NOW = datetime(2026, 11, 24, tzinfo=UTC)


class Asked:
    """Discord, that lets everybody read every thread, and counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    def by(self, id: int, *, at: datetime = NOW, manages: bool = False) -> Any:  # noqa: ANN401 - a stand-in for an interaction
        client = SimpleNamespace(members_thread=self._thread, person=lambda _: SimpleNamespace(is_architect=manages))
        user = MagicMock(spec=discord.Member, id=id)
        return SimpleNamespace(client=client, user=user, guild_id=1, created_at=at)

    async def _thread(self, *_: object) -> object:
        self.times += 1
        return self


async def ask(asker: Any, times: int) -> None:  # noqa: ANN401
    for number in range(times):
        assert await may_read_thread(cast("Any", asker), number)


async def test_one_person_has_discord_asked_about_so_many_threads_a_minute_and_no_more() -> None:
    """Each search may ask about fifty: two members who searched on had all of what Discord answers in all servers."""
    discord_ = Asked()
    with pytest.raises(app_commands.CommandOnCooldown):
        await ask(discord_.by(501), 1_500)
    assert discord_.times == 200
    await ask(discord_.by(502), 50)  # others are heard
    await ask(discord_.by(503, manages=True), 300)  # and so is who gets the whole community as a file
    await ask(discord_.by(501, at=NOW + timedelta(seconds=61)), 50)
