"""One Selfroom for all tests of a module, with a manager and a plain member at its commands."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.playground.rest.exchange import Observer
from tests.e2e.commanding import Commander, words_of
from tests.e2e.conftest import Living, living, quick_settings
from tests.e2e.visitor import Json, Visitor, visiting
from tests.playground.openapi import DESCRIPTION, OpenApiCheck


@dataclass(frozen=True, slots=True)
class Cast:
    """A running Selfroom and two people in Wren's room, one of whom may manage the server; and who owns it."""

    home: Living
    owner: Visitor
    you: Visitor
    manager: Commander
    guest: Commander

    async def refused(self, path: str, /, *, file: tuple[str, bytes] | None = None, **options: object) -> None:
        """Hold that a plain member may not do it."""
        told = words_of(await self.guest.run(path, file=file, **options))
        assert "Only people who may manage the server can do that." in told, told

    async def offered(self, name: str, *, kind: int = 1) -> bool:
        """Tell whether a plain member is offered a command or an entry of the menu (kind 3)."""
        commands = await self.guest.visitor.offered(self.guest.channel_id)
        return (name, kind) in {(one["name"], one["type"]) for one in commands}

    async def agent(self, name: str, *, seed: str = "", **more: object) -> int:
        """Make an agent to try things on and give its id."""
        told = await self.manager.told("agent create", name=name, prompt=f"You are {name}. {seed}".strip(), **more)
        assert f"{name} is created." in told, told
        return await self.manager.id_of(name)

    async def answered(self, words: str) -> Json:
        """Say something in Wren's room, and give Wren's answer."""
        return await self.you.answer_after(await self.you.say(self.manager.channel_id, words))


@asynccontextmanager
async def shared_home(folder: Path, *observers: Observer, **more: str) -> AsyncIterator[Cast]:
    """Run a house until the block ends, held against Discord's own description where that is there.

    `observers` see every request to Discord's API; `more` are settings of its environment.
    """
    check = OpenApiCheck() if DESCRIPTION.exists() else None
    with pytest.MonkeyPatch.context() as patch:
        settings = quick_settings(folder, patch, **more)
        async with living(settings, *observers, *([check] if check else [])) as home:
            async with (
                visiting(home.url) as owner,
                visiting(home.url, "you", manager=True) as you,
                visiting(home.url, "guest") as guest,
            ):
                hall = await you.channel("wren")
                yield Cast(home, owner, you, Commander(you, hall), Commander(guest, hall))
            assert (await home.stats())["unknown_routes"] == {}
    if check:
        check.assert_clean()


__all__ = ["Cast", "shared_home", "words_of"]
