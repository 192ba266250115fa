"""The process that runs worlds apart: it has no token and no key, and asks the house for what models say."""

import asyncio
import os
import socket
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.core.config import CommunityConfig
from bot.core.models import ModelAnswer, ModelCall
from bot.core.timelines.records import Node, NodeId, TreeKey
from bot.engine.timelines.answers import HouseFacts
from bot.engine.timelines.operations import Operations
from bot.engine.timelines.pipe import Given, Pipe
from bot.engine.timelines.play import Stagecraft
from bot.engine.timelines.runner import Runner
from bot.tokens import tokenizer_for
from storage.timelines.trees import SqlTrees

OPERATIONS = frozenset(
    {"begin", "grow", "resume", "rerun", "stop", "delete", "note", "remove", "give_up"}
    | {"read", "minds", "seen", "compare", "carried"}
)
NICENESS = 10


class RealClock:
    """The machine's clock, for when things were made; what waits in a world waits on its own."""

    def now(self) -> datetime:
        """Give the time in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float) -> asyncio.Timeout:
        """Raise TimeoutError in a block that takes longer."""
        return asyncio.timeout(seconds)


class HouseAsked:
    """The house at the other end of the pipe."""

    def __init__(self) -> None:
        self.pipe: Pipe | None = None

    async def _ask(self, what: str, *given: object) -> Any:  # noqa: ANN401 - what a method of the house gives
        if self.pipe is None:
            raise RuntimeError("nobody is at the other end")
        return await self.pipe.ask(what, *given)

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        """Have the house ask a model."""
        found: ModelAnswer = await self._ask("answer", key, node_id, call)
        return found

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        """Ask what the house knows of models."""
        found: HouseFacts = await self._ask("facts", key, tuple(models))
        return found

    def changed(self, key: TreeKey, node_id: NodeId, node: Node | None, why: str = "") -> None:
        """Tell that a node is over."""
        if self.pipe is not None:
            self.pipe.tell("changed", key, node_id, node, why)


def operations(folder: Path, config: CommunityConfig, house: HouseAsked, worlds: int) -> Operations:
    """Put together what the process does."""
    trees = SqlTrees(folder, config)
    clock = RealClock()
    craft = Stagecraft(config=config, tokenizer_for=tokenizer_for)
    runner = Runner(trees=trees, house=house, stagecraft=craft, clock=clock)
    return Operations(trees=trees, runner=runner, clock=clock, telling=house, worlds=worlds)


async def run(folder: Path, end: int, config: CommunityConfig, worlds: int) -> None:
    """Serve the house at the other end of a socket until it is gone."""
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=end))
    house = HouseAsked()
    done = operations(folder, config, house, worlds)

    async def serve(what: str, given: Given) -> object:
        if what not in OPERATIONS:
            raise LookupError(what)
        return await getattr(done, what)(*given)

    house.pipe = Pipe(reader, writer, serve)
    try:
        await house.pipe.run()
    finally:
        await done.close()
        writer.close()


def main(folder: Path, end: int, config: str, worlds: int) -> None:
    """Be the process; `config`: the installation's settings for communities, as JSON; `worlds`: that run at once."""
    os.nice(NICENESS)
    asyncio.run(run(folder, end, CommunityConfig.model_validate_json(config), worlds))
