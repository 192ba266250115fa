"""Scenes played by the scripted mind on every seat, from what each is shown alone."""

from typing import cast

from bot.core.records import Json
from bot.core.scenes.kind import RULES, Expect, Options, SceneKind, Wait
from bot.core.scenes.play import Rule
from bot.core.scenes.showing import turn_of
from bot.standin.player import played
from tests.core.scenes.plays import Playing, of
from tests.core.scenes.surfaces import prompt, scene_at


def played_out(kind: SceneKind, options: Options, seats: int, seed: str, *, most: int = 3_000) -> tuple[Playing, int]:
    """Play a scene to its end; gives it, and how many calls that took."""
    playing, calls = of(kind, options, seats, seed), 0
    for _ in range(most):
        awaits, standing = playing.standing.awaits, playing.standing
        if playing.is_over:
            return playing, calls
        if standing.is_complete:
            playing.enter(RULES, Rule.CLOSE)
        elif isinstance(awaits, Wait):
            choices = awaits.choices
            playing.enter(RULES, Rule.CHOOSE if choices else Rule.DEADLINE, {"seat": choices[0]} if choices else {})
        elif isinstance(awaits, Expect):
            seat = standing.open_seats[0]
            move = asked(playing, seat)
            calls += 1
            playing.move(seat, str(move.pop("type")), **move)
    raise AssertionError(f"{kind.kind} does not end")


def asked(playing: Playing, seat: int) -> dict[str, Json]:
    """Give what the scripted mind answers on a seat."""
    names = {one: f"Agent{one}" for one in playing.seats}
    turn = turn_of(scene_at(playing, playing.standing), playing.events, names, seat)
    assert turn is not None
    answer = played(prompt(turn).input)
    assert answer is not None
    return dict(cast(dict[str, Json], answer["move"]))
