"""The scripted mind plays any kind of scene to its end by what a turn offers it."""

import pytest

from bot.core.hud.turn import read_turn
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import turn_of
from bot.standin.player import played
from tests.core.scenes.plays import dice, of, some_options
from tests.core.scenes.surfaces import prompt, scene_at
from tests.standin.games import played_out


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_it_plays_every_kind_to_its_end_with_legal_moves_alone(kind: SceneKind) -> None:
    for seed in range(4):
        playing, calls = played_out(kind, some_options(kind, dice(seed)), max(4, kind.seats[0]), str(seed))
        assert playing.is_over
        assert calls


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_a_turn_reads_back_as_it_was_shown(kind: SceneKind) -> None:
    playing = of(kind, kind.options(), max(4, kind.seats[0]))
    seat = playing.standing.open_seats[0]
    turn = turn_of(scene_at(playing, playing.standing), playing.events, {1: "Ada"}, seat)
    assert turn is not None
    read = read_turn(prompt(turn).input)
    assert read is not None
    assert (read.plays, read.seat, read.facts["phase"]) == (kind.title, seat, turn.phase)
    assert set(read.moves) == {move.name for move in turn.moves}
    assert dict(turn.private).items() <= read.facts.items()


def test_what_is_no_turn_is_not_played() -> None:
    assert played("==== AGENT 1 ====\nhello") is None
    assert read_turn("==== AGENT 1 ====\nhello") is None
