"""The process of the what-ifs, as others on this machine see it."""

import asyncio
import os
import signal
from pathlib import Path
from unittest.mock import Mock

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound
from bot.core.records import CommunityId
from bot.core.timelines.records import TreeId, TreeKey
from bot.seclusion import Seclusion
from tests.adapters.test_workshop import heard_of_late, wait_until_dead


def arguments(pid: int | None) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


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
