"""The runs of servers: each is played in a process of its own, and read here; a server's runs are its own."""

import asyncio
import io
import os
import socket
import sys
import zipfile
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import structlog

from bot.adapters.workshop import kill
from bot.core.errors import Rejected, SelfroomError, StoreError
from bot.core.records import Json, Snowflake
from bot.core.runs.spec import Further, RunSpec
from bot.core.timelines.records import Node
from bot.engine.front_desk.runs import ONE_PLAYS, RunHouse, UnderWay
from bot.engine.runs.playing import KEY, Played
from bot.engine.runs.telling import Story, story
from bot.engine.timelines.pipe import Cut, Pipe
from bot.runs.home import RunHome
from bot.runs.simulating import ENDED, listed, named, snapshot_named
from bot.runs.writing import files

MOST_AT_ONCE: Final = 2  # runs that are played, of all servers together
ENDS_WITHIN: Final = 10.0  # seconds from the word until it is ended as it is
EPOCH: Final = (2026, 1, 1, 0, 0, 0)  # in archives: the same run gives the same bytes
ALL_PLAY: Final = "As many runs are played as may be at once: try again in a while."
BROKEN: Final = "The process of the run ended amid it: what was played until its last snapshot is kept."
log = structlog.get_logger(__name__)


@dataclass(eq=False)
class _Play:
    """A run that is played now."""

    house: RunHouse
    number: asyncio.Future[int]
    run: int | None = None
    turns: int = 0
    pipe: Pipe | None = None
    life: asyncio.Task[None] | None = None
    ending: asyncio.Task[None] | None = None

    async def serve(self, what: str, given: tuple[Any, ...]) -> object:
        """Do what the process asks of the house, and hear what it tells."""
        match what:
            case "answer":
                return await self.house.answer(*given)
            case "facts":
                return await self.house.facts(*given)
            case "turn":
                self.turns += 1
                return None
            case "begun":
                (self.run,) = given
                if not self.number.done():
                    self.number.set_result(self.run or 0)
                return None
            case "node":
                self.house.news()
                return None
        raise LookupError(what)


