"""`make chaos`: SEED picks one seed, else ten are held in turn; KILLS tells how often the bot is killed with each.

With SCENES, whole scenes are played meanwhile (tests.chaos.scenes); with TIMELINES it is the process of the what-ifs
that is killed (tests.chaos.timelines).
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos import scenes, timelines
from tests.chaos.trial import Plan, hold

FAULT_SHARE = 0.2
# Drawn at random once, and seen by nobody before: what Selfroom holds with, it holds with unprepared.
SEEDS = (41_268, 802_443, 7_688, 685_498, 375_281, 865_348, 957_433, 781_372, 775_811, 400_347)
KILLS_OF_ONE, KILLS_OF_EACH = 40, 8


def say(line: str) -> None:
    """Print at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Hold the trials; gives the exit code."""
    if os.environ.get("SCENES"):
        return scenes.main(say)
    if os.environ.get("TIMELINES"):
        return timelines.main(say)
    chosen = os.environ.get("SEED")
    seeds = (int(chosen),) if chosen else SEEDS
    kills = int(os.environ.get("KILLS") or (KILLS_OF_ONE if chosen else KILLS_OF_EACH))
    failed = [seed for seed in seeds if not holds(seed, kills)]
    for seed in failed:
        say(f"seed {seed} did not hold; run it again with: make chaos SEED={seed} KILLS={kills}")
    if not failed:
        say(f"held with {', '.join(map(str, seeds))}: {kills} kills each")
    return 1 if failed else 0


def holds(seed: int, kills: int) -> bool:
    """Hold the trials of one seed: kills alone, then kills amid faults."""
    plans = [
        Plan(seed=seed, kills=kills - kills // 2),
        Plan(seed=seed + 1, kills=kills // 2, fault_share=FAULT_SHARE),
    ]
    return all([_is_whole(plan, seed) for plan in plans])


def _is_whole(plan: Plan, seed: int) -> bool:
    say(f"seed {seed}: {plan.kills} kills, {plan.fault_share:.0%} faults")
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="selfroom-chaos-"))
    verdict = asyncio.run(hold(plan, folder, say))
    say(f"{verdict}\n  {time.monotonic() - began:.0f} s, kept in {folder}")
    return not verdict.wrong


if __name__ == "__main__":
    sys.exit(main())
