"""What every kind keeps to, without its being known which one it is."""

import inspect
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.scenes.kind import RULES, Chance, Expect, Over, SceneKind, Wait
from bot.core.scenes.moves import parameters
from bot.core.scenes.play import Rule, replayed
from bot.core.scenes.registry import KINDS, KINDS_BEFORE
from tests.core.scenes.plays import dice, of, play_out, some_options
from tests.core.scenes.surfaces import differing, hidden_of

EVERY = (*KINDS.values(), *KINDS_BEFORE.values())
every_kind = pytest.mark.parametrize("kind", EVERY, ids=[f"{kind.kind} {kind.version}" for kind in EVERY])
PLAYOUTS = 15
HIDDEN_PLAYOUTS = 3
SHORT_PLAY_OUT = 40  # steps of which each is looked at; of more only some


@pytest.mark.slow
@every_kind
def test_by_chance_it_comes_to_its_end_refuses_what_is_illegal_and_is_never_stuck(kind: SceneKind) -> None:
    for seed in range(PLAYOUTS):
        *_, playing = play_out(kind, dice(seed))
        assert playing.is_over
        assert not playing.standing.stuck, playing.log[-5:]
        assert playing.standing.turns <= playing.play.options.turns


@every_kind
def test_its_log_folds_into_the_same_again_and_tells_where_it_was_touched(kind: SceneKind) -> None:
    for seed in range(PLAYOUTS // 4):
        *_, playing = play_out(kind, dice(seed), illegal=False, digests=True)
        end, differs = replayed(playing.play, playing.seats, playing.log, playing.first)
        assert differs is None
        assert end.digest() == playing.standing.digest()
        touched = [*playing.log[:-1], replace(playing.log[-1], digest="0" * 32)]
        assert replayed(playing.play, playing.seats, touched, playing.first)[1] == playing.log[-1].step


@every_kind
def test_what_is_stored_reads_back_as_it_was(kind: SceneKind) -> None:
    for playing in play_out(kind, dice(7), illegal=False):
        stored = json.loads(json.dumps(playing.standing.packed()))
        assert playing.play.unpacked(stored) == playing.standing


@every_kind
def test_with_timeouts_only_it_comes_to_its_end(kind: SceneKind) -> None:
    for seed in range(20):
        rng = dice(seed)
        playing = of(kind, some_options(kind, rng), max(4, kind.seats[0] + 1))
        for _ in range(2_000):
            if playing.is_over:
                break
            awaits = playing.standing.awaits
            choices = awaits.choices if isinstance(awaits, Wait) else ()
            playing.enter(RULES, Rule.CHOOSE if choices else Rule.DEADLINE, {"seat": choices[0]} if choices else {})
        assert playing.is_over
        assert not playing.standing.stuck


@every_kind
def test_it_ends_when_everybody_is_away(kind: SceneKind) -> None:
    playing = of(kind, kind.options(), max(4, kind.seats[0]))
    for seat in playing.seats:
        if not playing.is_over:
            playing.enter(RULES, Rule.AWAY, {"seat": seat})
    assert isinstance(playing.standing.awaits, Over)
    assert not playing.standing.stuck


@every_kind
def test_with_one_seat_left_it_goes_on_or_ends(kind: SceneKind) -> None:
    playing = of(kind, kind.options(), max(4, kind.seats[0]))
    for seat in playing.seats[1:]:
        if not playing.is_over:
            playing.enter(RULES, Rule.AWAY, {"seat": seat})
    for _ in range(1_000):
        if playing.is_over:
            break
        playing.enter(RULES, Rule.DEADLINE)
    assert playing.is_over
    assert not playing.standing.stuck


@every_kind
def test_only_who_is_awaited_has_legal_moves_and_every_form_says_what_may_stand_in_it(kind: SceneKind) -> None:
    for seed in range(10):
        for playing in play_out(kind, dice(seed), illegal=False):
            awaits, state = playing.standing.awaits, playing.standing.state
            asked = awaits.seats if isinstance(awaits, Expect) else ()
            for seat in playing.seats:
                forms = state.legal(seat) if not isinstance(awaits, Over) else ()
                assert bool(forms) is (seat in asked) or playing.is_over
                for form in forms:
                    choices = [one.name for one in parameters(form.move) if one.what != "text"]
                    assert all(form.values.get(name) for name in choices), form


@every_kind
def test_the_timeout_move_is_legal_and_only_a_window_of_many_may_have_none(kind: SceneKind) -> None:
    for seed in range(10):
        for playing in play_out(kind, dice(seed), illegal=False):
            awaits = playing.standing.awaits
            for seat in playing.standing.open_seats:
                move = playing.standing.state.timeout(seat)
                assert isinstance(awaits, Expect)
                legal = {form.move for form in playing.standing.state.legal(seat)}
                assert type(move) in legal if move is not None else awaits.together


@pytest.mark.slow
@every_kind
def test_what_the_others_seal_shows_to_nobody(kind: SceneKind) -> None:
    """Until a window closes, all that is shown is as if nobody had moved: also the number on the buttons."""
    for seed in range(PLAYOUTS):
        shown: list[object] | None = None
        for playing in play_out(kind, dice(seed), illegal=False):
            standing = playing.standing
            if not (isinstance(standing.awaits, Expect) and standing.awaits.together):
                shown = None
                continue
            seats = (0, *playing.seats)
            now = [standing.window, *(standing.state.view(seat) for seat in seats)]
            if shown is not None and standing.sealed and not standing.state.away:
                assert shown[0] != standing.window or now == shown
            shown = now


@every_kind
def test_the_same_moves_together_in_another_order_come_to_the_same(kind: SceneKind) -> None:
    for seed in range(PLAYOUTS):
        for playing in play_out(kind, dice(seed), illegal=False):
            awaits = playing.standing.awaits
            if not (isinstance(awaits, Expect) and awaits.together) or playing.standing.sealed:
                continue
            ends = []
            for order in (awaits.seats, tuple(reversed(awaits.seats))):
                copy = of(playing.play.kind, playing.play.options, len(playing.seats), playing.play.seed)
                copy.standing = playing.standing
                told: list[str] = []
                for seat in order:
                    if seat in copy.standing.open_seats:
                        form = next(one for one in copy.standing.state.legal(seat) if not one.move.free)
                        values = {name: allowed[seat % len(allowed)] for name, allowed in form.values.items()}
                        told = copy.enter(seat, form.move.name, values)
                if copy.standing.is_complete:
                    told = copy.enter(RULES, Rule.CLOSE)
                ends.append((copy.standing.state.view(0), told))
            assert ends[0] == ends[1]
            break


closed = [kind for kind in KINDS.values() if kind.is_closed]


@pytest.mark.slow
@pytest.mark.parametrize("kind", closed, ids=[kind.kind for kind in closed])
def test_what_a_seat_may_not_know_changes_no_byte_of_what_it_is_shown(kind: SceneKind) -> None:
    """A closed kind says in tests/core/scenes/hidden_<kind>.py which other state looks the same to a seat."""
    hides, pairs, others = hidden_of(kind.kind), 0, 0
    for seed in range(HIDDEN_PLAYOUTS):
        rng = dice(seed)
        for playing in play_out(kind, rng, illegal=False):
            if playing.is_over:
                break
            if playing.standing.step > SHORT_PLAY_OUT and rng.random() < 0.9:
                continue
            for seat in rng.sample((0, *playing.seats), 2):
                chance = Chance(f"{seed} {seat}", playing.standing.step)
                assert differing(playing, seat, hides, chance) == [], f"seat {seat} of {playing.standing.state!r}"
                others += hides(playing.standing.state, seat, chance) != playing.standing.state
                pairs += 1
    assert others > pairs // 2, "the other state is the same one too often to prove anything"


@every_kind
def test_no_file_of_it_has_more_than_400_lines(kind: SceneKind) -> None:
    own = Path(inspect.getfile(kind.state))
    files = [own] if own.parent.name == "scenes" else own.parent.glob("*.py")
    assert {one.name: lines for one in files if (lines := len(one.read_text().splitlines())) > 400} == {}


@every_kind
def test_it_can_be_started_with_one_press_in_two_ways_at_least(kind: SceneKind) -> None:
    assert len({one.name for one in kind.presets}) == len(kind.presets) >= 2
    for preset in kind.presets:
        options = kind.options.model_validate(dict(preset.options))
        assert options.ordering in kind.orderings
        assert any(not options.refusal(count) for count in range(kind.seats[0], kind.seats[1] + 1))
        assert 1 <= len(preset.title) <= 80
