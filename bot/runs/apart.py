"""The process in which a run of a server lives: it has no token and no key, and asks the house for what models say."""

import asyncio
import os
import socket
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from bot.core.models import ModelAnswer, ModelCall
from bot.core.runs.spec import Further, RunSpec
from bot.core.timelines.records import NodeId, TreeKey
from bot.engine.runs.playing import Paying, Played
from bot.engine.timelines.answers import HouseFacts
from bot.engine.timelines.pipe import Given, Pipe
from bot.runs.home import RunHome
from bot.runs.minds import lent_purse
from bot.runs.simulating import Wanted, advance, simulate

NICENESS: Final = 10
LARGEST_RUN: Final = 64_000_000  # bytes, as of a what-if


class RunProcess:
    """Plays one run, and ends it when the house says so; the house is at the other end of the pipe."""

    def __init__(self, folder: Path) -> None:
        self._home = RunHome(folder)
        self._paying: Paying | None = None
        self._is_ended = False
        self.pipe: Pipe | None = None

    async def serve(self, what: str, given: Given) -> object:
        """Do what the house asks."""
        match what:
            case "begin":
                return await self._begin(*given)
            case "advance":
                return await self._advance(*given)
            case "end":
                self._is_ended = True
                if self._paying is not None:
                    self._paying.end()
                return None
        raise LookupError(what)

    async def _begin(self, spec: RunSpec) -> Played:
        return (await simulate(self._home, spec, Path(), self._wanted)).played

    async def _advance(self, number: int, further: Further) -> Played:
        return (await advance(self._home, number, further, self._wanted)).played

    @property
    def _wanted(self) -> Wanted:
        return Wanted(
            purse=partial(lent_purse, self),
            on_turn=lambda: self._tell("turn"),
            on_begun=lambda number: self._tell("begun", number),
            on_node=lambda: self._tell("node"),
            on_playing=self._play,
            most_bytes=LARGEST_RUN,
        )

    def _play(self, paying: Paying) -> None:
        self._paying = paying
        if self._is_ended:
            paying.end()

    def _tell(self, what: str, *given: object) -> None:
        if self.pipe is not None:
            self.pipe.tell(what, *given)

    async def facts(self, key: TreeKey, models: Sequence[str]) -> HouseFacts:
        """Ask what the house knows of models."""
        found: HouseFacts = await self._asked.ask("facts", tuple(models))
        return found

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        """Have the house ask a model."""
        found: ModelAnswer = await self._asked.ask("answer", call)
        return found

    @property
    def _asked(self) -> Pipe:
        if self.pipe is None:
            raise RuntimeError("nobody is at the other end")
        return self.pipe


async def run(folder: Path, end: int) -> None:
    """Serve the house at the other end of a socket until it is gone."""
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=end))
    process = RunProcess(folder)
    process.pipe = Pipe(reader, writer, process.serve)
    try:
        await process.pipe.run()
    finally:
        writer.close()


def main(folder: Path, end: int) -> None:
    """Be the process."""
    os.nice(NICENESS)
    asyncio.run(run(folder, end))
