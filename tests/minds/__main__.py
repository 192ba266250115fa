"""Try small real models on this machine and compare ways of asking them: `python -m tests.minds FOLDER [NAME ...]`.

FOLDER has a `start.py` that starts such a model behind a server with OpenAI's shapes: `start.py NAME PORT`.
With PARTS the full view is tried without each of its parts.
With TALK somebody talks long with it; with COUNCIL three of it hold a council to its end.
"""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from bot.app import opened_trial
from bot.core.hud.prompts import PARTS
from bot.core.kinds import Detail, InputFormat
from bot.core.ports import Model, ModelAnswer, ModelCall
from bot.core.records import Usage
from bot.engine.trial.card import Card
from bot.engine.trial.running import Wanted
from bot.engine.trial.situations import BOAT, Aim, Line, Situation, Turn
from bot.engine.trial.stage import Asked, staged
from bot.settings import Settings
from tests.minds.council import held

PORT = 21_599
STARTS_WITHIN_SECONDS = 1_800.0  # the first time it is fetched
MINDS = ("qwen", "smol")
HEARD = Path(__file__).parents[2] / "test-output"  # what was asked and answered, and what of it was wrong
LANGUAGES = tuple(os.environ.get("LANGUAGES", "English").split(","))
WHY = "why"
FEW = ("addressed", "recall 1", "recall 2", "recall 3", "recall 4", "recall 5", "not addressed", "thumbs")
REASON = re.compile(r'\nwhy: [^\n]*(?=\n)|,\s*"(?:why)": "(?:[^"\\]|\\.)*"')
TALK = (
    "hello",
    "is the light on",
    "do you like fog",
    "and rain",
    "who are you",
    "what room is this",
    "boat 1",
    "really",
)
ROUNDS = 3  # of such a talk
COLUMNS = (Aim.USABLE, Aim.ANSWERED, Aim.SILENT, Aim.RECALL, Aim.DONE, Aim.UNASKED, Aim.LEAK)


@dataclass(frozen=True)
class Way:
    """One way of asking."""

    name: str
    detail: Detail
    input_format: InputFormat = InputFormat.TEXT
    without: tuple[str, ...] = ()  # parts of the instructions (core.hud.prompts), and WHY
    api: str = "chat"

    def cut(self, call: ModelCall) -> ModelCall:
        """Give a call without these parts."""
        instructions, shown = call.instructions, call.input
        for name in self.without:
            if name == WHY:
                shown = REASON.sub("", shown)
            else:
                instructions = instructions.replace(PARTS[name], "")
        return replace(call, instructions=instructions, input=shown)


WAYS = (
    Way("lean, text", Detail.LEAN),
    Way("lean, text, no reason line", Detail.LEAN, without=(WHY,)),
    Way("lean, json", Detail.LEAN, InputFormat.JSON),
    Way("lean, text, responses API", Detail.LEAN, api="responses"),
    Way("full, text", Detail.FULL),
    Way("full, text, no reason line", Detail.FULL, without=(WHY,)),
    Way("full, json", Detail.FULL, InputFormat.JSON),
)


WITHOUT_PARTS = tuple(
    Way(f"full, text, no {name}", Detail.FULL, without=(name,)) for name in PARTS if name not in ("lean", "isolation")
)


class Listened:
    """A model whose every question and answer is written down, and which may not be told why a beat came."""

    def __init__(self, model: Model, way: Way, into: TextIO) -> None:
        self._model, self._way, self._into = model, way, into

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        call = self._way.cut(call)
        answer = await self._model.answer(call)
        used = answer.usage
        counts = f"{used.input_tokens} in ({used.cached_tokens} cached), {used.output_tokens} out"
        self._into.write(f"=== {call.input}\n--- {counts}, {used.latency_seconds:.1f} s\n{answer.text}\n")
        return answer


