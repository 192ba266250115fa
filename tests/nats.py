"""A NATS server of one test's own, where its program is here: killed, wiped and started again at the same address."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.visitor import until
from tests.playground.test_leaving import free_port


@dataclass
class NatsServer:
    """A server with its store in a folder."""

    program: str
    folder: Path
    port: int
    process: asyncio.subprocess.Process | None = field(default=None)

    @property
    def url(self) -> str:
        """Where it is, also while it is not."""
        return f"nats://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        command = (self.program, "--addr", "127.0.0.1", "--port", str(self.port), "--jetstream")
        self.process = await asyncio.create_subprocess_exec(
            *command, "--store_dir", self.folder, stderr=asyncio.subprocess.DEVNULL
        )
        await until(self._listens, "a NATS that listens")

    async def _listens(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except ConnectionError:
            return False
        writer.close()
        return True

    async def kill(self, *, wiped: bool = False) -> None:
        """Kill it, and let nothing be left of its store if it is to be wiped."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        if wiped:
            shutil.rmtree(self.folder, ignore_errors=True)


@asynccontextmanager
async def nats_server(folder: Path) -> AsyncIterator[NatsServer]:
    """Run one; a test without its program is skipped."""
    program = shutil.which("nats-server", path=str(Path(sys.executable).parent)) or shutil.which("nats-server")
    if program is None:
        pytest.skip("no nats-server is on this machine: `make test` fetches one")
    server = NatsServer(program, folder, free_port())
    await server.start()
    try:
        yield server
    finally:
        await server.kill()
