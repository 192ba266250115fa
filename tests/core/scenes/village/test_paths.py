"""Paths are those of an independent search, and a walk goes on along them."""

import pytest

from bot.core.scenes.play import Rule
from bot.core.scenes.village.ground import TILES, ground_of, xy
from bot.core.scenes.village.paths import POINTS, costs_to, path, walked
from tests.core.scenes.plays import dice
from tests.core.scenes.village.games import state_of, village, with_body
from tests.core.scenes.village.referee import swept, tiles_of, way

MAPS = 1_000


def number_of(at: tuple[int, int]) -> int:
    return at[1] * 20 + at[0]


@pytest.mark.long
def test_paths_are_those_of_an_independent_search_on_a_thousand_maps() -> None:
    for number in range(MAPS):
        ground, rng = ground_of(number, number % 12 + 1), dice(number)
        dry = sorted(tiles_of(ground))
        target = rng.choice(dry)
        for start in rng.sample(dry, 5):
            expected = way(ground, start, target)
            found = path(ground, number_of(start), number_of(target))
            assert [xy(tile) for tile in found] == expected
            assert sum(ground.costs[tile] for tile in found) == swept(ground, target)[start]
            reached, spent = walked(ground, number_of(start), number_of(target))
            assert reached == found[: len(reached)]
            assert spent == sum(ground.costs[tile] for tile in reached) <= POINTS
            assert len(reached) == len(found) or spent + ground.costs[found[len(reached)]] > POINTS


def test_every_tile_costs_what_an_independent_search_says_and_water_cannot_be_walked_from() -> None:
    for number in range(10):
        ground = ground_of(number, 4)
        dry, target = tiles_of(ground), dice(number).choice(sorted(tiles_of(ground)))
        costs, expected = costs_to(ground, number_of(target)), swept(ground, target)
        for tile in dice(number).sample(range(TILES), TILES):
            assert costs[tile] == (expected[xy(tile)] if xy(tile) in dry else -1)


def test_who_was_going_to_what_is_water_now_goes_to_its_shore() -> None:
    playing = village(1)
    ground = state_of(playing).ground
    water = ground.costs.index(0)
    with_body(playing, 1, heading=water)
    playing.move(1, "move", place="onward")
    shore = ground.nearest_walkable(water)
    assert state_of(playing).bodies[1].heading in (shore, None)


def test_a_walk_is_six_points_long_at_most_and_goes_on_by_itself() -> None:
    playing = village(1)
    state = state_of(playing)
    far = max(state.ground.places, key=lambda one: costs_to(state.ground, one.tile)[state.bodies[1].tile])
    playing.move(1, "move", place=far.name)
    while state_of(playing).bodies[1].heading is not None:
        assert "onward" in next(iter(state_of(playing).legal(1))).values["place"]
        before = costs_to(state.ground, far.tile)[state_of(playing).bodies[1].tile]
        playing.enter(0, Rule.DEADLINE)
        assert before - 6 <= costs_to(state.ground, far.tile)[state_of(playing).bodies[1].tile] < before
        if 1 in state_of(playing).away:
            playing.enter(0, Rule.BACK, {"seat": 1})
    assert state_of(playing).bodies[1].tile == far.tile
