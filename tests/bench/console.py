"""The console's page, and runs without Discord: a whole `selfroom sim` from the shell to its files, five agents."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import Figure, console_window

AGENTS = "".join(
    f'[[agents]]\nname = "{name}"\nprompt = "You are {name}."\n' for name in ("Ada", "Bo", "Cy", "Dee", "Eli")
)
VILLAGE = '[scene]\nkind = "village"\n[scene.options]\ngoals = false\n'
VISITORS = "".join(
    f'[[events]]\nturn = {5 * number}\nby = "mira"\ntext = "Ada, Bo, Cy, Dee, Eli: what about matter {number}?"\n'
    for number in range(40)
)
TURNS = 200


def played(file: str) -> tuple[float, float]:
    """Play so many turns as a person would, with all that is written; gives seconds of the clock and of work."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "run.toml").write_text(AGENTS + file)
        words = ("sim", "run.toml", "--turns", str(TURNS), "--budget", "100", "--out", "out")
        own = {name: value for name, value in os.environ.items() if not name.startswith("SELFROOM_")}
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, "-m", "bot", *words], cwd=folder, env=own, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken = time.perf_counter() - begun
        written = Path(folder, "out/outcome.json").read_text()
    if (turns := json.loads(written)["turns"]) < TURNS:
        raise RuntimeError(f"it ended after {turns} turns: give it more to do")
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run() -> list[Figure]:
    """Measure; on a busy machine the work is the figure to look at."""
    figures = []
    for name, file in (("village", VILLAGE), ("free_talk", VISITORS)):
        taken, work = played(file)
        figures.append(Figure(name=f"console.sim_5x{TURNS}_{name}", value=taken, unit="s", target=20.0))
        figures.append(Figure(name=f"console.sim_5x{TURNS}_{name}_work", value=work, unit="s", target=20.0))
    return figures + console_window.figures()
