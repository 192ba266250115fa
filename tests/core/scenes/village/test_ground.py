"""The ground is whole, and the same for the same number."""

import pytest

from bot.core.scenes.village.ground import BUILDING, SITES, TILES, Ground, distance, ground_of, tiles_within, xy
from tests.core.scenes.village.referee import swept

MAPS = 1_000


@pytest.mark.long
def test_every_tile_that_is_dry_can_be_walked_to_and_every_place_is_one_of_them() -> None:
    for number in range(MAPS):
        houses = number % 12 + 1
        ground = ground_of(number, houses)
        well = ground.place("well").tile
        assert max(swept(ground, xy(well)).values()) < 10**6
        assert all(ground.costs[one.tile] for one in ground.places)
        assert len({one.tile for one in ground.places}) == len(ground.places) == 1 + len(SITES) + houses
        assert all(
            distance(one.tile, other.tile) > 1 for one in ground.places for other in ground.places if one != other
        )
        assert {tile.value for tile in ground.terrain} <= {tile.value for tile in BUILDING}
        assert len(ground.terrain) == TILES


def test_the_same_number_gives_the_same_ground_and_another_one_another() -> None:
    def written(ground: Ground) -> str:
        return "".join(one.value for one in ground.terrain)

    ground_of.cache_clear()
    before = written(ground_of(7, 4))
    ground_of.cache_clear()
    assert written(ground_of(7, 4)) == before
    assert len({written(ground_of(number, 4)) for number in range(50)}) == 50


def test_towards_water_one_goes_to_the_shore_and_over_the_edge_nowhere() -> None:
    ground = ground_of(1, 4)
    for tile in range(TILES):
        shore = ground.nearest_walkable(tile)
        assert ground.costs[shore]
        assert (shore == tile) is bool(ground.costs[tile])
    corner = ground.nearest_walkable(0)
    assert all(ground.neighbour(corner, name) in (*ground.ways[corner], None) for name in ("north", "east"))
    assert ground.neighbour(5, "north") is None


def test_the_tiles_within_some_steps_are_those_that_are_no_farther() -> None:
    for tile in (0, 19, 21, 210, 399):
        for steps in (0, 1, 3, 5, 7, 40):
            assert tiles_within(tile, steps) == {one for one in range(TILES) if distance(one, tile) <= steps}


def test_of_water_the_nearest_shore_is_found_and_of_several_the_first_from_the_north_west() -> None:
    for number in range(5):
        ground = ground_of(number, 3)
        dry = [one for one in range(TILES) if ground.costs[one]]
        for tile in range(TILES):
            assert ground.nearest_walkable(tile) == min(dry, key=lambda one: (distance(one, tile), one))
