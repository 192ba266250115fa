"""Work that is killed on the way, in processes forked from one that has imported all it needs: to import is slow."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["__main__", "tests.storage.killed", "tests.engine.test_intake_killed"])
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


def _told(writer: Connection, work: Callable[..., None], arguments: tuple[object, ...]) -> None:
    os.dup2(writer.fileno(), 1)
    work(*arguments)
