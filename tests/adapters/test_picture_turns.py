"""Pictures that calls carry themselves take much memory: few do so at once, and nobody waits for them for long."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from bot.adapters.llm.pictures import PictureTurns
from bot.engine.timelines.chance import settle
from tests.adapters.test_providers import call
from tests.adapters.test_wire import completion, line
from tests.engine.town import until


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


async def test_communities_take_turns_with_pictures() -> None:
    picture = "data:image/png;base64,YQ=="
    much = [call(model="llava", input=f"much {one}", whose=f"1 {one}", images=(picture,)) for one in range(4)]
    little = call(model="llava", input="little", whose="2 5", images=(picture,))
    async with line(completion(), api="chat") as (providers, there), asyncio.TaskGroup() as asking:
        there.gate = asyncio.Event()
        for one in (*much, little):
            asking.create_task(providers.answer(one))
        await until(lambda: len(there.bodies) >= 2)
        await settle()
        asked = str(there.bodies)
        there.gate.set()
    assert (asked.count("much"), asked.count("little")) == (1, 1)
    assert len(there.bodies) == 5
