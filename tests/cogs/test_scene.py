"""What `/scene` tells of rooms that whoever asks may not read: nothing."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.client import SelfroomClient
from bot.core.records import AgentId
from cogs import scene
from cogs.scene import SceneCog


async def test_stats_count_scenes_of_rooms_that_one_may_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    async def all_(_: object) -> list[Any]:
        return [SimpleNamespace(room_id=AgentId(number)) for number in (1, 2)]

    async def fared(_: object, rooms: object) -> tuple[list[Any], dict[AgentId, str]]:
        asked.append(rooms)
        return [], {}

    async def place(_: object, room_id: AgentId) -> Any:  # noqa: ANN401 - as much of a room as is looked at
        return SimpleNamespace(channel_id=100 + room_id)

    async def done(*_: object, **__: object) -> None:
        """Nobody waits for an answer."""

    client = SelfroomClient()
    client.desk = cast(
        "Any", SimpleNamespace(scenes=SimpleNamespace(all=all_, fared=fared), rooms=SimpleNamespace(place=place))
    )
    cog = SceneCog(client)
    monkeypatch.setattr(scene, "wait", done)
    monkeypatch.setattr(scene, "may_read", lambda _, channel_id: channel_id == 101)
    monkeypatch.setattr(SceneCog, "list_out", done)
    await cast("Any", SceneCog.stats).callback(cog, SimpleNamespace(client=client, guild_id=1))
    assert asked == [{AgentId(1)}]
