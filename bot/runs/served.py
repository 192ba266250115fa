"""The runs of servers: each is played in a process of its own, and read here; a server's runs are its own."""

import asyncio
import os
import shutil
import socket
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Concatenate, Final, ParamSpec, TypeVar

import structlog

from bot.adapters.workshop import ProcessWorkshop, kill
from bot.core.errors import Rejected, SelfroomError, StoreError, TooMuch
from bot.core.records import Json, Snowflake
from bot.core.runs.spec import Further, RunSpec
from bot.engine.front_desk.runs import ONE_PLAYS, RunHouse, UnderWay
from bot.engine.runs.playing import Played
from bot.engine.timelines.pipe import Cut, Given, Pipe
from bot.runs import shown
from bot.runs.home import RunHome
from bot.runs.simulating import ENDED, named
from storage.private import UNFINISHED

P = ParamSpec("P")
T = TypeVar("T")
MOST_AT_ONCE: Final = 2  # runs that are played, of all servers together
GIVES_WAY: Final = 600.0  # seconds after which a run is ended where another server's waits
WAITS_SECONDS: Final = 180.0  # for which a place is kept for who asked in vain
ENDS_WITHIN: Final = 10.0  # seconds from the word until it is ended as it is
SILENT_SECONDS: Final = 120.0  # of its process, which does not even ask anything
LARGEST_KEPT: Final = 512_000_000  # bytes of all runs of a server
READ_SECONDS, READ_BYTES = 30.0, 400_000_000  # of a processor, and of memory, to read one
IDLE_SECONDS: Final = 60.0  # after which nobody waits to read
ALL_PLAY: Final = "As many runs are played as may be at once: try again in a while."
MAKES_WAY: Final = "As many runs are played as may be at once; one is ended now for yours: try again in a minute."
FULL: Final = "The runs of this server take more than {:,} MB: delete one first."
TOO_LARGE: Final = "This run is too large to be shown here: `selfroom runs export` writes it out."
BROKEN: Final = "The process of the run ended amid it: what was played until its last snapshot is kept."
log = structlog.get_logger(__name__)


