"""The playground and the bot as processes of their own, so that one can be killed without the other."""

import asyncio
import os
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.forked import Program, selfroom

READY = "Selfroom is ready"
START_SECONDS = 120.0
ANEW = True  # each start imports all, as people's do; where there are many, and they are not what is tried, they fork
QUICK = {
    "SELFROOM_PLAYGROUND_PACE": "off",
    "SELFROOM_SLOT_SECONDS": "0.25",
    "SELFROOM_COMMUNITY__SETTLE_SECONDS": "0.1",
    "SELFROOM_COMMUNITY__SETTLE_AT_MOST_SECONDS": "0.3",
    "SELFROOM_COMMUNITY__TYPING_AT_MOST_SECONDS": "0.3",
    "SELFROOM_COMMUNITY__FATE_SECONDS": "2",
    "SELFROOM_COMMUNITY__INTERVAL_SECONDS": "1",
    "SELFROOM_COMMUNITY__RESTING_INTERVAL_SECONDS": "1",
    "SELFROOM_COMMUNITY__ADDRESSED_PER_PERSON": "100000",
    "SELFROOM_COMMUNITY__USD_PER_DAY": "none",
    "SELFROOM_MODEL_TIMEOUT_SECONDS": "5",
}


@dataclass
class Child:
    """One child process; what it prints goes to a file, and its first lines can be waited for."""

    name: str
    command: list[str]
    folder: Path
    env: dict[str, str]
    through: list[str] = field(default_factory=list)  # a program that runs it
    process: asyncio.subprocess.Process | Program | None = None
    lines: list[str] = field(default_factory=list)
    _reader: asyncio.Task[None] | None = None
    _fork: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SELFROOM_", "DISCORD_"))}
        self.lines.clear()
        env = kept | {"PYTHONPATH": os.getcwd(), "COLUMNS": "300"} | self.env
        if self.through or ANEW:
            self.process = await asyncio.create_subprocess_exec(
                *self.through,
                sys.executable,
                "-m",
                "bot",
                *self.command,
                cwd=self.folder,
                env=env,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        else:
            self.process = await self._fork.enter_async_context(selfroom(self.command, env, self.folder))
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        with (self.folder / f"{self.name}.out").open("a") as out:
            while line := await self.process.stdout.readline():
                text = line.decode(errors="replace").rstrip()
                self.lines.append(text)
                out.write(text + "\n")
                out.flush()

    def said(self, words: str) -> bool:
        """Tell whether this life printed a line with these words."""
        return any(words in line for line in self.lines)

    async def says(self, words: str, seconds: float = START_SECONDS) -> str:
        """Wait until it prints a line with these words; gives the line."""
        for _ in range(round(seconds / 0.02)):
            has_ended = self.process is None or self.process.returncode is not None
            if has_ended and self._reader is not None:
                await self._reader  # what it said at its end may not have been read yet
            for line in self.lines:
                if words in line:
                    return line
            if has_ended:
                break
            await asyncio.sleep(0.02)
        raise AssertionError(f"{self.name} never said {words!r}: " + "\n".join(self.lines[-20:]))

    async def end(self, how: signal.Signals) -> None:
        """Send a signal and wait for the end."""
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(how)
            await self.process.wait()
        if self._reader is not None:
            await self._reader
        await self._fork.aclose()


@dataclass
class Discord:
    """The playground in its own process."""

    folder: Path
    pace: str = "off"  # of its rate limits
    child: Child = field(init=False)
    url: str = ""

    def __post_init__(self) -> None:
        env = QUICK | {"SELFROOM_DATA_DIR": str(self.folder), "SELFROOM_PLAYGROUND_PACE": self.pace}
        self.child = Child("playground", ["playground", "--port", "0"], self.folder, env)

    async def __aenter__(self) -> Self:
        await self.child.start()
        line = await self.child.says("http://127.0.0.1:")
        self.url = "http://127.0.0.1:" + line.split("http://127.0.0.1:")[1].split("/")[0].split()[0].strip(".,")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.child.end(signal.SIGTERM)


def reached(about: dict[str, str], url: str, folder: Path) -> dict[str, str]:
    """Give the settings that put the playground in Discord's place, and its model in the provider's."""
    return {
        "DISCORD_TOKEN": about["bot_token"],
        "SELFROOM_DISCORD_API": about["api_url"],
        "SELFROOM_DISCORD_GATEWAY": about["gateway_url"],
        "SELFROOM_DISCORD_CDN": about["cdn_url"],
        "SELFROOM_OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "none",
        "SELFROOM_SPONSORED_SERVERS": "*",
        "SELFROOM_DATA_DIR": str(folder),
    }


def bot(about: dict[str, str], url: str, folder: Path) -> Child:
    """Give the bot's process, not started yet: the real one, with the playground in Discord's place."""
    return Child("bot", ["run"], folder, QUICK | reached(about, url, folder))
