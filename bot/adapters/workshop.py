"""Work that strangers can make slow, in processes of its own: bounded in time and memory, and killed at the bound."""

import asyncio
import math
import os
import pickle
import resource
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, ParamSpec, TypeVar

import structlog

from bot.core.errors import SelfroomError, TooMuch

BENCHES: Final = 2  # processes at most
CPU_SECONDS: Final = 2.0  # of one piece of work
WALL_SECONDS: Final = 20  # the same on a machine that has much else to do
MEMORY_BYTES: Final = 64_000_000  # beyond what an idle process takes
LARGEST_RESULT: Final = 8_000_000
SIZE_BYTES: Final = 4
P = ParamSpec("P")
T = TypeVar("T")
log = structlog.get_logger(__name__)


class ProcessWorkshop:
    """The `Workshop` port: a few processes, begun when there is work; a lane has at most one of them at a time."""

    def __init__(
        self,
        *,
        benches: int = BENCHES,
        wall_seconds: float = WALL_SECONDS,
        cpu_seconds: float = CPU_SECONDS,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._turn = asyncio.Semaphore(benches)
        self._lanes: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._wall_seconds = wall_seconds
        self._bounds = (str(cpu_seconds), str(math.ceil(wall_seconds)), str(memory_bytes))
        self._idle: list[Process] = []

    async def done(self, lane: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
        """Do pure work, a function that its module names; raises TooMuch, and what the work raises."""
        async with self._lanes[lane], self._turn:
            bench = await self._bench()
            try:
                async with asyncio.timeout(self._wall_seconds):
                    done, result = await _answered(bench, (work, given, named))
            except (TimeoutError, EOFError, ConnectionError) as error:
                name = getattr(work, "func", work).__name__  # of what a partial does
                log.warning("a piece of work was given up", work=name, lane=lane, why=type(error).__name__)
                raise TooMuch from None
            else:
                self._idle.append(bench)
            finally:
                if bench not in self._idle:
                    await _ended(bench)
        if not done:
            raise result
        return result  # type: ignore[no-any-return]  # what the work gave

    async def close(self) -> None:
        """End the processes."""
        while self._idle:
            await _ended(self._idle.pop())

    async def _bench(self) -> Process:
        while self._idle:
            bench = self._idle.pop()
            if bench.returncode is None:
                return bench
            await _ended(bench)
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-m", __name__, *self._bounds),
            stdin=PIPE,
            stdout=PIPE,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},  # and no secret
            start_new_session=True,  # Ctrl-C is for us alone
        )


async def _answered(bench: Process, task: object) -> tuple[bool, Any]:  # whatever the task gives
    """Hand a piece of work in and wait for what comes of it: whether it was done, and the result or the error."""
    assert bench.stdin is not None and bench.stdout is not None  # noqa: S101 - both are pipes
    packed = pickle.dumps(task)
    bench.stdin.write(len(packed).to_bytes(SIZE_BYTES))
    bench.stdin.write(packed)
    await bench.stdin.drain()
    size = int.from_bytes(await bench.stdout.readexactly(SIZE_BYTES))
    found: tuple[bool, Any] = pickle.loads(await bench.stdout.readexactly(size))  # noqa: S301 - our own process wrote it
    return found


def kill(process: Process) -> None:
    """Kill a process, also one that is just ending by itself, and leave its exit code to asyncio.

    `Process.kill` looks for the exit code first (before Python 3.12): what it takes so, nobody else is told.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def _ended(bench: Process) -> None:
    assert bench.stdin is not None and bench.stdout is not None  # noqa: S101 - both are pipes
    kill(bench)
    bench.stdin.close()
    await bench.stdout.read()  # it is over only when nothing is left to read
    await bench.wait()


def _work_off(source: BinaryIO, sink: BinaryIO, cpu_seconds: float, wall_seconds: int) -> None:
    """Do one piece of work after the other until nobody hands in any more."""
    while size := source.read(SIZE_BYTES):
        task = source.read(int.from_bytes(size))
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)  # it ends the process
        signal.alarm(wall_seconds)  # even when nobody is left to do it
        packed = _outcome(task)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        sink.write(len(packed).to_bytes(SIZE_BYTES) + packed)
        sink.flush()


def _outcome(task: bytes) -> bytes:
    try:
        work, given, named = pickle.loads(task)  # noqa: S301 - the bot wrote it
        packed = pickle.dumps((True, work(*given, **named)))
        return packed if len(packed) <= LARGEST_RESULT else pickle.dumps((False, TooMuch()))
    except (MemoryError, RecursionError):
        return pickle.dumps((False, TooMuch()))
    except SelfroomError as error:
        return pickle.dumps((False, error))
    except Exception as error:  # as it would be raised without us, but for its frames
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


def _bound_memory(memory_bytes: int) -> None:
    """Let this process take so much more than it has now, where the system can tell how much that is."""
    taken = Path("/proc/self/statm")
    if taken.exists():
        most = int(taken.read_text().split()[0]) * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> None:
    """Be one of the processes."""
    import bot.core.answers
    import bot.core.cards  # noqa: F401 - what is known before does not count

    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that prints may be taken for a result
    cpu_seconds, wall_seconds, memory_bytes = sys.argv[1:]
    _bound_memory(int(memory_bytes))
    _work_off(sys.stdin.buffer, sink, float(cpu_seconds), int(wall_seconds))


if __name__ == "__main__":
    main()
