"""A tree's board is drawn anew when nodes change, and seldom enough for Discord."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import AsyncMock, Mock

import pytest

from bot.core.records import CommunityId, Snowflake
from bot.core.timelines.records import TreeId, TreeKey
from cogs.timeline import TimelineCog, boards
from tests.cogs.test_trees import shown

KEY = TreeKey(CommunityId(1), TreeId(1))


class Pause:
    """The time that passes after a drawing, let go by hand."""

    def __init__(self) -> None:
        self.begun = asyncio.Queue[float]()
        self.over = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.begun.put_nowait(seconds)
        await self.over.wait()


async def test_a_board_is_drawn_at_most_once_in_two_seconds_however_many_nodes_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pause, edit = Pause(), AsyncMock()
    monkeypatch.setattr(boards, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": pause.sleep}))
    tree = shown(3)
    tree = replace(tree, timeline=replace(tree.timeline, thread_id=Snowflake(7), board_post_id=Snowflake(8)))
    client = Mock()
    client.desk.timelines.of_key = AsyncMock(return_value=tree)
    client.get_partial_messageable.return_value.get_partial_message.return_value.edit = edit
    cog = TimelineCog(client)
    try:
        async with asyncio.timeout(20):
            for drawings in (1, 2):
                for _ in range(50):
                    cog.redraw(KEY)
                assert await pause.begun.get() == 2.0
                for _ in range(50):
                    cog.redraw(KEY)
                assert edit.await_count == drawings  # all that changed meanwhile waits for one drawing
                pause.over.set()
                pause.over = asyncio.Event()
    finally:
        await cog.cog_unload()
