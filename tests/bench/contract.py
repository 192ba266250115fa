"""Figures of the contract that every kind of scene keeps, at full size: play-outs by chance, each log folded again.

PLAYOUTS=n plays fewer of each kind. The time is that of the processors, so that what else they do is not in it.
"""

import os
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from bot.core.scenes.kind import RULES, SceneKind, Wait
from bot.core.scenes.play import Rule, replayed
from bot.core.scenes.registry import KINDS
from tests.bench import Figure
from tests.core.scenes.plays import Playing, dice, of, play_out, some_options, wrongly_taken

PLAY_OUTS = 10_000  # of each kind
CORES = 2
AT_ONCE = 100  # to a task
IDLE_SHARE = 10  # of so many scenes one is played by timeouts alone, and one while seats leave
MOST_STEPS = 5_000


def run() -> list[Figure]:
    """Play every kind by chance, by timeouts alone, and while everybody leaves."""
    each, began = int(os.environ.get("PLAYOUTS") or PLAY_OUTS), time.monotonic()
    tasks = [(name, start, min(AT_ONCE, each - start)) for start in range(0, each, AT_ONCE) for name in KINDS]
    found, used = Counter[str](), 0.0
    with ProcessPoolExecutor(CORES, mp_context=get_context("spawn")) as pool:
        for counts, seconds in pool.map(played, *zip(*tasks, strict=True)):
            found += counts
            used += seconds
    return [
        Figure(name="contract.play_outs", value=found["played"], unit="scenes"),
        Figure(name="contract.steps", value=found["steps"], unit="steps"),
        Figure(name="contract.illegal_moves_accepted", value=found["taken"], unit="moves", target=0),
        Figure(name="contract.stuck", value=found["stuck"], unit="scenes", target=0),
        Figure(name="contract.replay_differences", value=found["differs"], unit="scenes", target=0),
        Figure(name="contract.turns_too_many", value=found["long"], unit="scenes", target=0),
        Figure(name=f"contract.seconds_on_{CORES}_cores", value=used / CORES, unit="s", target=600 * each / PLAY_OUTS),
        Figure(name="contract.seconds_by_the_clock", value=time.monotonic() - began, unit="s"),
    ]


def played(name: str, start: int, count: int) -> tuple[Counter[str], float]:
    """Play some scenes of a kind; gives what was found, and the processor's time."""
    began, found, kind = time.process_time(), Counter[str](), KINDS[name]
    for seed in range(start, start + count):
        found += _by_chance(kind, seed)
        if seed % IDLE_SHARE == 0:
            found += _judged(_by_timeouts(kind, seed))
            found += _judged(_left_alone(kind, seed))
    return found, time.process_time() - began


def _by_chance(kind: SceneKind, seed: int) -> Counter[str]:
    rng, found = dice(seed), Counter[str]()
    for playing in play_out(kind, rng, illegal=False, digests=True):
        if not playing.is_over:
            before = playing.standing
            found["taken"] += len(wrongly_taken(playing, rng)) + (playing.standing != before)
    return found + _judged(playing)


def _by_timeouts(kind: SceneKind, seed: int, away: Sequence[int] = ()) -> Playing:
    """Let nobody ever move; those who are `away` are not even waited for."""
    playing = of(kind, some_options(kind, dice(seed)), max(4, kind.seats[0]), seed=str(seed))
    for seat in away:
        if not playing.is_over:
            playing.enter(RULES, Rule.AWAY, {"seat": seat})
    for _ in range(MOST_STEPS):
        if playing.is_over:
            break
        awaits = playing.standing.awaits
        choices = awaits.choices if isinstance(awaits, Wait) else ()
        playing.enter(RULES, Rule.CHOOSE if choices else Rule.DEADLINE, {"seat": choices[0]} if choices else {})
    return playing


def _left_alone(kind: SceneKind, seed: int) -> Playing:
    """Let all but one leave, or, every other time, all."""
    seats = range(1, max(4, kind.seats[0]) + 1)
    return _by_timeouts(kind, seed, away=[*seats] if seed % (2 * IDLE_SHARE) else [*seats][1:])


def _judged(playing: Playing) -> Counter[str]:
    """Count what is wrong with a scene that was played."""
    end, differs = replayed(playing.play, playing.seats, playing.log, playing.first)
    return Counter(
        played=1,
        steps=len(playing.log),
        stuck=int(playing.standing.stuck or not playing.is_over),
        differs=int(differs is not None or end.digest() != playing.standing.digest()),
        long=int(playing.standing.turns > playing.play.options.turns),
    )
