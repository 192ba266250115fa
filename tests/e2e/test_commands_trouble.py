"""Commands when things go wrong: restarts, two managers at once, double clicks, channels that go."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.playground.server import Observer
from tests.e2e.commanding import Commander, words_of
from tests.e2e.conftest import Living, living, quick_settings
from tests.e2e.proving import proves
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = pytest.mark.e2e


@pytest.fixture
async def manager(home: Living, you: Visitor) -> AsyncIterator[Commander]:
    yield Commander(you, await you.channel("wren"))


async def knocked(manager: Commander, guest: Visitor) -> tuple[str, Json]:
    """Have somebody knock at a new private room; gives the request's number and the list with its buttons."""
    told = await manager.told("agent create", name="Attic", prompt="You are Attic.")
    id = told.rstrip(".").split()[-1]
    await manager.told("agent pause", agent=id)
    await manager.told("key create", room=id, label="one", key="open sesame")
    await manager.told("room visibility", room=id, visibility="private")
    caller = Commander(guest, manager.channel_id)
    assert "You knocked" in await caller.told("access request", room=id, key="open sesame")
    pending = await manager.run("access pending")
    number = re.search(r"\*\*(\d+)\*\*: @", pending["content"])
    assert number is not None
    return number[1], pending


async def test_buttons_work_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, observers: list[Observer]
) -> None:
    settings = quick_settings(tmp_path, monkeypatch)
    async with living(settings, *observers) as home, visiting(home.url) as you, visiting(home.url, "gwen") as gwen:
        number, pending = await knocked(Commander(you, await you.channel("wren")), gwen)
    async with living(settings, *observers) as home, visiting(home.url) as you:
        manager = Commander(you, await you.channel("wren"))
        assert "@gwen is let in." in words_of(await manager.press(pending, f"Grant {number}"))


@proves(manager="access grant | access deny")
async def test_of_two_managers_at_once_one_decides(home: Living, manager: Commander) -> None:
    async with visiting(home.url, "gwen") as gwen, visiting(home.url, "max", manager=True) as max:
        number, _ = await knocked(manager, gwen)
        other = Commander(max, manager.channel_id)
        told = await asyncio.gather(
            manager.told("access grant", request=number), other.told("access deny", request=number)
        )
    decided = [one for one in told if "is let in" in one or "is turned away" in one]
    assert len(decided) == 1
    assert all("wait" in one for one in told if one not in decided)


async def test_a_double_click_confirms_once(manager: Commander) -> None:
    await manager.told("agent create", name="Once", prompt="You are Once.")
    asked = await manager.run("agent delete", agent="Once")
    first = await manager.press(asked, "Delete Once")
    assert "deleted for good" in words_of(first)
    assert "There is no agent" in await manager.told("agent show", agent="Once")


async def test_a_room_whose_channel_is_gone_says_so(home: Living, manager: Commander) -> None:
    await manager.told("agent create", name="Gone", prompt="You are Gone.")
    channel = await manager.visitor.channel("gone")
    asked = await manager.run("room clear", messages=5, room="Gone")
    await manager.visitor.ask("DELETE", f"/channels/{channel}")

    async def retired() -> bool:
        return "retired" in await manager.told("agent show", agent="Gone")

    await until(retired, "the agent's retirement")
    told = words_of(await manager.press(asked, "Delete 5"))
    assert "not there" in told or "no channel" in told
    assert "is retired: restore it first." in await manager.told("room wpm", words=50, room="Gone")


async def test_a_command_outside_of_rooms_asks_for_the_room(manager: Commander) -> None:
    manager.channel_id = await manager.visitor.channel("welcome")
    assert "name the room, or use the command in one" in await manager.told("room info")
    assert "Wren's room" in await manager.told("room info", room="Wren")


async def test_too_much_haste_is_slowed_down(manager: Commander) -> None:
    told = [await manager.told("search", words="tea") for _ in range(6)]
    assert "That was quick: try again in" in told[-1]
