"""A run spends no more than its budget, ends when it is told to, and is played again from its record."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from bot.core.models import ModelAnswer, ModelCall
from bot.core.timelines.records import ROOT, Answer
from bot.engine.runs.paying import Replayed
from bot.engine.runs.playing import KEY, Ending, Length
from bot.engine.timelines.play import ENDED
from tests.engine.runs.ground import Ground, ground
from tests.engine.theatre import Player


class Slow(Player):
    """Answers twice, and then thinks for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.is_at_it = asyncio.Event()

    async def answer(self, call: ModelCall) -> ModelAnswer:
        if len(self.calls) >= 2:
            self.is_at_it.set()
            await asyncio.Event().wait()
        return await super().answer(call)


async def digests(there: Ground) -> list[str]:
    return [one.digest for one in await there.trees.nodes(KEY)]


@pytest.mark.slow
async def test_no_call_is_made_that_might_pass_the_budget(tmp_path: Path) -> None:
    async with ground(tmp_path / "1") as there:
        whole = await there.playing.go_on(ROOT, Length(turns=6), seed="1")
    budget = whole.usd * 9 / 10
    model = Player()
    async with ground(tmp_path / "2", model=model, usd=str(budget)) as there:
        played = await there.playing.go_on(ROOT, Length(turns=6), seed="1")
    assert (played.ending, played.usd <= budget, played.turns < 6) == (Ending.SPENT, True, True)
    assert len(model.calls) == played.turns


async def test_it_ends_amid_a_call_and_what_was_played_stands_and_is_run_again_exactly(tmp_path: Path) -> None:
    model = Slow()
    async with ground(tmp_path, model=model) as there:
        playing = asyncio.create_task(there.playing.go_on(ROOT, Length(turns=6), seed="1"))
        await model.is_at_it.wait()
        there.playing.paying.end()
        played = await playing
        node = await there.trees.node(KEY, played.node)
        assert await there.playing.runner.rerun(KEY, played.node) == ""
    assert (played.ending, played.turns, node.outcome) == (Ending.STOPPED, 2, ENDED)


@pytest.mark.slow
async def test_a_record_gives_the_same_worlds_and_another_run_is_told_from_it(tmp_path: Path) -> None:
    async with ground(tmp_path / "1") as there:
        await there.playing.go_on(ROOT, Length(turns=6), seed="1")
        worlds = await digests(there)
        record = [
            (answer.request, partial(_same, answer))
            for node in await there.trees.nodes(KEY)
            for answer in await there.trees.recorded(KEY, node.id)
        ]
    again = Replayed.of(record)
    async with ground(tmp_path / "2", answers=again) as there:
        played = await there.playing.go_on(ROOT, Length(turns=6), seed="1")
        assert (played.ending, await digests(there), again.differs) == (Ending.PLAYED, worlds, "")
    short = Replayed.of(record[:-1])
    async with ground(tmp_path / "3", answers=short) as there:
        await there.playing.go_on(ROOT, Length(turns=6), seed="1")
    assert "call 6 of this one asks what none of them was given for" in short.differs


def _same(answer: Answer) -> Answer:
    return answer
