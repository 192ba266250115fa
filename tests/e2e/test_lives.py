"""The program as a process: started, killed, started again, stopped."""

import asyncio
import math
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.conftest import QUICK
from tests.e2e.visitor import until, visiting
from tests.forked import Program, selfroom

pytestmark = pytest.mark.e2e

READY_SECONDS = 120  # for a busy test machine; what was promised is measured by the benchmark

ENDS_WITHIN_SECONDS = 3.0  # as promised
LIVES = 3


class Life:
    """One process of `selfroom run`."""

    def __init__(self, process: asyncio.subprocess.Process | Program) -> None:
        self.process = process
        self.lines: list[str] = []
        self.url = ""

    async def ready(self) -> None:
        """Read what it prints until it says where it is."""
        assert self.process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            while line := (await self.process.stdout.readline()).decode():
                self.lines.append(line)
                if found := re.search(r"ready: (http://\S+)", line):
                    self.url = found[1]
                    return
        raise AssertionError(f"it ended instead of being ready: {''.join(self.lines)}")

    async def says(self, words: str) -> None:
        """Read what it prints until it says this."""
        assert self.process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            while line := (await self.process.stdout.readline()).decode():
                self.lines.append(line)
                if words in line:
                    return
        raise AssertionError(f"it ended without saying so: {''.join(self.lines)}")

    async def ends(self) -> int:
        """Wait for its end and give the exit code."""
        async with asyncio.timeout(READY_SECONDS):
            rest, _ = await self.process.communicate()
        self.lines.append(rest.decode())
        return self.process.returncode or 0


Begin = Callable[[Sequence[str], Mapping[str, str]], AbstractAsyncContextManager[asyncio.subprocess.Process | Program]]


@asynccontextmanager
async def started(folder: Path, *command: str, **more: str) -> AsyncIterator[Life]:
    """Start the program with a data folder, forked; it is killed if a test leaves it running.

    Its playground is held to Discord's own description, where that is there.
    """
    async with begun(selfroom, folder, command or ("run",), more) as life:
        yield life


@asynccontextmanager
async def begun(begin: Begin, folder: Path, command: Sequence[str], more: Mapping[str, str]) -> AsyncIterator[Life]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SELFROOM_", "DISCORD_", "OPENAI_"))
    }
    violations = folder.with_name(f"{folder.name}-violations.txt")
    env = kept | QUICK | {"SELFROOM_DATA_DIR": str(folder), "HELD_TO": str(violations)} | dict(more)
    async with begin(command, env) as process:
        try:
            yield Life(process)
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
    assert not violations.exists(), violations.read_text()


