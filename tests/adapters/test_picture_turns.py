"""Pictures that calls carry themselves take much memory: few do so at once, and nobody waits for them for long."""

from contextlib import AsyncExitStack

import pytest

from bot.adapters.llm.pictures import PictureTurns
from tests.adapters.test_providers import call


async def test_who_waits_too_long_for_the_pictures_of_others_is_asked_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.llm.pictures.TURN_SECONDS", 0.05)
    turns, near, mine = PictureTurns(), "http://127.0.0.1:1", ("data:image/png;base64,YSBjYXQ=",)
    async with AsyncExitStack() as hanging:
        for whose in "123":
            carried = await hanging.enter_async_context(turns.of(call(images=mine), whose, server=near))
            assert carried == mine
        async with turns.of(call(images=mine), "4", server=near) as carried:
            assert carried == ()
        async with turns.of(call(images=mine), "4", server="https://api.openai.com/v1") as carried:
            assert carried == mine
    async with turns.of(call(images=mine), "4", server=near) as carried:
        assert carried == mine
