"""How soon every slash command answers a manager who uses it, from the send until the answer has come whole.

Options that have to be given get the first value that fits: some answer with a refusal, and some with a question that
nobody answers. All are used twice, for the first `/timeline fork` starts the process in which worlds are grown. What is
left out: commands that take a file, `/say`, which answers by what it says, `/setup try`, which goes on for minutes, and
what comes after a question.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench import Figure
from tests.e2e.commanding import Commander
from tests.e2e.sharing import shared_home
from tests.e2e.visitor import Json

VALUES: dict[int, object] = {3: "Wren", 4: 1, 5: True, 10: 1.0}
NAMED: dict[str, object] = {"agent": "Wren", "room": "Wren", "message": "1", "node": 0, "path": "tea"}
FORK = "timeline fork"
LEFT_OUT = ("say", "setup try")


def run() -> list[Figure]:
    """Use every command once."""
    return asyncio.run(_answers())


async def _answers() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        async with shared_home(Path(folder)) as cast:
            await cast.answered("Wren, who are you?")
            offered = await cast.you.offered(cast.manager.channel_id)
            paths = dict(path for one in offered if one["type"] == 1 for path in _leaves(one))
            rounds = [{path: await _wait(cast.manager, path, given) for path, given in paths.items()} for _ in range(2)]
    waits = [seconds for waits in rounds for path, seconds in waits.items() if path != FORK]
    return [
        Figure(name="commands.tried", value=len(rounds[0]), unit="commands"),
        Figure(name="commands.answer_median", value=median(waits), unit="s"),
        Figure(name="commands.slowest_answer", value=max(waits), unit="s", target=1.0),
        Figure(name="commands.first_fork", value=rounds[0][FORK], unit="s", target=3.0),
        Figure(name="commands.next_fork", value=rounds[1][FORK], unit="s", target=1.0),
    ]


def _leaves(command: Json, before: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    """Give every command below one by its path, with values for what has to be given."""
    path = f"{before} {command['name']}".strip()
    below = [one for one in command.get("options", ()) if one["type"] in (1, 2)]
    for one in below:
        yield from _leaves(one, path)
    wanted = [one for one in command.get("options", ()) if one.get("required")]
    if not below and path not in LEFT_OUT and all(one["type"] in VALUES for one in wanted):
        yield path, {one["name"]: _value(one) for one in wanted}


def _value(option: Json) -> object:
    choices = option.get("choices") or []
    found = choices[0]["value"] if choices else NAMED.get(option["name"], VALUES[option["type"]])
    return max(found, option["min_value"]) if isinstance(found, int | float) and "min_value" in option else found


async def _wait(manager: Commander, path: str, given: dict[str, object]) -> float:
    began = time.perf_counter()
    await manager.run(path, **given)  # type: ignore[arg-type]  # values of options, never a file
    return time.perf_counter() - began