@contextmanager
def started(folder: Path, mind: str) -> Iterator[str]:
    """Run a model's server until the block ends; gives its address."""
    server = subprocess.Popen([sys.executable, str(folder / "start.py"), mind, str(PORT)], stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + STARTS_WITHIN_SECONDS
        while not answers():
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{mind} did not start: try {folder}/start.py by itself.")
            time.sleep(1)
        yield f"http://127.0.0.1:{PORT}/v1"
    finally:
        server.terminate()
        server.wait()


def answers() -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False


@contextmanager
def settings_of(address: str, way: Way) -> Iterator[Settings]:
    """Give the settings of one trial, with a data folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        given = {"data_dir": folder, "openai_base_url": address, "openai_api": way.api, "model_timeout_seconds": 300}
        yield Settings.model_validate(given)


async def tried(address: str, mind: str, way: Way, only: Sequence[str]) -> Card:
    HEARD.mkdir(exist_ok=True)
    with settings_of(address, way) as settings, (HEARD / f"mind {mind}, {way.name}.txt").open("w") as into:
        async with opened_trial(settings, mind) as trial:
            trial.model = Listened(trial.model, way, into)  # type: ignore[assignment]  # all else it passes on
            wanted = Wanted(name=mind, detail=way.detail, input_format=way.input_format, languages=LANGUAGES, only=only)

            async def progress(done: int, total: int, what: str) -> None:
                print(f"\r{way.name}: {done} of {total} {what:<40}", end="", file=sys.stderr)  # noqa: T201

            card = await trial.run(wanted, progress)
        into.writelines(f"{line}\n" for line in [*card.lines(), *card.failed])
        return card


async def talked(address: str, mind: str, way: Way) -> str:
    """Have one person talk long in one room; gives what its calls cost to read, without the first two."""
    talk = Situation(name="a long talk", turns=(), knows=BOAT)
    read: list[Usage] = []
    HEARD.mkdir(exist_ok=True)
    path = HEARD / f"mind {mind}, {way.name}, a long talk.txt"
    with settings_of(address, way) as settings, path.open("w") as into:
        async with opened_trial(settings, mind) as trial:
            heard: Any = Listened(trial.model, way, into)
            asked = Asked(model=heard, name=mind, detail=way.detail, language="English", input_format=way.input_format)
            async with staged(trial.props, asked, talk) as stage:
                for phrase in TALK * ROUNDS:
                    came = await stage.play(Turn(said=(Line("mira", phrase),), minutes_later=0.5))
                    read += [one.usage for one in came.beats if one.usage.input_tokens]
    read = read[2:]
    given, cached = sum(one.input_tokens for one in read), sum(one.cached_tokens for one in read)
    seconds = sorted(one.latency_seconds for one in read)
    middle = f"{seconds[len(seconds) // 2]:.1f} s a call" if seconds else "nothing came"
    return f"{way.name}, a long talk: {len(read)} calls, {middle}, {100 * cached // max(1, given)} % read from cache"


def row(way: Way, card: Card) -> str:
    shares = [f"{card.passed[aim]}/{card.tried[aim]}" if card.tried[aim] else "–" for aim in COLUMNS]
    cached = 100 * card.usage.cached_tokens // max(1, card.usage.input_tokens)
    tokens = card.usage.input_tokens // max(1, card.beats)
    return " | ".join(["", way.name, *shares, f"{card.median_seconds:.1f}", f"{tokens:,}", f"{cached} %", ""]).strip()


async def main() -> None:
    folder, minds = Path([*sys.argv[1:], "../shared/minds"][0]), sys.argv[2:] or MINDS
    if not (folder / "start.py").exists():
        print(f"There are no minds in {folder}: nothing was tried.")  # noqa: T201
        return
    among = WITHOUT_PARTS if "PARTS" in os.environ else WAYS
    ways = [one for one in among if re.search(os.environ.get("WAYS", ""), one.name)]
    only = FEW if os.environ.get("ALL") is None else ()
    for mind in minds:
        print(f"\n{mind}, {time.strftime('%Y-%m-%d')}\n")  # noqa: T201
        print(" | ".join(["", "way", *COLUMNS, "seconds", "tokens in", "cached", ""]).strip())  # noqa: T201
        print("|" + " --- |" * (len(COLUMNS) + 4))  # noqa: T201
        with started(folder, mind) as address:
            if "COUNCIL" in os.environ:
                with tempfile.TemporaryDirectory() as house:
                    print("\n".join(await held(address, mind, Path(house))), flush=True)  # noqa: T201
                continue
            for way in ways:
                if "TALK" in os.environ:
                    print(await talked(address, mind, way), flush=True)  # noqa: T201
                    continue
                print(row(way, await tried(address, mind, way, only)), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
