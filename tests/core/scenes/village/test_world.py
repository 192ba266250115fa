"""What can be asked of a village at a moment: the clock, who is near, and how a tile is worded."""

from bot.core.scenes.village.ground import distance
from tests.core.scenes.village.games import state_of, village, with_body


def test_at_night_one_sees_less_where_that_is_chosen() -> None:
    state = state_of(village(2, dark=True)).model_copy(update={"hour": 17})
    assert (state.clock, state.sight) == (23, 3)
    assert state.model_copy(update={"dark": False}).sight == 7


def test_who_is_near_is_counted_along_columns_and_rows_and_the_dead_are_nowhere() -> None:
    playing = village(6, goals=False)
    state = state_of(playing)
    for seat in state.seats:
        tile = state.bodies[seat].tile
        near = {one for one in state.seats if distance(state.bodies[one].tile, tile) <= 5}
        assert set(state.near(tile, 5)) == near
        assert seat not in state.in_touch(seat)
    gone = with_body(playing, 2, dead=True)
    assert 2 not in gone.near(gone.bodies[2].tile, 400)
    assert gone.present == (1, 3, 4, 5, 6)


def test_a_tile_is_worded_by_its_place_or_by_column_and_row_from_one() -> None:
    state = state_of(village(2))
    places = {one.tile: one.name for one in state.ground.places}
    for tile, name in places.items():
        assert state.where(tile) == (name if name.startswith("house") else f"the {name}")
    bare = next(tile for tile in range(400) if tile not in places)
    assert state.where(bare) == f"{bare % 20 + 1},{bare // 20 + 1}"
