"""How long a newcomer waits: from the clone to the first answer, as the README tells it (needs the network)."""

import asyncio
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from discord.utils import snowflake_time

from tests.bench import Figure
from tests.e2e.visitor import visiting

HOME = Path(__file__).parents[2]
ADDRESS = re.compile(r"http://[\w.:]+\d")
SAYS_READY = "Selfroom is ready"
OWN = ("SELFROOM_", "DISCORD_", "OPENAI_", "VIRTUAL_ENV", "MAKE", "PYTHON")  # of the environment: not a newcomer's


def run() -> list[Figure]:
    """Clone, `make run`, and greet Wren in its room."""
    with tempfile.TemporaryDirectory() as folder:
        clone, began = Path(folder) / "selfroom", time.perf_counter()
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", HOME, clone], check=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
        with subprocess.Popen(
            ["make", "run"],
            cwd=clone,
            env=kept | {"SELFROOM_PLAYGROUND_PORT": "0", "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as running:
            try:
                url = _ready(running)
                ready = time.perf_counter() - began
                answered = asyncio.run(_greet(url))
            finally:
                os.killpg(running.pid, signal.SIGINT)
                running.communicate(timeout=30)
    return [
        Figure(name="newcomer.clone_to_ready", value=ready, unit="s"),
        Figure(name="newcomer.wrens_first_answer", value=answered, unit="s", target=2.5),
        Figure(name="newcomer.clone_to_first_answer", value=ready + answered, unit="s", target=25),
    ]


def _ready(running: subprocess.Popen[str]) -> str:
    """Wait until it says that it is ready; gives the playground's address."""
    assert running.stdout is not None
    said = []
    for line in running.stdout:
        said.append(line)
        if SAYS_READY in line and (url := ADDRESS.search(line)):
            return url[0]
    raise RuntimeError("Selfroom ended before it was ready:\n" + "".join(said))


async def _greet(url: str) -> float:
    """Say hello; gives the seconds until the answer stands there."""
    async with visiting(url) as you:
        hall = await you.channel("wren")
        heard = len(you.heard)
        began = time.time()
        await you.say(hall, "Hello Wren! Anyone here?")
        post = await you.hear("MESSAGE_CREATE", lambda one: "webhook_id" in one, after=heard)
        return snowflake_time(int(post["id"])).timestamp() - began  # when it stood there, not when it was looked for
