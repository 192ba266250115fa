"""Figures of closed scenes: who wins, what a game costs, and whether anybody learns what they may not (of `scenes`)."""

import asyncio
import json
import time
from collections import Counter
from dataclasses import replace
from decimal import Decimal

from bot.adapters.llm.prices import Prices
from bot.core.config import CommunityConfig
from bot.core.hud.turn import rules_of
from bot.core.models import Tokenizer
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import Usage
from bot.core.scenes.kind import Chance, SceneKind
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.registry import KINDS
from bot.core.scenes.werewolf.kind import WEREWOLF, WerewolfOptions
from bot.core.scenes.werewolf.state import Werewolf
from bot.standin.player import played
from bot.tokens import tokenizer_for
from tests.bench import Figure
from tests.core.scenes.plays import dice, play_out
from tests.core.scenes.surfaces import differing, hidden_of
from tests.engine.theatre import theatre
from tests.fakes import ScriptedModel
from tests.standin.games import played_out

GAMES, PLAYERS = 1_000, 8
WHOLE_GAMES, MOST_SECONDS = 20, 7_200  # through the engine; of each, on a clock of its own
PAIRS = 10_000  # of each closed kind
MODEL, ANSWER_TOKENS = "gpt-4o-mini", 120  # what an answer has, thoughts and all
LEAST, MOST = 0.30, 0.70
LOOKED_EACH = 30  # seconds after which it is asked whether a game is over


def figures() -> list[Figure]:
    """Measure what concerns closed kinds."""
    return [
        *_werewolf(),
        *asyncio.run(_through_the_engine()),
        *(figure for kind in KINDS.values() if kind.is_closed for figure in _pairs(kind)),
    ]


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
        Figure(name=f"{name}_more_frequent_winner_of_{GAMES}", value=max(village, wolves), unit="share", target=MOST),
        Figure(
            name=f"{name}_less_frequent_winner_of_{GAMES}",
            value=min(village, wolves),
            unit="share",
            target=LEAST,
            better="higher",
        ),
        Figure(name=f"{name}_village_wins_of_{GAMES}", value=village, unit="share"),
        Figure(name=f"{name}_calls_at_most", value=max(calls), unit="calls", target=130),
        Figure(name=f"{name}_usd_at_most_{MODEL}", value=float(dearest), unit="USD", target=0.08),
    ]


class _Mind(ScriptedModel):
    """The scripted mind behind the engine's calls: tokens are counted as OpenAI does, at the list price."""

    def __init__(self) -> None:
        super().__init__()
        self.usd, self._prices = Decimal(0), Prices()

    async def answer(self, call: ModelCall) -> ModelAnswer:
        self.calls.append(call)
        call.on_sent()
        text, counter = json.dumps(played(call.input) or {"agents": []}), tokenizer_for(MODEL)
        shown = [call.instructions, call.input, json.dumps(call.schema) if call.schema else ""]
        usage = Usage(input_tokens=sum(map(counter.count, shown)), output_tokens=counter.count(text))
        usd = self._prices.cost(MODEL, usage)
        self.usd += usd
        return ModelAnswer(text=text, usage=replace(usage, cost_usd=usd))

    def tokenizer(self, model: str) -> Tokenizer:  # type: ignore[override]
        return tokenizer_for(MODEL)


async def _through_the_engine(games: int = WHOLE_GAMES) -> list[Figure]:
    """Have whole games of werewolf played by agents that beat: every call that is made, looking back included."""
    calls, costs, told = list[int](), list[Decimal](), list[Decimal]()
    for number in range(games):
        mind = _Mind()
        async with theatre(mind, agents=PLAYERS, config=CommunityConfig(usd_per_day=None)) as stage:
            stage.seed = number
            await stage.opened("werewolf", PLAYERS)
            for _ in range(MOST_SECONDS // LOOKED_EACH):
                await stage.run(LOOKED_EACH)
                if not (await stage.scene()).status.is_open:
                    break
            await stage.run(LOOKED_EACH)  # they look back
            scene = await stage.scene()
            assert scene.status is SceneStatus.OVER, scene.why
            assert await stage.replays()
        calls.append(len(mind.calls))
        costs.append(mind.usd)
        told.append(scene.usd)
    name = f"scenes.werewolf_{PLAYERS}_through_the_engine"
    return [
        Figure(name=f"{name}_calls_at_most_of_{games}", value=max(calls), unit="calls", target=130),
        Figure(name=f"{name}_calls_mean", value=sum(calls) / games, unit="calls"),
        Figure(name=f"{name}_usd_at_most_{MODEL}", value=float(max(costs)), unit="USD", target=0.08),
        Figure(name=f"{name}_usd_mean_{MODEL}", value=float(sum(costs) / games), unit="USD"),
        Figure(name=f"{name}_usd_told_of_the_scene_at_most", value=float(max(told)), unit="USD"),
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
