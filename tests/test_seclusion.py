"""The process in which worlds apart run: nobody else on the machine sees what it is told."""

import asyncio
from pathlib import Path
from typing import Any

from bot.core.config import CommunityConfig
from bot.core.records import CommunityId
from bot.core.timelines.records import TreeId, TreeKey
from bot.seclusion import Seclusion

CANARY = "Serpentinit"


async def test_no_other_user_of_the_machine_sees_the_prompts_that_worlds_apart_are_told(tmp_path: Path) -> None:
    nobody: Any = None
    grower = Seclusion(tmp_path / "trees", CommunityConfig(held_words=(CANARY,)), nobody)
    await grower.remove(TreeKey(CommunityId(1), TreeId(1)))  # of a tree that there is not: it has its settings by now
    assert grower.pid is not None
    for seen in ("cmdline", "environ"):
        assert CANARY.encode() not in await asyncio.to_thread(Path(f"/proc/{grower.pid}/{seen}").read_bytes)
    await grower.close()