@dataclass(kw_only=True, eq=False)
class ServedRuns:
    """`bot.engine.front_desk.runs.Laboratory`; `is_shared`: they are those of the command line as well."""

    folder: Path
    is_shared: bool
    _plays: dict[Snowflake, _Play] = field(default_factory=dict)
    _why: dict[tuple[Snowflake, int], str] = field(default_factory=dict)  # how each ended that was played here

    def _home(self, server: Snowflake) -> RunHome:
        return RunHome(self.folder if self.is_shared else self.folder / "servers" / str(server))

    async def all(self, server: Snowflake) -> Sequence[Mapping[str, Json]]:
        """Give a server's runs, the oldest first."""
        return await listed(self._home(server))

    async def count(self, server: Snowflake) -> int:
        """Count a server's runs."""
        return len(await asyncio.to_thread(self._home(server).numbers))

    def under_way(self, server: Snowflake) -> UnderWay | None:
        """Give what is played of a server now."""
        play = self._plays.get(server)
        return None if play is None or play.run is None else UnderWay(run=play.run, turns=play.turns)

    def ended(self, server: Snowflake, number: int) -> str:
        """Say how a run ended that was played since Selfroom began; empty where nobody knows."""
        return self._why.get((server, number), "")

    async def spec(self, server: Snowflake, number: int) -> RunSpec:
        """Give what a run was made of; raises NotFound."""
        return await asyncio.to_thread(self._home(server).spec, number)

    async def nodes(self, server: Snowflake, number: int) -> Sequence[Node]:
        """Give the worlds of a run."""
        async with self._home(server).opened(number) as (_, trees):
            return await trees.nodes(KEY)

    async def told(self, server: Snowflake, number: int, at: str) -> tuple[Node, Story]:
        """Give what came of a run until a snapshot."""
        async with self._home(server).opened(number) as (_, trees):
            node = snapshot_named(await trees.nodes(KEY), at)
            return node, await story(trees, node.id)

    async def packed(self, server: Snowflake, number: int, at: str) -> bytes:
        """Give an archive of what `selfroom runs export` writes."""
        _, told = await self.told(server, number, at)
        return await asyncio.to_thread(_zipped, told)

    async def name(self, server: Snowflake, number: int, at: str, name: str) -> int:
        """Give a snapshot a name."""
        return await named(self._home(server), number, at, name)

    async def copy(self, server: Snowflake, number: int) -> int:
        """Copy a run; gives the copy's number."""
        return await asyncio.to_thread(self._home(server).copy, number)

    async def delete(self, server: Snowflake, number: int) -> None:
        """Delete a run."""
        await asyncio.to_thread(self._home(server).delete, number)

    async def begin(self, server: Snowflake, spec: RunSpec, house: RunHouse) -> int:
        """Begin to play a new run; gives its number once it is founded. `house` is closed once it is over."""
        return await self._begun(server, house, "begin", spec)

    async def advance(self, server: Snowflake, number: int, further: Further, house: RunHouse) -> None:
        """Let a run go on."""
        await self._begun(server, house, "advance", number, further)

    async def end(self, server: Snowflake) -> None:
        """End what is played of a server: what was played until now is kept."""
        play = self._plays.get(server)
        if play is None or play.pipe is None or play.life is None:
            raise Rejected("No run of this server is being played.")
        play.pipe.tell("end")
        if play.ending is None:
            play.ending = asyncio.create_task(_ended_soon(play.life), name="end of a run")

    async def close(self) -> None:
        """End all that is played."""
        lives = [one.life for one in self._plays.values() if one.life is not None]
        for one in lives:
            one.cancel()
        await asyncio.gather(*lives, return_exceptions=True)

    async def _begun(self, server: Snowflake, house: RunHouse, what: str, *given: object) -> int:
        try:
            if server in self._plays:
                raise Rejected(ONE_PLAYS)
            if len(self._plays) >= MOST_AT_ONCE:
                raise Rejected(ALL_PLAY)
        except Rejected:
            await house.close()
            raise
        number = asyncio.get_running_loop().create_future()
        play = self._plays[server] = _Play(house, number)
        play.life = asyncio.create_task(self._live(server, play, what, *given), name="run")
        return await asyncio.shield(number)

    async def _live(self, server: Snowflake, play: _Play, what: str, *given: object) -> None:
        """Have a process play it, and see to its end."""
        why = BROKEN
        try:
            async with self._process(server, play) as pipe:
                played: Played = await pipe.ask(what, *given)
            why = ENDED[played.ending].format(why=played.why)
        except SelfroomError as error:
            why = error.sentence
            if not play.number.done():
                play.number.set_exception(error)
        except (Cut, OSError, RuntimeError) as error:
            log.error("a run broke off", run=play.run, why=str(error) or type(error).__name__)
        finally:
            if not play.number.done():
                play.number.set_exception(StoreError(BROKEN))
                play.number.exception()  # who waited may be gone
            if play.run is not None:
                self._why[server, play.run] = why
            await play.house.close()
            del self._plays[server]
            play.house.news()

    @asynccontextmanager
    async def _process(self, server: Snowflake, play: _Play) -> AsyncIterator[Pipe]:
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-m", "bot", "runs", "apart"),
                *(str(self._home(server).folder), str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=DEVNULL,
                env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},  # and no secret
                start_new_session=True,  # Ctrl-C is for us alone
            )
        reader, writer = await asyncio.open_connection(sock=ours)
        play.pipe = Pipe(reader, writer, play.serve)
        hearing = asyncio.create_task(play.pipe.run(), name="pipe of a run")
        try:
            yield play.pipe
        finally:
            kill(process)
            writer.close()
            await process.wait()
            await hearing


async def _ended_soon(life: asyncio.Task[None]) -> None:
    """End as it is what does not end by the word."""
    await asyncio.wait([life], timeout=ENDS_WITHIN)
    life.cancel()


def _zipped(told: Story) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files(told):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
