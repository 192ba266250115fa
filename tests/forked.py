"""Work and whole programs in processes forked from one that has imported all they need: to import takes a second."""

import asyncio
import multiprocessing
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(
    ["__main__", "bot.app", "tests.held", "tests.storage.killed", "tests.engine.test_intake_killed"]
)
PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Forked:
    """A running process and what it prints."""

    process: ForkServerProcess
    said: TextIOWrapper

    def ends(self) -> tuple[int, str]:
        """Wait for its end; gives its exit code, -9 when it was killed, and what it said until then."""
        said = self.said.read()
        self.process.join(PATIENCE_SECONDS)
        assert self.process.exitcode is not None
        return self.process.exitcode, said


@contextmanager
def forked(work: Callable[..., None], *arguments: object) -> Iterator[Forked]:
    """Do the work in a process of its own; a traceback goes to the error output of the tests."""
    reader, writer = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=_told, args=(writer, work, arguments))
    process.start()
    writer.close()
    with reader, os.fdopen(os.dup(reader.fileno())) as said:
        try:
            yield Forked(process, said)
        finally:
            process.kill()
            process.join()
            process.close()


class Program:
    """`selfroom`, forked: to be used as an `asyncio.subprocess.Process`."""

    def __init__(self, process: ForkServerProcess, stdout: asyncio.StreamReader) -> None:
        self._process = process
        self.stdout = stdout

    @property
    def pid(self) -> int:
        """Its number among the machine's processes."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Signal it, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    async def wait(self) -> None:
        """Wait until it has ended."""
        while self.returncode is None:  # noqa: ASYNC110
            await asyncio.sleep(0.005)  # another program's end sets no event here

    async def communicate(self) -> tuple[bytes, None]:
        """Read on until it has ended; gives what it printed."""
        said = await self.stdout.read()
        await self.wait()
        return said, None


@asynccontextmanager
async def selfroom(
    command: Sequence[str], env: Mapping[str, str], folder: Path | None = None
) -> AsyncIterator[Program]:
    """Run the command line in a folder with such an environment, as `python -m tests.held` does."""
    reader, writer = SERVER.Pipe(duplex=False)
    process = SERVER.Process(target=_lived, args=(writer, tuple(command), dict(env), folder))
    process.start()
    writer.close()
    stream = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    with reader:
        pipe = os.fdopen(os.dup(reader.fileno()), "rb")
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), pipe)
    try:
        yield Program(process, stream)
    finally:
        process.kill()
        process.join()
        process.close()
        transport.close()


def _lived(writer: Connection, command: tuple[str, ...], env: dict[str, str], folder: Path | None) -> None:
    from tests import held  # here only: who just kills some work needs none of it

    os.dup2(writer.fileno(), 1)
    os.dup2(1, 2)
    # What was there before may be a file, in which it could not go on.
    sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1, closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(env)
    if folder is not None:
        os.chdir(folder)
    sys.argv = ["selfroom", *command]
    held.run()


def _told(writer: Connection, work: Callable[..., None], arguments: tuple[object, ...]) -> None:
    os.dup2(writer.fileno(), 1)
    work(*arguments)