@asynccontextmanager
async def anew(command: Sequence[str], env: Mapping[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the program from its very beginning, as a person does: its imports too."""
    yield await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.held",
        *command,
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def test_killed_in_mid_sentence_it_loses_nothing_and_says_nothing_twice(tmp_path: Path) -> None:
    slow = {"SELFROOM_COMMUNITY__TYPING_AT_MOST_SECONDS": "2"}
    async with started(tmp_path, **slow) as life:
        await life.ready()
        async with visiting(life.url) as you:
            channel = await you.channel("wren")
            said = await you.say(channel, "Hello Wren, tell me a story")
            await you.hear("TYPING_START", lambda data: data["channel_id"] == channel)
        life.process.send_signal(signal.SIGKILL)
        await life.ends()
    async with started(tmp_path, **slow) as life:
        await life.ready()
        async with visiting(life.url) as you:
            assert await you.channel("wren") == channel
            await you.answer_after(said)
            again = await you.say(channel, "Thank you, Wren. Who are you?")
            await you.answer_after(again)
            posts = await you.messages(channel)
    assert [one["content"] for one in posts if one["id"] == said["id"]] == ["Hello Wren, tell me a story"]
    answers = [one["content"] for one in posts if "webhook_id" in one]
    assert len(answers) == len(set(answers)) == 2


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
async def test_who_ends_it_has_it_end_cleanly_and_soon_with_people_there(tmp_path: Path, sign: signal.Signals) -> None:
    took: list[float] = []
    while len(took) < LIVES and min(took, default=math.inf) >= ENDS_WITHIN_SECONDS:  # the machine may be busy once
        async with begun(anew, tmp_path / str(len(took)), ["run"], {}) as life:
            await life.ready()
            async with visiting(life.url) as you, visiting(life.url, "guest"):
                await you.say(await you.channel("wren"), "Hello Wren, tell me a story")
                at = time.monotonic()
                life.process.send_signal(sign)
                assert await life.ends() == 0
                took.append(time.monotonic() - at)
        assert "Traceback" not in "".join(life.lines)
    assert min(took) < ENDS_WITHIN_SECONDS, took


async def test_a_port_in_use_is_said_in_one_sentence(tmp_path: Path) -> None:
    async with started(tmp_path / "one") as first:
        await first.ready()
        port = first.url.rpartition(":")[2]
        async with started(tmp_path / "two", SELFROOM_PLAYGROUND_PORT=port) as second:
            assert await second.ends() == 1
    said = "".join(second.lines)
    assert f"Port {port} is in use" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"SELFROOM_PLAYGROUND_PORT": "many"}, "SELFROOM_PLAYGROUND_PORT cannot be used"),
        ({"SELFROOM_DATA_DIR": "/proc/nowhere"}, "The data folder /proc/nowhere cannot be written"),
        ({"SELFROOM_DATABASE_URL": "nonsense"}, "The database URL cannot be read"),
        ({"SELFROOM_DISCORD_API": "http://127.0.0.1:9/api/v10"}, "set DISCORD_TOKEN as well"),
        ({"DISCORD_TOKEN": "some", "SELFROOM_SPONSORED_SERVERS": "*"}, "No model is set"),
    ],
)
async def test_what_cannot_be_used_is_said_in_one_sentence(tmp_path: Path, more: dict[str, str], words: str) -> None:
    async with started(tmp_path, **more) as life:
        assert await life.ends() == 1
    said = "".join(life.lines)
    assert words in said
    assert "Traceback" not in said


@asynccontextmanager
async def a_server(folder: Path, port: int = 0) -> AsyncIterator[dict[str, str]]:
    """Open a playground alone, and give the settings with which a bot elsewhere finds it."""
    async with started(folder, "playground", SELFROOM_PLAYGROUND_PORT=str(port)) as there:
        assert there.process.stdout is not None
        said = [(await there.process.stdout.readline()).decode() for _ in range(7)]
        url = said[0].split()[-1]
        yield {
            "DISCORD_TOKEN": said[5].split('"')[1],
            "SELFROOM_DISCORD_API": f"{url}/api/v10",
            "SELFROOM_DISCORD_GATEWAY": said[3].split('"')[1],
            "SELFROOM_DISCORD_CDN": said[4].split('"')[1],
            "SELFROOM_OPENAI_BASE_URL": f"{url}/v1",
            "SELFROOM_SPONSORED_SERVERS": "*",
        }


async def test_it_lives_on_any_server_that_speaks_discords_protocols(tmp_path: Path) -> None:
    async with a_server(tmp_path / "server") as settings, started(tmp_path / "bot", **settings) as life:
        assert life.process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            while "ready: on Discord" not in (await life.process.stdout.readline()).decode():
                assert life.process.returncode is None
        url = settings["SELFROOM_DISCORD_API"].removesuffix("/api/v10")
        async with visiting(url) as you:
            hall = await you.channel("welcome")
            await you.command(hall, "agent create", name="Moss", prompt="You are Moss, a gardener who loves rain.")
            answer = await you.answer_after(await you.say(await you.channel("moss"), "Who are you?"))
            assert answer["author"]["username"] == "Moss"


async def test_a_server_that_is_not_there_yet_is_waited_for_in_single_lines(tmp_path: Path) -> None:
    async with a_server(tmp_path / "server") as settings:
        pass
    api = settings["SELFROOM_DISCORD_API"]
    port = int(api.split(":")[2].partition("/")[0])
    async with started(tmp_path / "bot", **settings) as life:
        await life.says(f"Nothing answers at {api}: start the server, or correct SELFROOM_DISCORD_API.")
        async with a_server(tmp_path / "server", port):
            await life.says("ready: on Discord")
    said = "".join(life.lines)
    assert "Traceback" not in said
    assert len(life.lines) < 15


async def test_commands_that_are_refused_keep_it_from_saying_that_it_is_ready(tmp_path: Path) -> None:
    async with a_server(tmp_path / "server") as settings:
        url = settings["SELFROOM_DISCORD_API"].removesuffix("/api/v10")
        refusal = {"kind": "status", "route": "PUT /applications/*/guilds/*/commands", "status": 403, "count": None}
        async with aiohttp.ClientSession() as session:
            await session.post(f"{url}/playground/faults", json=refusal)
        async with started(tmp_path / "bot", **settings) as life:
            await life.says("Selfroom runs, but not whole: on Discord")
    said = "".join(life.lines)
    assert "there are no commands, or old ones: invite the bot again with the scope applications.commands" in said
    assert "ready" not in said
    assert "Traceback" not in said


async def test_a_wrong_token_is_said_in_one_sentence(tmp_path: Path) -> None:
    async with (
        a_server(tmp_path / "server") as settings,
        started(tmp_path / "bot", **(settings | {"DISCORD_TOKEN": "wrong"})) as life,
    ):
        assert await life.ends() == 1
    assert "Discord does not take DISCORD_TOKEN" in "".join(life.lines)


async def test_a_model_that_is_down_keeps_the_message_for_later(tmp_path: Path) -> None:
    async with started(tmp_path) as life:
        await life.ready()
        async with visiting(life.url) as you:
            await you.prepare_model({"fault": "server_error", "times": 6})
            channel = await you.channel("wren")
            said = await you.say(channel, "Hello Wren, are you there?")
            answer = await you.answer_after(said, seconds=60)
            assert answer["author"]["username"] == "Wren"

            async def asked_again() -> bool:
                return len(await you.model_calls()) >= 2

            await until(asked_again, "second try")
            assert len([one for one in await you.messages(channel) if "webhook_id" in one]) == 1
