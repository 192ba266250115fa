"""The buttons of a board: which there are, and which cannot be pressed."""

from dataclasses import replace

import discord

from bot.adapters.discord.boards import pressed
from bot.core.records import SceneId
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Board

LOBBY = Board(scene_id=SceneId(1), window=0, kind="chat", title="Chat 1", status=SceneStatus.LOBBY, lines=())


def buttons(board: Board) -> dict[str | None, bool]:
    """Give each button's label, and whether it is off."""
    return {one.label: one.disabled for one in pressed(board).children if isinstance(one, discord.ui.Button)}


async def test_begin_is_off_while_the_scene_cannot_begin() -> None:
    assert buttons(LOBBY)["Begin"]
    assert not buttons(replace(LOBBY, can_begin=True))["Begin"]
    assert not buttons(LOBBY)["Join"]


async def test_a_scene_whose_thread_is_gone_says_that_it_goes_on_in_a_new_one() -> None:
    paused = replace(LOBBY, status=SceneStatus.PAUSED)
    assert "Go on" in buttons(paused)
    shown = buttons(replace(paused, is_homeless=True))
    assert "Continue in a new thread" in shown
    assert "Go on" not in shown