@dataclass(eq=False)
class _Play:
    """A run that is played now."""

    house: RunHouse
    number: asyncio.Future[int]
    began: float = field(default_factory=time.monotonic)
    run: int | None = None
    turns: int = 0
    pipe: Pipe | None = None
    life: asyncio.Task[None] | None = None
    ending: asyncio.Task[None] | None = None

    async def serve(self, what: str, given: Given) -> object:
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
    _waiting: dict[Snowflake, float] = field(default_factory=dict)  # when who asked in vain did last; first come first
    _why: dict[tuple[Snowflake, int], str] = field(default_factory=dict)  # how each ended that was played here
    _readers: ProcessWorkshop = field(
        default_factory=lambda: ProcessWorkshop(
            benches=2, wall_seconds=3 * READ_SECONDS, cpu_seconds=READ_SECONDS, memory_bytes=READ_BYTES
        )
    )
    _reads: int = 0
    _closing: asyncio.Future[None] | None = None

    def _home(self, server: Snowflake) -> RunHome:
        return RunHome(self.folder if self.is_shared else self.folder / "servers" / str(server))

    async def all(self, server: Snowflake, coin: str) -> bytes:
        """Give a server's runs and which is played, as JSON."""
        return await self._read(server, shown.all_of, coin, {"under_way": self._told(server)})

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

    async def one(self, server: Snowflake, number: int, coin: str) -> bytes:
        """Give a run with its worlds, how it ended and what is played, as JSON."""
        beside: dict[str, Json] = {"ended": self.ended(server, number), "under_way": self._told(server)}
        return await self._read(server, shown.one_of, number, coin, beside)

    async def spent(self, server: Snowflake, number: int) -> tuple[RunSpec, Decimal]:
        """Give what a run was made of, and what it has spent."""
        return await self._read(server, shown.spent_of, number)

    async def told(self, server: Snowflake, number: int, at: str, *, first: int | None, most: int) -> bytes:
        """Give what came of a run until a snapshot, as JSON."""
        return await self._read(server, shown.told_of, number, at, first, most)

    @asynccontextmanager
    async def packed(self, server: Snowflake, number: int, at: str) -> AsyncIterator[Path]:
        """Give an archive of what `selfroom runs export` writes."""
        home = self._home(server)
        await asyncio.to_thread(home.of, number)
        with TemporaryDirectory(dir=home.folder, prefix=UNFINISHED, ignore_cleanup_errors=True) as folder:
            target = Path(folder, "run.zip")
            await self._read(server, shown.pack, number, at, target)
            yield target

    async def _read(
        self, server: Snowflake, work: Callable[Concatenate[Path, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        """Have it read apart; who reads is let go when nobody has read for a while."""
        self._reads += 1
        now = self._reads
        try:
            return await self._readers.done(server, work, self._home(server).folder, *given, **named)
        except TooMuch as error:
            raise Rejected(TOO_LARGE) from error
        finally:
            asyncio.get_running_loop().call_later(IDLE_SECONDS, self._let_readers_go, now)

    def _let_readers_go(self, reads: int) -> None:
        if reads == self._reads:
            self._closing = asyncio.ensure_future(self._readers.close())

    def _told(self, server: Snowflake) -> dict[str, Json] | None:
        going = self.under_way(server)
        return None if going is None else {"run": going.run, "turns": going.turns}

    async def name(self, server: Snowflake, number: int, at: str, name: str) -> int:
        """Give a snapshot a name."""
        return await named(self._home(server), number, at, name)

    async def copy(self, server: Snowflake, number: int) -> int:
        """Copy a run; gives the copy's number."""
        await self._check_space(server)
        return await asyncio.to_thread(self._home(server).copy, number)

    async def delete(self, server: Snowflake, number: int) -> None:
        """Delete a run."""
        await asyncio.to_thread(self._home(server).delete, number)
        self._why.pop((server, number), None)

    async def forget(self, server: Snowflake) -> None:
        """Delete all runs of a server but one that is played; those of the command line are nobody's to delete here."""
        folder = self._home(server).folder
        if self.is_shared or server in self._plays or not await asyncio.to_thread(folder.is_dir):
            return
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)  # what is left goes the next time
        log.info("the runs of a server that was left are deleted", server=server)

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
        self._end(play)

    def _end(self, play: _Play) -> None:
        if play.pipe is not None and play.life is not None:
            play.pipe.tell("end")
            if play.ending is None:
                play.ending = asyncio.create_task(_ended_soon(play.life), name="end of a run")

    async def close(self) -> None:
        """End all that is played."""
        lives = [one.life for one in self._plays.values() if one.life is not None]
        for one in lives:
            one.cancel()
        await asyncio.gather(*lives, return_exceptions=True)
        await self._readers.close()

    async def _check_space(self, server: Snowflake) -> None:
        if await asyncio.to_thread(lambda: self._home(server).bytes) > LARGEST_KEPT:
            raise Rejected(FULL.format(LARGEST_KEPT // 1_000_000))

    def _check_place(self, server: Snowflake) -> None:
        """Raise Rejected where no run can be played now; the one that has been for the longest gives way.

        What becomes free is for who asked before: else whoever gave way could take it again at once.
        """
        if server in self._plays:
            raise Rejected(ONE_PLAYS)
        now = time.monotonic()
        self._waiting = {one: at for one, at in self._waiting.items() if now - at < WAITS_SECONDS}
        before = [*self._waiting, server].index(server)
        if len(self._plays) + before < MOST_AT_ONCE:
            self._waiting.pop(server, None)
            return
        self._waiting[server] = now
        going = self._plays.values()
        oldest = min(going, key=lambda one: one.began, default=None)
        if oldest is None or len(going) < MOST_AT_ONCE or now - oldest.began < GIVES_WAY:
            raise Rejected(ALL_PLAY)
        self._end(oldest)
        raise Rejected(MAKES_WAY)

    async def _begun(self, server: Snowflake, house: RunHouse, what: str, *given: object) -> int:
        try:
            await self._check_space(server)
            self._check_place(server)
        except BaseException:
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
            try:
                await play.house.close()
            finally:
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
        watching = asyncio.create_task(self._watched(process, play.pipe), name="watch of a run")
        try:
            yield play.pipe
        finally:
            watching.cancel()
            kill(process)
            writer.close()
            await process.wait()
            await hearing

    async def _watched(self, process: Process, pipe: Pipe) -> None:
        """End a process that hangs: else its server, and a place, would wait for it for ever."""
        await pipe.hung(SILENT_SECONDS, lambda: pipe.waits)
        log.error("the process of a run hung and is ended", pid=process.pid)
        kill(process)


async def _ended_soon(life: asyncio.Task[None]) -> None:
    """End as it is what does not end by the word."""
    await asyncio.wait([life], timeout=ENDS_WITHIN)
    life.cancel()
