"""Figures of scenes: what a step costs of our own, how prompts grow, play-outs by chance, presses, edits of boards."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.core.actions import DirectScene, Play
from bot.core.models import Tokenizer
from bot.core.records import Json, Snowflake
from bot.core.scenes.kind import MOST_TURNS
from bot.core.scenes.play import replayed
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import Board
from bot.tokens import tokenizer_for
from cogs.ui import scenes
from cogs.ui.patience import Patience
from tests.bench import Figure, games
from tests.core.scenes.plays import dice, play_out, wrongly_taken
from tests.e2e.commanding import Commander
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.test_scenes import lobby
from tests.e2e.visitor import until
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre

PLAY_OUTS = 1_000
TURNS = 230  # of the scene whose prompts are measured
EARLY, LATE, AROUND = 20, 200, 10
PRESSES = 60  # of each kind
EDIT_SECONDS = 2.0
LONG = "It has been raining since the early morning and nobody here seems to mind that very much at all. " * 5
SHORT = "Quite so."


def run() -> list[Figure]:
    """Measure."""
    return [
        *_play_outs(),
        *games.figures(),
        *asyncio.run(_long_scenes()),
        *asyncio.run(_steps()),
        *asyncio.run(_boards()),
        *asyncio.run(_presses()),
    ]


def _play_outs() -> list[Figure]:
    """Play chat and council in turn by chance, and fold each log again: rules alone, without store, models, Discord.

    The time is the processor's, so that what else the machine does is not in it.
    """
    began, kinds = time.process_time(), [kind for kind in KINDS.values() if not kind.is_closed]
    accepted = stuck = different = steps = 0
    for number in range(PLAY_OUTS):
        rng = dice(number)
        for playing in play_out(kinds[number % len(kinds)], rng, illegal=False, digests=True):
            if not playing.is_over:
                accepted += len(wrongly_taken(playing, rng))
        end, differs = replayed(playing.play, playing.seats, playing.log, playing.first)
        stuck += playing.standing.stuck or not playing.is_over
        different += differs is not None or end.digest() != playing.standing.digest()
        steps += len(playing.log)
    seconds = time.process_time() - began
    return [
        Figure(name=f"scenes.play_outs_{PLAY_OUTS}_rules_only_of_one_core", value=seconds, unit="s", target=30),
        Figure(name="scenes.play_outs_illegal_moves_accepted", value=accepted, unit="moves", target=0),
        Figure(name="scenes.play_outs_stuck", value=stuck, unit="scenes", target=0),
        Figure(name="scenes.play_outs_replay_differences", value=different, unit="scenes", target=0),
        Figure(name="scenes.play_outs_steps", value=steps, unit="steps"),
    ]


class _Talker(Player):
    """Says the same at each turn, and counts as OpenAI's models do."""

    def __init__(self, text: str) -> None:
        super().__init__(self._speak)
        self._text = text

    def _speak(self, _: str, moves: Mapping[str, Any]) -> dict[str, Json]:
        for name in ("vote", "second", "say", "move_motion", "speak"):
            if name in moves:
                return self._move(name)
        return {"type": next(iter(moves))}

    def _move(self, name: str) -> dict[str, Json]:
        words: dict[str, Mapping[str, Json]] = {
            "vote": {"choice": "yes"},
            "move_motion": {"title": "Tea at five", "text": self._text},
            "say": {"text": self._text},
            "speak": {"text": self._text},
        }
        return {"type": name, **words.get(name, {})}

    def tokenizer(self, model: str) -> Tokenizer:  # type: ignore[override]
        return tokenizer_for(model)


async def _long_scenes() -> list[Figure]:
    """Let three agents play long scenes by scripted answers: neither a model's time nor Discord's is in it."""
    figures = []
    for kind, text, what in (
        ("chat", LONG, "long_lines"),
        ("chat", SHORT, "short_lines"),
        ("council", LONG, "motions"),
    ):
        more: dict[str, Json] = {"host": False, "motions": 20} if kind == "council" else {}
        model = _Talker(text)
        async with theatre(model=model) as stage:
            await stage.opened(kind, 3, turns=TURNS, **more)
            await _played(stage, TURNS)
            sizes = [model.tokenizer("gpt-4o-mini").count(call.instructions + call.input) for call in model.calls]
        early, late = (statistics.mean(sizes[at - AROUND : at + AROUND]) for at in (EARLY, LATE))
        name = f"scenes.{kind}_prompt_at_turn_{LATE}_to_{EARLY}_{what}"
        figures.append(Figure(name=name, value=late / early, unit="×", target=1.2))
    return figures


async def _played(stage: Theatre, turns: int) -> None:
    for _ in range(turns * 60):
        scene = await stage.scene()
        if not scene.status.is_open or len(stage.house.model.calls) >= turns:
            return
        await stage.run(1)


