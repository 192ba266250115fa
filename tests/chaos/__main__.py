"""`make chaos`: SEED picks the seed, KILLS how often the bot is killed, FAULTS the share of requests that fail."""

import asyncio
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.trial import Plan, hold

FAULT_SHARE = 0.2


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Hold the trials: kills alone, then kills amid faults; gives the exit code."""
    seed = int(os.environ.get("SEED") or secrets.randbelow(1_000_000))
    kills = int(os.environ.get("KILLS") or 40)
    plans = [
        Plan(seed=seed, kills=kills - kills // 2),
        Plan(seed=seed + 1, kills=kills // 2, fault_share=FAULT_SHARE),
    ]
    failed = False
    for plan in plans:
        say(f"seed {seed}: {plan.kills} kills, {plan.fault_share:.0%} faults")
        began = time.monotonic()
        folder = Path(tempfile.mkdtemp(prefix="selfroom-chaos-"))
        verdict = asyncio.run(hold(plan, folder, say))
        say(f"{verdict}\n  {time.monotonic() - began:.0f} s, kept in {folder}")
        failed = failed or bool(verdict.wrong)
    say(f"run it again with: make chaos SEED={seed} KILLS={kills}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
