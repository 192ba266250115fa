"""Figures of rules alone: every kind played out by chance on two cores, with illegal tries at each step."""

import gc
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from bot.core.scenes.kind import SceneKind, State
from bot.core.scenes.landlord.cards import pack
from bot.core.scenes.landlord.table import Table
from bot.core.scenes.play import replayed
from bot.core.scenes.registry import KINDS
from bot.core.scenes.village.state import Village
from bot.core.scenes.werewolf.state import Werewolf
from tests.bench import Figure
from tests.core.scenes.landlord.tables import all_cards
from tests.core.scenes.plays import Playing, dice, play_out, wrongly_taken
from tests.core.scenes.village.games import items_are_kept

EACH = 10_000  # of a kind
AT_ONCE = 50  # that one process plays before it tells
CORES = 2
MOST_SECONDS = 600
FOLDED_AGAIN = 10  # one of so many is: with digests, as it is stored


def run() -> list[Figure]:
    """Measure; PLAYOUTS=n plays so many of each kind. The bar is for the clock of two cores that nobody else uses.

    Beside it stands the processors' time, in which nobody else's work is.
    """
    each = int(os.environ.get("PLAYOUTS") or EACH)
    began, found = time.perf_counter(), Counter[str]()
    tasks = [(kind, first, min(AT_ONCE, each - first)) for kind in KINDS for first in range(0, each, AT_ONCE)]
    with ProcessPoolExecutor(CORES, mp_context=get_context("forkserver")) as pool:
        for told in pool.map(_played, *zip(*tasks, strict=True)):
            found += told
    seconds = time.perf_counter() - began
    name = f"play_outs.{each * len(KINDS)}"
    return [
        Figure(name=f"{name}_on_{CORES}_cores", value=seconds, unit="s", target=MOST_SECONDS * each / EACH),
        Figure(name=f"{name}_of_the_processors", value=found["milliseconds"] / 1_000, unit="s"),
        Figure(name=f"{name}_a_minute_of_{CORES}_cores", value=_a_minute(each, found["milliseconds"]), unit="scenes"),
        *(Figure(name=f"{name}_{kind}_processor_ms_each", value=found[kind] / each, unit="ms") for kind in KINDS),
        Figure(name=f"{name}_steps", value=found["steps"], unit="steps"),
        Figure(name=f"{name}_illegal_moves_accepted", value=found["accepted"], unit="moves", target=0),
        Figure(name=f"{name}_stuck", value=found["stuck"], unit="scenes", target=0),
        Figure(name=f"{name}_broken_invariants", value=found["broken"], unit="steps", target=0),
        Figure(name=f"{name}_folded_otherwise", value=found["different"], unit="scenes", target=0),
    ]


def _a_minute(each: int, milliseconds: int) -> float:
    """Give how many play-outs two cores come to in a minute that is theirs alone."""
    return each * len(KINDS) / (milliseconds / 60_000 / CORES)


def _played(kind: str, first: int, many: int) -> Counter[str]:
    """Play some, and count what happened and what never may."""
    gc.freeze()  # what is loaded stays: it need not be gone through again and again
    gc.set_threshold(100_000)  # nor what a scene holds: nothing of it goes in rings
    began, found = time.process_time(), Counter[str]()
    for number in range(first, first + many):
        _one(KINDS[kind], number, found)
    found["milliseconds"] = found[kind] = int((time.process_time() - began) * 1_000)
    return found


def _one(kind: SceneKind, number: int, found: Counter[str]) -> None:
    rng, digests = dice(number), number % FOLDED_AGAIN == 0
    before: State | None = None
    for playing in play_out(kind, rng, illegal=False, digests=digests, listens=False):
        found["broken"] += not holds(before, playing)
        before = playing.standing.state
        if not playing.is_over:
            found["accepted"] += len(wrongly_taken(playing, rng))
    found["stuck"] += playing.standing.stuck or not playing.is_over
    found["steps"] += len(playing.log)
    if digests:
        end, differs = replayed(playing.play, playing.seats, playing.log, playing.first)
        found["different"] += differs is not None or end.digest() != playing.standing.digest()


def holds(before: State | None, playing: Playing) -> bool:
    """Tell whether nothing came from nothing and nothing is lost: cards and scores, things, lives and votes."""
    state = playing.standing.state
    match state:
        case Table():
            return all_cards(state) == pack(state.house.decks) and sum(state.scores) == 0
        case Village():
            return not isinstance(before, Village) or items_are_kept(before, playing)
        case Werewolf():
            dead = [one.seat for one in state.deaths]
            voters = [set(one.votes) for one in state.ballots]
            buried = [{one.seat for one in state.deaths if one.day < ballot.day} for ballot in state.ballots]
            alone = all(not mine & gone for mine, gone in zip(voters, buried, strict=True))
            return alone and sorted([*state.alive, *dead]) == sorted(state.roles)
    return True
