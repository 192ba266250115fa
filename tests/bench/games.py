"""Figures of closed scenes: who wins, what a game costs, and whether anybody learns what they may not (of `scenes`)."""

import time
from collections import Counter
from decimal import Decimal

from bot.adapters.llm.prices import Prices
from bot.core.hud.turn import rules_of
from bot.core.records import Usage
from bot.core.scenes.kind import Chance, SceneKind
from bot.core.scenes.registry import KINDS
from bot.core.scenes.werewolf.kind import WEREWOLF, WerewolfOptions
from bot.core.scenes.werewolf.state import Werewolf
from bot.tokens import tokenizer_for
from tests.bench import Figure
from tests.core.scenes.plays import dice, play_out
from tests.core.scenes.surfaces import differing, hidden_of
from tests.standin.games import played_out

GAMES, PLAYERS = 1_000, 8
PAIRS = 10_000  # of each closed kind
MODEL, ANSWER_TOKENS = "gpt-4o-mini", 120  # what an answer has, thoughts and all
LEAST, MOST = 0.30, 0.70


def figures() -> list[Figure]:
    """Measure what concerns closed kinds."""
    return [*_werewolf(), *(figure for kind in KINDS.values() if kind.is_closed for figure in _pairs(kind))]


def _werewolf() -> list[Figure]:
    """Let the scripted mind play werewolf for 8; calls at the list price, without what a provider caches."""
    tokenizer, prices = tokenizer_for(MODEL), Prices()
    instructions = tokenizer.count(rules_of(WEREWOLF))
    won, calls, dearest = Counter[str](), [], Decimal(0)
    for seed in range(GAMES):
        asked: list[str] = []
        playing, count = played_out(WEREWOLF, WerewolfOptions(), PLAYERS, str(seed), asked=asked)
        state = playing.standing.state
        assert isinstance(state, Werewolf)
        won[state.won] += 1
        calls.append(count)
        if seed % 20 == 0:  # to count tokens takes longer than to play
            tokens = sum(instructions + tokenizer.count(one) for one in asked)
            usage = Usage(input_tokens=tokens, output_tokens=count * ANSWER_TOKENS)
            dearest = max(dearest, prices.cost(MODEL, usage))
    village, wolves = won["village"] / GAMES, won["wolves"] / GAMES
    name = f"scenes.werewolf_{PLAYERS}"
    return [
        Figure(name=f"{name}_village_wins_of_{GAMES}", value=village, unit="share", target=MOST),
        Figure(name=f"{name}_wolves_win_of_{GAMES}", value=wolves, unit="share", target=MOST),
        Figure(name=f"{name}_calls_at_most", value=max(calls), unit="calls", target=130),
        Figure(name=f"{name}_usd_at_most_{MODEL}", value=float(dearest), unit="USD", target=0.08),
    ]


def _pairs(kind: SceneKind) -> list[Figure]:
    """Show each of many moments as it is, and as another that looks the same to a seat, and compare the bytes."""
    began, hides = time.process_time(), hidden_of(kind.kind)
    pairs = different = seed = 0
    while pairs < PAIRS:
        rng, seed = dice(seed), seed + 1
        for playing in play_out(kind, rng, illegal=False):
            if playing.is_over or pairs >= PAIRS:
                break
            for seat in rng.sample((0, *playing.seats), 2):
                different += bool(differing(playing, seat, hides, Chance(f"{seed} {seat}", playing.standing.step)))
                pairs += 1
    name = f"scenes.{kind.kind}"
    return [
        Figure(name=f"{name}_pairs_of_{PAIRS}_that_differ", value=different, unit="pairs", target=0),
        Figure(name=f"{name}_pairs_of_one_core", value=time.process_time() - began, unit="s"),
    ]
