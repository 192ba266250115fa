"""The process in which worlds apart run, as the house sees it: begun when it is needed, and again after its end."""

import asyncio
import os
import socket
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import structlog

from bot.adapters.workshop import kill
from bot.core.config import CommunityConfig
from bot.core.errors import SelfroomError, StoreError
from bot.core.records import Beat, BeatId
from bot.core.sentences import Sentence
from bot.core.timelines.growth import MOST_AT_ONCE, Growth
from bot.core.timelines.merging import Carried
from bot.core.timelines.records import Image, Node, NodeId, Tree, TreeKey
from bot.core.timelines.showing import MindShown
from bot.engine.timelines.house import Treasury
from bot.engine.timelines.pipe import Cut, Given, Pipe

CONFIG = "SELFROOM_TIMELINES_CONFIG"  # the settings for communities, as JSON
SILENT_SECONDS = 60.0  # without a word or a question, while it has something to do
BEGUN_AGAIN = 5  # times in a row, without a node that came to its end in between
GONE = Sentence("The process of the what-ifs ended amid this: what was running goes on; try again.")
HUNG = "It hung, and was ended after a minute."
ENDED = "The process that ran it ended again and again: the log has the details."
log = structlog.get_logger(__name__)


class Seclusion:
    """The `Grower` in a process of its own, which holds neither a token nor a key."""

    def __init__(
        self,
        folder: Path,
        config: CommunityConfig,
        treasury: Treasury,
        *,
        worlds: int = MOST_AT_ONCE,
        json_logs: bool = False,
    ) -> None:
        self._told = ("--worlds", str(worlds), *(("--json-logs",) if json_logs else ()))
        self._folder = folder
        self._config = config
        self._treasury = treasury
        self._door = asyncio.Lock()
        self._process: Process | None = None
        self._pipe: Pipe | None = None
        self._life: asyncio.Task[None] | None = None
        self._running: set[tuple[TreeKey, NodeId]] = set()
        self._vain = 0
        self._closing = False

    @property
    def pid(self) -> int | None:
        """The process's id, while there is one."""
        return self._process.pid if self._process is not None else None

    async def prepare(self) -> None:
        """Begin the process, if it does not run."""
        await self._opened()

    async def begin(self, tree: Tree, image: Image) -> Tree:
        """Make a tree with its root."""
        made: Tree = await self._ask("begin", tree, image)
        return made

    async def grow(self, key: TreeKey, growth: Growth) -> Sequence[Node]:
        """Store the nodes of an operation as queued, and begin to run them."""
        nodes: Sequence[Node] = await self._ask("grow", key, growth)
        return nodes

    async def resume(self, key: TreeKey) -> Sequence[Node]:
        """Run what was running or waiting when the process died; gives these nodes."""
        nodes: Sequence[Node] = await self._ask("resume", key)
        return nodes

    async def rerun(self, key: TreeKey, node_id: NodeId) -> str:
        """Run a node again from its record; gives the first difference in words, empty without one."""
        return str(await self._ask("rerun", key, node_id))

    async def stop(self, key: TreeKey, node_id: NodeId) -> Node:
        """End a node that is not over yet, after the present call."""
        node: Node = await self._ask("stop", key, node_id)
        return node

    async def delete(self, key: TreeKey, node_id: NodeId) -> Sequence[NodeId]:
        """Delete a node and all that came from it, running ones stopped first."""
        gone: Sequence[NodeId] = await self._ask("delete", key, node_id)
        return gone

    async def note(self, key: TreeKey, node_id: NodeId, text: str) -> Node:
        """Set what people note beside a node."""
        node: Node = await self._ask("note", key, node_id, text)
        return node

    async def read(self, key: TreeKey, node_id: NodeId) -> Sequence[str]:
        """Give what was said in a node since the fork, line by line."""
        lines: Sequence[str] = await self._ask("read", key, node_id)
        return lines

    async def minds(self, key: TreeKey, node_id: NodeId) -> Sequence[MindShown]:
        """Give what the agents of a finished node carry."""
        carried: Sequence[MindShown] = await self._ask("minds", key, node_id)
        return carried

    async def seen(self, key: TreeKey, node_id: NodeId, beat_id: BeatId) -> Beat:
        """Put together again what an agent saw at a beat of a node; raises Rejected where that is not exact."""
        beat: Beat = await self._ask("seen", key, node_id, beat_id)
        return beat

    async def compare(self, key: TreeKey, one: NodeId, two: NodeId | None, coin: str) -> tuple[str, Sequence[str]]:
        """Compare two nodes, or all finished children of one: a header, and every difference."""
        found: tuple[str, Sequence[str]] = await self._ask("compare", key, one, two, coin)
        return found

    async def carried(self, key: TreeKey, node_id: NodeId) -> Carried:
        """Give what may be taken over from a node."""
        found: Carried = await self._ask("carried", key, node_id)
        return found

    async def remove(self, key: TreeKey) -> None:
        """Delete a tree, its running nodes stopped first."""
        await self._ask("remove", key)

    async def close(self) -> None:
        """End the process; what runs is queued again."""
        self._closing = True
        if self._life is not None:
            if self._process is not None:
                kill(self._process)
            await asyncio.gather(self._life, return_exceptions=True)

    async def _ask(self, what: str, *given: object) -> Any:  # noqa: ANN401 - what a method of theirs gives
        pipe = await self._opened()
        try:
            found = await pipe.ask(what, *given)
        except Cut as error:
            raise StoreError(GONE) from error
        if what in ("grow", "resume"):
            self._running |= {(given[0], one.id) for one in found}  # type: ignore[misc]
        return found

    async def _opened(self) -> Pipe:
        async with self._door:
            if self._pipe is not None and self._pipe.is_over and self._life is not None:
                await asyncio.wait([self._life])  # the process is just ending
            if self._closing:
                raise StoreError(Sentence("Selfroom is closing: try again once it runs."))
            if self._pipe is None:
                ours, theirs = socket.socketpair()
                with theirs:
                    self._process = await asyncio.create_subprocess_exec(
                        sys.executable,
                        *("-P", "-m", "bot", "timelines", *self._told),
                        *(str(self._folder), str(theirs.fileno())),
                        pass_fds=[theirs.fileno()],
                        stdin=DEVNULL,
                        env={  # and no secret; arguments can be read by everybody on this machine
                            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                            CONFIG: self._config.model_dump_json(),
                        },
                        start_new_session=True,  # Ctrl-C is for us alone
                    )
                reader, writer = await asyncio.open_connection(sock=ours)
                self._pipe = Pipe(reader, writer, self._serve)
                self._life = asyncio.create_task(self._live(self._process, self._pipe, writer), name="timelines")
            return self._pipe

    async def _serve(self, what: str, given: Given) -> object:
        """Do what the process asks of the house."""
        match what:
            case "answer":
                return await self._treasury.answer(*given)
            case "facts":
                return await self._treasury.facts(*given)
            case "changed":
                key, node_id, node, why = given
                self._running.discard((key, node_id))
                self._vain = 0
                await self._treasury.changed(key, node_id, node, why)
                return None
        raise LookupError(what)

    async def _live(self, process: Process, pipe: Pipe, writer: asyncio.StreamWriter) -> None:
        """Hear a process out to its end; then see to what it was at."""
        watching = asyncio.create_task(self._watch(process, pipe))
        try:
            await pipe.run()
        finally:
            watching.cancel()
            hung = (await asyncio.gather(watching, return_exceptions=True))[0] is True
            writer.close()
            kill(process)
            await process.wait()
            self._pipe = self._process = None
        if self._running and not self._closing:
            asyncio.create_task(self._go_on(hung)).add_done_callback(lambda task: task.exception())

    async def _watch(self, process: Process, pipe: Pipe) -> bool:
        """End a process that has work and is silent; gives True once it has done so."""
        await pipe.hung(SILENT_SECONDS, lambda: bool(pipe.waits or self._running))
        log.error("the process of the what-ifs hung and is ended", pid=process.pid)
        kill(process)
        return True

    async def _go_on(self, hung: bool) -> None:
        """Have what was running run on, or, after it hung or ended again and again, give it up."""
        self._vain += 1
        gives_up = hung or self._vain > BEGUN_AGAIN
        log.warning("the process of the what-ifs ended and is begun again", hung=hung, running=len(self._running))
        running, self._running = self._running, set()
        try:
            for key in sorted({key for key, _ in running}, key=lambda one: (one.community_id, one.id)):
                if gives_up:
                    ids = tuple(node_id for of, node_id in running if of == key)
                    await self._ask("give_up", key, ids, HUNG if hung else ENDED)
                await self.resume(key)
        except SelfroomError as error:
            log.error("what was running in the what-ifs does not go on", why=error.sentence)
