"""The pipe between the house and the process that runs worlds apart: requests both ways, each answered once."""

import asyncio
import copyreg
import io
import pickle
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from bot.core.errors import SelfroomError

SIZE_BYTES = 4
LOOK_SECONDS = 2.0
Given = tuple[Any, ...]  # what a method of the other end takes
Serve = Callable[[str, Given], Awaitable[object]]


class Cut(Exception):
    """The other end is gone."""


class Pipe:
    """One end: `serve` answers what the other end asks.

    `heard` counts what came, so that a silent end is known; `is_over` says that nothing more comes.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, serve: Serve) -> None:
        self._reader = reader
        self._writer = writer
        self._serve = serve
        self._asked: dict[int, asyncio.Future[Any]] = {}  # of what it gives
        self._serving: set[asyncio.Task[None]] = set()
        self._count = 0
        self.heard = 0
        self.is_over = False

    @property
    def waits(self) -> bool:
        """Whether something was asked of the other end that it has not answered."""
        return bool(self._asked)

    @property
    def is_asked(self) -> bool:
        """Whether the other end waits for an answer from here."""
        return bool(self._serving)

    async def hung(self, seconds: float, is_busy: Callable[[], bool]) -> None:
        """Wait until the other end has said and asked nothing for so long, though it has something to do."""
        loop = asyncio.get_running_loop()
        heard, since = self.heard, loop.time()
        while loop.time() - since <= seconds:
            await asyncio.sleep(LOOK_SECONDS)
            if self.heard != heard or self.is_asked or not is_busy():
                heard, since = self.heard, loop.time()

    async def ask(self, what: str, *given: object) -> Any:  # noqa: ANN401  # what a method of the other end gives
        """Ask the other end; raises what it raised, and Cut when it is gone."""
        if self.is_over:
            raise Cut
        self._count += 1
        number = self._count
        future = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send(("ask", number, what, given))
            return await future
        finally:
            del self._asked[number]

    def tell(self, what: str, *given: object) -> None:
        """Tell the other end something that it does not answer."""
        self._write(("tell", 0, what, given))

    async def run(self) -> None:
        """Hear the other end out, until it is gone."""
        try:
            while True:
                size = int.from_bytes(await self._reader.readexactly(SIZE_BYTES))
                kind, number, *rest = pickle.loads(await self._reader.readexactly(size))  # noqa: S301 - our own process
                self.heard += 1
                self._hear(kind, number, rest)
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            pass
        finally:
            self.is_over = True
            for future in self._asked.values():
                if not future.done():
                    future.set_exception(Cut())
            for task in list(self._serving):
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

    def _hear(self, kind: str, number: int, rest: Sequence[Any]) -> None:  # an answer, or what is asked
        if kind == "answer":
            future = self._asked.get(number)
            if future is not None and not future.done():
                is_good, found = rest
                future.set_result(found) if is_good else future.set_exception(found)
            return
        what, given = rest
        task = asyncio.create_task(self._answer(number if kind == "ask" else None, what, given))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _answer(self, number: int | None, what: str, given: Given) -> None:
        is_good = True
        try:
            found = await self._serve(what, given)
        except SelfroomError as error:
            is_good, found = False, error
        except Exception as error:
            is_good, found = False, RuntimeError(f"{type(error).__name__}: {error}")
        if number is not None:
            with suppress(ConnectionError, OSError):
                await self._send(("answer", number, is_good, found))

    def _write(self, message: object) -> None:
        packed = _packed(message)
        self._writer.write(len(packed).to_bytes(SIZE_BYTES) + packed)

    async def _send(self, message: object) -> None:
        try:
            self._write(message)
            await self._writer.drain()
        except (ConnectionError, OSError, RuntimeError) as error:
            raise Cut from error


def _packed(message: object) -> bytes:
    """Pack a message; what it holds a view of (an image lies in a file) goes along as it is."""
    packed = io.BytesIO()
    packer = pickle.Pickler(packed)
    packer.dispatch_table = {**copyreg.dispatch_table, memoryview: lambda view: (bytes, (bytes(view),))}
    packer.dump(message)
    return packed.getvalue()