async def _steps() -> list[Figure]:
    """Two people talk for 400 turns: what each move takes to be read, folded and written, its commit included.

    It is SQLite in a file; neither the press on Discord nor a model's call is in it. Own time is the processor's: what
    the disk takes, and what else the machine does, is in the figure beside it alone.
    """
    wall, own = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        async with theatre(url=f"sqlite+aiosqlite:///{folder}/scenes.db", agents=1) as stage:
            await stage.opened("chat", 0, BOSS, MIRA, turns=MOST_TURNS)
            for turn in range(MOST_TURNS):
                play = Play(
                    scene_id=SCENE, window=(await stage.scene()).window_step, move="say", arguments={"text": LONG}
                )
                began, own_began = time.perf_counter(), time.process_time()
                await stage.done(play, (BOSS, MIRA)[turn % 2])
                wall.append(time.perf_counter() - began)
                own.append(time.process_time() - own_began)
                await stage.house.deliver()
            assert (await stage.scene()).status is SceneStatus.OVER
    return [
        Figure(name="scenes.step_own_time_p99_no_model_no_discord", value=_p(own, 99), unit="ms", target=10),
        Figure(name="scenes.step_with_waits_for_the_disk_p99", value=_p(wall, 99), unit="ms"),
        Figure(name="scenes.step_own_time_p50", value=_p(own, 50), unit="ms"),
    ]


def _p(seconds: list[float], percent: int) -> float:
    """Give a percentile in milliseconds."""
    return statistics.quantiles(seconds, n=100)[percent - 1] * 1_000


async def _boards() -> list[Figure]:
    """Two people move four times a second on a clock of our own, with pauses: how often boards are drawn."""
    edits: list[datetime] = []
    async with theatre(agents=1) as stage:
        publisher = stage.house.publisher
        show = publisher.show_board

        async def noted(
            guild_id: Snowflake, thread_id: Snowflake, post_id: Snowflake | None, board: Board
        ) -> Snowflake:
            edits.append(stage.house.clock.now())
            return await show(guild_id, thread_id, post_id, board)

        publisher.show_board = noted  # type: ignore[method-assign]
        await stage.opened("chat", 0, BOSS, MIRA, turns=MOST_TURNS)
        for turn in range(MOST_TURNS - 1):
            await stage.move((BOSS, MIRA)[turn % 2], "say", text=SHORT)
            if turn % 50 == 49:
                await stage.done(DirectScene(scene_id=SCENE, what="pause"))
                await stage.done(DirectScene(scene_id=SCENE, what="resume"))
            await stage.house.slot(0.25)
    most = max(sum(at <= one < at + timedelta(seconds=EDIT_SECONDS) for one in edits) for at in edits)
    return [
        Figure(name="scenes.board_edits_in_2_s_at_most", value=most, unit="edits", target=1),
        Figure(name="scenes.board_edits", value=len(edits), unit="edits"),
    ]


async def _presses() -> list[Figure]:
    """Two people talk in the playground, in one process with its page's server: from each press to its answer.

    Browser and network are left out; who else is at work there is two agents that hear nothing of it.
    """
    looks, moves = list[float](), list[float]()
    scenes.PRESSES = Patience(3 * PRESSES, 60.0)  # these come sooner after each other than people's may
    with tempfile.TemporaryDirectory() as folder:
        async with (
            shared_home(Path(folder)) as cast,
            lobby(cast, "chat", "Tea", options=f"turns={MOST_TURNS}") as (you, _),
        ):
            guest = Commander(cast.guest.visitor, you.channel_id)
            for one in (you, guest):
                await one.told("scene join")
            await you.told("scene begin")
            for turn in range(PRESSES):
                who = (you, guest)[turn % 2]
                seat = await _timed(looks, who.press(await _board(cast, who), "My seat"))
                form = await _form_of(who, seat, looks)
                await _timed(moves, who.fill(form, text=SHORT))  # it stands: else the other's form would not open
    return [
        Figure(name="scenes.press_to_seat_or_form_p95", value=_p(looks, 95), unit="ms", target=500),
        Figure(name="scenes.press_to_move_p95", value=_p(moves, 95), unit="ms", target=500),
        Figure(name="scenes.presses", value=len(looks) + len(moves), unit="presses"),
    ]


async def _board(cast: Cast, inside: Commander) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        posts = [one for one in await cast.you.messages(inside.channel_id) if "My seat" in str(one["components"])]
        return posts[0] if posts else None

    return await until(look, "board")


async def _form_of(who: Commander, seat: dict[str, Any], into: list[float]) -> dict[str, Any]:
    """Open the form of a seat, which follows its scene: a button that it no longer has is pressed as it is now."""

    async def opened() -> dict[str, Any] | None:
        try:
            form = await _timed(into, who.press(who.seat_now() or seat, "say…"))
        except AssertionError:
            return None
        return form if "custom_id" in form else None  # its seat may follow the scene just then

    return await until(opened, "form of the seat")


async def _timed(into: list[float], pressed: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    began = time.perf_counter()
    answer = await pressed
    into.append(time.perf_counter() - began)
    return answer
