"""The scripted mind plays any kind of scene to its end by what a turn offers it."""

from dataclasses import replace

import pytest

from bot.core.hud.turn import MOVES, read_moves, read_turn
from bot.core.records import MessageId
from bot.core.scenes.commentary import said, watching, words_of
from bot.core.scenes.kind import Preset, SceneKind
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import turn_of
from bot.standin.player import played
from tests.core.scenes.plays import dice, of, play_out, some_options
from tests.core.scenes.surfaces import prompt, scene_at
from tests.fakes import START
from tests.standin.games import played_out


def test_a_move_with_nothing_to_choose_is_played_without_it() -> None:
    made = read_moves(f"{MOVES}\n- vote(motion: , aside: at most 0 words, choice: yes|no): choose")
    assert made is not None and [one.name for one in made["vote"]] == ["motion", "aside", "choice"]
    answer = played(f"{MOVES}\n- vote(motion: , aside: at most 0 words, choice: yes|no): choose")
    assert answer is not None
    assert isinstance(answer["move"], dict) and answer["move"].keys() == {"type", "choice"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_it_plays_every_kind_to_its_end_with_legal_moves_alone(kind: SceneKind) -> None:
    for seed in range(4):
        options, least = some_options(kind, dice(seed)), max(4, kind.seats[0])
        seats = next(count for count in range(least, kind.seats[1] + 1) if not options.refusal(count))
        playing, calls = played_out(kind, options, seats, str(seed))
        assert playing.is_over
        assert calls


@pytest.mark.parametrize(
    ("kind", "preset"),
    [(kind, preset) for kind in KINDS.values() for preset in kind.presets],
    ids=[f"{kind.kind} {preset.name}" for kind in KINDS.values() for preset in kind.presets],
)
def test_every_preset_is_played_to_its_end_with_as_few_as_it_takes(kind: SceneKind, preset: Preset) -> None:
    options = kind.options.model_validate(dict(preset.options))
    fewest = next(count for count in range(kind.seats[0], kind.seats[1] + 1) if not options.refusal(count))
    playing, _ = played_out(kind, options, fewest, "preset")
    assert playing.is_over
    assert not playing.standing.stuck


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


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_who_watches_comments_once_on_what_everybody_saw_last(kind: SceneKind) -> None:
    playing = next(one for one in play_out(kind, dice(3), illegal=False) if len(one.log) == 12 or one.is_over)
    scene, names = scene_at(playing, playing.standing), {one: f"Agent{one}" for one in playing.seats}
    turn = watching(scene, playing.events, names)
    assert turn is not None
    answer = played(prompt(turn).input)
    assert answer is not None
    move = answer["move"]
    assert isinstance(move, dict)
    assert words_of(str(move["type"]), {"text": move["text"]})
    remark = said(replace(scene, events=len(playing.events)), str(move["text"]), MessageId(1), START)
    turn = watching(scene, [*playing.events, remark], names)
    assert turn is not None
    assert (played(prompt(turn).input) or {})["move"] == {"type": "nothing"}


def test_what_is_no_turn_is_not_played() -> None:
    assert played("==== AGENT 1 ====\nhello") is None
    assert read_turn("==== AGENT 1 ====\nhello") is None
