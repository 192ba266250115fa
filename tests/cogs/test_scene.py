"""What `/scene` tells of rooms that whoever asks may not read: nothing."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from discord import app_commands

from bot.client import SelfroomClient
from bot.core.actions import TakeSeat
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId
from cogs import scene
from cogs.scene import SceneCog
from cogs.ui import rights, scenes
from cogs.ui.scenes import seen


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
    parts: dict[str, Any] = {"scenes": SimpleNamespace(all=all_, fared=fared), "rooms": SimpleNamespace(place=place)}
    client.desk = cast("Any", SimpleNamespace(**parts, providers=SimpleNamespace(coin=done)))
    cog = SceneCog(client)
    monkeypatch.setattr(scene, "wait", done)
    monkeypatch.setattr(scene, "may_read", lambda _, channel_id: channel_id == 101)
    monkeypatch.setattr(SceneCog, "list_out", done)
    await cast("Any", SceneCog.stats).callback(cog, SimpleNamespace(client=client, guild_id=1))
    assert asked == [{AgentId(1)}]


class Played:
    """As much of a desk as a press on a scene looks at; its room is one that somebody may read, or not."""

    def __init__(self) -> None:
        self.scenes = self.rooms = self

    async def find(self, _: object, scene_id: int) -> Any:  # noqa: ANN401
        return SimpleNamespace(id=scene_id, room_id=AgentId(1))

    async def place(self, _: object, room_id: AgentId) -> Any:  # noqa: ANN401
        return SimpleNamespace(channel_id=100 + room_id)


def press(user_id: int) -> Any:  # noqa: ANN401
    now = datetime(2026, 11, 20, tzinfo=UTC)
    client = SimpleNamespace(desk=Played())
    return SimpleNamespace(client=client, guild_id=1, user=SimpleNamespace(id=user_id), created_at=now)


async def test_an_old_button_shows_nothing_to_who_may_read_the_room_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "may_read", lambda interaction, channel_id: interaction.user.id == 7)
    assert (await seen(press(7), 3)).id == 3
    with pytest.raises(NotFound, match="no scene 3"):
        await seen(press(8), 3)


async def test_nobody_presses_the_buttons_of_scenes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "may_read", lambda *_: True)
    for _ in range(40):
        await seen(press(9), 3)
    with pytest.raises(app_commands.CommandOnCooldown):
        await seen(press(9), 3)
    await seen(press(10), 3)


async def test_of_agents_chosen_at_once_one_that_cannot_sit_keeps_none_of_the_others_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = list[str]()

    async def act(_: object, action: TakeSeat) -> str:
        if action.agent_id == 2:
            raise Rejected("Ledger is paused: resume it first.")
        return f"{action.agent_id} sits."

    async def tell(_: object, text: str, *__: object) -> None:
        said.append(text)

    async def defer(**_: object) -> None:
        """Nobody waits for an answer."""

    monkeypatch.setattr(rights, "may_read", lambda *_: True)
    monkeypatch.setattr(scenes, "act", act)
    monkeypatch.setattr(scenes, "tell", tell)
    chosen = press(11)
    chosen.data, chosen.response = {"values": ["1", "2", "3"]}, SimpleNamespace(defer=defer)
    await scenes.BoardButton(discord.ui.Button(custom_id="scene:agents:3:0"), "agents", 3).pressed(chosen)
    assert said == ["1 sits.\nLedger is paused: resume it first.\n3 sits."]
