"""A run as the engine's tests have it: founded in memory, with its tree in a folder, and a model that does as told."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from bot.core.runs.spec import RunAgent, RunEvent, RunScene, RunSpec
from bot.core.timelines.records import Cut
from bot.engine.runs.founding import Founded, Founding
from bot.engine.runs.paying import Budgeted, Replayed
from bot.engine.runs.playing import Playing, planted
from bot.engine.timelines.play import Stagecraft
from bot.engine.timelines.runner import Runner
from storage.store import SqlStore
from storage.timelines.trees import SqlTrees
from tests.engine.theatre import Player
from tests.engine.timelines.garden import TOKENIZER, SteadyClock
from tests.fakes import START, ScriptedModel

ADA = RunAgent(name="Ada", prompt="You are Ada.")
BO = RunAgent(name="Bo", prompt="You are Bo.")
CHAT = RunSpec(agents=(ADA, BO), scene=RunScene(kind="chat", options={"topic": "tea"}), every=3)
EVENTS = (RunEvent(text="It rains."),)


@dataclass
class Ground:
    """One run."""

    spec: RunSpec
    founded: Founded
    trees: SqlTrees
    playing: Playing


@asynccontextmanager
async def founded_in_memory(spec: RunSpec) -> AsyncIterator[tuple[SqlStore, Founded]]:
    """Found a run's community."""
    async with await SqlStore.open("sqlite://", config=spec.config) as store:
        yield store, await Founding(store, spec, {}, TOKENIZER).found()


@asynccontextmanager
async def ground(
    folder: Path,
    spec: RunSpec = CHAT,
    model: ScriptedModel | None = None,
    *,
    answers: Replayed | None = None,
    usd: str = "1",
    heard: Sequence[object] = (),
) -> AsyncIterator[Ground]:
    """Open a run that is ready to be played."""
    async with founded_in_memory(spec) as (store, founded):
        at = founded.clock.now()
        image = await store.image(founded.community_id, Cut(), now=at)
        trees = SqlTrees(folder, spec.config)
        await trees.begin(planted(spec, image, at=at, made_at=START, program="1"), image)
        clock = SteadyClock()
        paying = answers or await Budgeted.of(store, trees, model or Player(), clock, usd=Decimal(usd))  # type: ignore[arg-type]
        craft = Stagecraft(config=spec.config, tokenizer_for=lambda _: TOKENIZER)
        runner = Runner(trees=trees, house=paying, stagecraft=craft, clock=clock)  # type: ignore[arg-type]
        playing = Playing(trees=trees, runner=runner, paying=paying, every=spec.every, room_of=founded.room_of)
        try:
            yield Ground(spec, founded, trees, playing)
        finally:
            await trees.close()
