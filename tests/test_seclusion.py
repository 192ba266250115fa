"""The process of the what-ifs, as others on this machine see it."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import NotFound
from bot.core.records import CommunityId
from bot.core.timelines.records import TreeId, TreeKey
from bot.seclusion import Seclusion


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
