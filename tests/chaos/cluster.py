"""A PostgreSQL server of a test's own, which can be ended at once and started again."""

import asyncio
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
USER = "nobody"  # PostgreSQL refuses to run as root


@dataclass
class Cluster:
    """One server with its data."""

    programs: Path
    folder: Path
    port: int
    process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        """Where its database is."""
        return f"postgresql://selfroom@127.0.0.1:{self.port}/postgres"

    async def run(self, program: str, *options: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            self.programs / program,
            "-D",
            self.folder / "data",
            *options,
            cwd=self.folder,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            user=USER if os.getuid() == 0 else None,
        )

    async def start(self) -> None:
        """Start it and wait until it answers."""
        self.process = await self.run(
            "postgres", "-p", str(self.port), "-k", str(self.folder), "-c", "listen_addresses=127.0.0.1"
        )
        for _ in range(200):
            try:
                await (await asyncpg.connect(self.url, timeout=1)).close()
            except (OSError, asyncpg.PostgresError):
                await asyncio.sleep(0.05)
            else:
                return
        raise AssertionError("PostgreSQL does not start")

    async def end(self) -> None:
        """End it at once, as a crash does."""
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(signal.SIGQUIT)
            await self.process.wait()


@asynccontextmanager
async def cluster() -> AsyncIterator[Cluster | None]:
    """Make a server and remove it afterwards; None where PostgreSQL is not installed."""
    if not PLACES:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="selfroom-pg-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        made = Cluster(PLACES[-1], folder, free.getsockname()[1])
    if os.getuid() == 0:
        shutil.chown(folder, USER)
    try:
        await (await made.run("initdb", "-A", "trust", "-U", "selfroom", "--no-sync")).wait()
        await made.start()
        yield made
    finally:
        await made.end()
        shutil.rmtree(folder, ignore_errors=True)
