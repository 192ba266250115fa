"""The process of the what-ifs, as others on this machine see it."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, StoreError
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import CommunityId
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import Node, NodeId, Status, TreeId, TreeKey
from bot.engine.timelines import pipe
from bot.engine.timelines.answers import HouseFacts
from bot.engine.timelines.house import Treasury
from bot.seclusion import HUNG, Seclusion
from tests.adapters.test_workshop import heard_of_late, wait_until_dead
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import BOSS, EVENT, FREE, Garden, garden


def arguments(pid: int | None) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc to look into")
async def test_what_communities_begin_with_is_nobodys_to_read_among_its_arguments(tmp_path: Path) -> None:
    config = CommunityConfig(language="Esperanto of old")
    grower = Seclusion(tmp_path, config, Mock())
    try:
        with pytest.raises(NotFound):  # so it runs, and has read its settings
            await grower.minds(TreeKey(CommunityId(1), TreeId(1)), 1)  # type: ignore[arg-type]
        told = arguments(grower.pid)
        assert b"timelines" in told
        assert b"Esperanto" not in told
    finally:
        await grower.close()


@pytest.mark.slow
async def test_one_that_others_killed_is_begun_again_for_who_asks_next_and_nobody_wonders_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    killed = heard_of_late(monkeypatch)
    grower = Seclusion(tmp_path, CommunityConfig(), Mock())

    async def missing() -> None:
        with pytest.raises(NotFound):
            await grower.minds(TreeKey(CommunityId(1), TreeId(1)), 1)  # type: ignore[arg-type]

    try:
        await missing()
        assert grower.pid is not None
        os.kill(grower.pid, signal.SIGKILL)
        wait_until_dead(grower.pid)
        asyncio.get_running_loop().call_later(0.5, killed.set)
        for _ in range(9):
            await asyncio.sleep(0)  # the house hears of it
        await missing()
    finally:
        await grower.close()
    assert "Unknown child process" not in caplog.text


def environment_of(pid: int | None) -> str:
    return Path(f"/proc/{pid}/environ").read_bytes().decode()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc to look into")
async def test_its_environment_holds_no_token_and_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {
        name: f"hidden-{number}"
        for number, name in enumerate(
            (
                *("DISCORD_TOKEN", "SELFROOM_DISCORD_TOKEN", "OPENAI_API_KEY", "SELFROOM_OPENAI_API_KEY"),
                *("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "SELFROOM_SECRET", "SELFROOM_DATABASE_URL"),
            )
        )
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    grower = Seclusion(tmp_path, CommunityConfig(), Mock())
    try:
        with pytest.raises(NotFound):
            await grower.minds(TreeKey(CommunityId(1), TreeId(1)), 1)  # type: ignore[arg-type]
        environment = environment_of(grower.pid)
        names = {one.partition("=")[0] for one in environment.split("\0") if one}
        assert names == {"PYTHONPATH", "SELFROOM_TIMELINES_CONFIG"}
        assert not any(value in environment for value in secrets.values())
    finally:
        await grower.close()


class Frozen(Treasury):
    """The house, before whose first answer the process stands still."""

    def __init__(self, grown: Garden) -> None:
        self.grown, self.left = grown, 0
        self.over = asyncio.Event()
        self.freeze: Callable[[], None] | None = None

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        answer = await self.grown.house.answer(key, node_id, call)
        if self.freeze is not None:
            self.freeze()
            self.freeze = None
        return answer

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        return await self.grown.house.facts(key, models)

    async def changed(self, key: TreeKey, node_id: NodeId, node: Node | None, why: str = "") -> None:
        self.left -= 1
        if not self.left:
            self.over.set()


def soon_hung(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Take a process for hung after a moment, once the event that this gives is set."""
    looks, frozen = pipe.Pipe.hung, asyncio.Event()

    async def hung_soon(self: pipe.Pipe, seconds: float, is_busy: Callable[[], bool]) -> None:
        await frozen.wait()  # while a process begins it may be silent for longer
        frozen.clear()
        await looks(self, 0.2, is_busy)

    monkeypatch.setattr(pipe.Pipe, "hung", hung_soon)
    monkeypatch.setattr(pipe, "LOOK_SECONDS", 0.1)
    return frozen


@pytest.mark.slow
async def test_who_asked_something_of_one_that_hangs_is_told_that_it_ended_and_can_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = soon_hung(monkeypatch)
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        grower = Seclusion(tmp_path, FREE, Frozen(grown))
        try:
            said = await grower.read(grown.key, event.id)
            hung = grower.pid
            assert hung is not None
            os.kill(hung, signal.SIGSTOP)
            frozen.set()
            async with asyncio.timeout(60):
                with pytest.raises(StoreError, match="ended amid this: what was running goes on; try again"):
                    await grower.compare(grown.key, NodeId(0), event.id, "USD")
            wait_until_dead(hung)
            assert await grower.read(grown.key, event.id) == said
            assert grower.pid != hung
        finally:
            await grower.close()


@pytest.mark.slow
async def test_one_that_hangs_is_killed_and_of_its_nodes_those_that_ran_fail_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = soon_hung(monkeypatch)
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        house = Frozen(grown)
        grower = Seclusion(tmp_path, FREE, house)
        try:
            await grower.read(grown.key, event.id)
            hung = grower.pid
            assert hung is not None

            def freeze() -> None:
                os.kill(hung, signal.SIGSTOP)
                frozen.set()

            house.freeze = freeze
            growth = Growth(what="multi", by=BOSS, nodes=(event.id,), siblings=6)
            house.left = growth.siblings
            made = await grower.grow(grown.key, growth)
            async with asyncio.timeout(60):
                await house.over.wait()
            assert grower.pid != hung
        finally:
            await grower.close()
        nodes = [await grown.trees.node(grown.key, one.id) for one in made]
        failed = [one for one in nodes if one.status is Status.FAILED]
        assert 1 <= len(failed) <= 4
        assert {one.outcome for one in failed} == {HUNG}
        assert {one.status for one in nodes if one not in failed} == {Status.DONE}
