"""What of a scene is shown on any surface, in bytes: to a seat, and to everybody."""

import asyncio
import importlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import discord

from bot.adapters.discord import boards
from bot.adapters.web import scene_row
from bot.core.hud.call import BuiltCall
from bot.core.hud.turn import build_turn
from bot.core.records import PUBLIC_SIDE, AgentId, CommunityId, SceneId, Snowflake
from bot.core.scenes import commentary
from bot.core.scenes.kind import Chance, State
from bot.core.scenes.play import Standing
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus, Seated
from bot.core.scenes.showing import Told, Turn, board_of, cast_of, lines_for, turn_of
from cogs.ui.scene_pictures import results_text
from cogs.ui.scenes import seat_view
from cogs.ui.seats import asked_text, seat_text
from tests.core.scenes.plays import Playing
from tests.factories import agent, view
from tests.fakes import START, WordTokenizer

HERE = view(agents=[agent(1)])
CANARY = "not for these ears"


class Hidden(Protocol):
    """Gives another state that looks the same to a seat (0: whoever watches)."""

    def __call__(self, state: State, seat: int, chance: Chance) -> State: ...


def hidden_of(kind: str) -> Hidden:
    """Find how a closed kind hides: `hidden` in tests/core/scenes/hidden_<kind>.py."""
    found: Hidden = importlib.import_module(f"tests.core.scenes.hidden_{kind}").hidden
    return found


def scene_at(playing: Playing, standing: Standing) -> Scene:
    """Give the scene as it would be kept; its deadline and its step are told to nobody whom they tell something."""
    return Scene(
        community_id=CommunityId(1),
        id=SceneId(1),
        kind=playing.play.kind.kind,
        version=playing.play.kind.version,
        title="",
        room_id=AgentId(1),
        status=SceneStatus.RUNNING,
        options=playing.play.options.model_dump(mode="json"),
        standing=standing.packed(),
        step=standing.step,
        window_step=standing.window,
        deadline_at=START,
        started_by=Snowflake(1),
        created_at=START,
        seats=tuple(Seated(seat=one, agent_id=AgentId(one)) for one in playing.seats),
    )


def shown(playing: Playing, standing: Standing, seat: int, events: Sequence[SceneEvent]) -> dict[str, str]:
    """Give every surface by its name, as text: to a seat its prompt, schema and answer to a press; to all the board."""
    scene, names = scene_at(playing, standing), {one: f"Agent{one}" for one in playing.seats}
    cast, board = cast_of(scene, events, names), board_of(scene, events, names)
    watching = turn_of(scene, events, names, 0)
    told = Told(scene=scene, cast=cast, board=board, lines=lines_for(events, cast, 0), watching=watching)
    found = {
        "board": boards.written(board),
        "picture": json.dumps(board.picture),
        "page": json.dumps(scene_row(told)),
        "history": "\n".join([results_text(told), *told.lines]),
    }
    if (comments := commentary.watching(scene, events, names)) is not None:
        asked = prompt(comments)
        found["commentary"] = "\n".join([asked.instructions, asked.input, json.dumps(asked.turn_schema)])
    turn = turn_of(scene, events, names, seat) if seat else None
    if turn is None:
        return found
    call = prompt(turn)
    seat_picture = json.dumps(turn.picture)
    found |= {"prompt": f"{call.instructions}\n{call.input}", "schema": json.dumps(call.turn_schema)}
    return found | {
        "seat": seat_text(turn),
        "act": asked_text(turn),
        "seat picture": seat_picture,
        "seat buttons": _buttons(seat_view(turn)),
    }


def prompt(turn: Turn) -> BuiltCall:
    """Give the call by which an agent on a seat is asked."""
    return build_turn(HERE, agent(1), PUBLIC_SIDE, turn, now=START, tokenizer=WordTokenizer())


def _buttons(drawn: discord.ui.View | None) -> str:
    return json.dumps(drawn.to_components() if drawn is not None else [])


def differing(playing: Playing, seat: int, hides: Hidden, chance: Chance) -> list[str]:
    """Name the surfaces that differ where a state looks the same to a seat; what others heard is a canary."""

    async def look() -> list[str]:  # a view wants a loop
        standing = playing.standing
        other = hides(standing.state, seat, chance)
        sealed = {one: move for one, move in standing.sealed.items() if one == seat}
        passed = tuple(one for one in standing.passed if one == seat)
        hidden = replace(standing, state=other, step=standing.step + 7, sealed=sealed, passed=passed)
        said = [masked(event, playing, seat) for event in playing.events]
        real = shown(playing, standing, seat, playing.events)
        other_shown = shown(playing, hidden, seat, said)
        return [name for name, text in real.items() if text != other_shown[name]]

    return asyncio.run(look())


def masked(event: SceneEvent, playing: Playing, seat: int) -> SceneEvent:
    """Put a canary where a seat may hear nothing: private lines, and texts that only they name."""
    if event.number:
        mark = f"{{t{event.number}}}"
        heard = any(
            mark in (one.text or "") and (one.audience is None or seat in one.audience)
            for one in playing.events
            if not one.number
        )
        return event if heard else replace(event, text=CANARY)
    return event if event.audience is None or seat in event.audience else replace(event, text=CANARY)
