"""Bodies: hunger, energy, sleep; and nobody need starve."""

import pytest

from bot.core.scenes.kind import Over
from bot.core.scenes.village.bodies import STARVED_ROUNDS
from tests.core.scenes.village.games import sensible, state_of, village, with_body


@pytest.mark.long
@pytest.mark.parametrize("plenty", ["scarce", "plain", "plenty"])
def test_nobody_need_starve(plenty: str) -> None:
    """Who goes for the nearest food in time never comes to hunger 100: alone, as five, as twelve."""
    for seats in (1, 5, 12):
        for seed in range(12):
            playing = village(seats, str(seed), plenty=plenty, goals=False)
            playing.digests = False
            while not playing.is_over:
                state, seat = state_of(playing), playing.standing.open_seats[0]
                move = sensible(state, seat)
                playing.move(seat, move.name, **move.model_dump(mode="json"))
                assert all(body.hunger < 100 for body in state.bodies.values())


def test_without_energy_one_sleeps_until_thirty_and_is_not_asked() -> None:
    playing = village(2, goals=False)
    with_body(playing, 1, energy=1)
    playing.move(1, "move", place="well")
    asleep = 0
    while state_of(playing).bodies[1].asleep:
        assert playing.standing.open_seats == (2,)
        playing.move(2, "rest")
        asleep += 1
    assert 1 <= asleep <= 3
    assert state_of(playing).bodies[1].energy >= 30
    assert playing.standing.open_seats == (1,)


def test_alone_and_asleep_time_goes_on() -> None:
    playing = village(1, goals=False, rounds=4)
    with_body(playing, 1, energy=1, hunger=97)
    playing.move(1, "move", place="mine")
    assert state_of(playing).hour >= 2
    assert not playing.standing.stuck


def test_where_that_is_chosen_who_starves_for_twelve_hours_dies_and_the_others_go_on() -> None:
    playing = village(2, goals=False, deadly=True)
    with_body(playing, 2, hunger=100)
    for _ in range(STARVED_ROUNDS):
        hour = state_of(playing).hour
        while state_of(playing).hour == hour:
            playing.move(playing.standing.open_seats[0], "rest")
    state = state_of(playing)
    assert state.bodies[2].dead
    assert [one.text for one in playing.events if one.kind == "death"] == ["{s2} has starved."]
    assert state_of(playing).view(0).dead == (2,)
    assert playing.standing.open_seats == (1,)
    while not playing.is_over:
        move = sensible(state_of(playing), 1)
        playing.move(1, move.name, **move.model_dump(mode="json"))
    over = playing.standing.awaits
    assert isinstance(over, Over)
    assert over.results[2] == ("starved", 0)
