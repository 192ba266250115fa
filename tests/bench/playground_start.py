"""How soon the whole of Selfroom is ready when it has run before, and how soon it ends on Ctrl-C."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.bench import Figure

SECOND_RUNS = 3
SAYS_READY = "Selfroom is ready"
UNSET = ("DISCORD_TOKEN", "SELFROOM_DISCORD_TOKEN", "OPENAI_API_KEY", "SELFROOM_OPENAI_API_KEY")


def _live_once(folder: Path) -> tuple[float, float]:
    """Run until it is ready, then interrupt it; give the seconds to either."""
    environment = {key: value for key, value in os.environ.items() if key not in UNSET}
    environment |= {"SELFROOM_DATA_DIR": str(folder), "SELFROOM_PLAYGROUND_PORT": "0", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "bot", "run"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as run:
        assert run.stdout is not None
        said = []
        for line in run.stdout:
            said.append(line)
            if SAYS_READY in line:
                break
        else:
            raise RuntimeError("Selfroom ended before it was ready:\n" + "".join(said))
        ready = time.perf_counter()
        run.send_signal(signal.SIGINT)
        rest, _ = run.communicate(timeout=30)
        ended = time.perf_counter()
    if run.returncode != 0:
        raise RuntimeError(f"Ctrl-C ended Selfroom with {run.returncode}:\n{''.join(said)}{rest}")
    return ready - began, ended - ready


def figures() -> list[Figure]:
    """Measure runs in a data folder that a first run has filled."""
    with tempfile.TemporaryDirectory() as folder:
        _live_once(Path(folder))
        runs = [_live_once(Path(folder)) for _ in range(SECOND_RUNS)]
    return [
        Figure(name="playground.ready_second_run", value=median(ready for ready, _ in runs), unit="s", target=5),
        Figure(name="playground.ctrl_c", value=max(ended for _, ended in runs), unit="s", target=3),
    ]
