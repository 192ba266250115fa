"""What a seat sees is near, and what nobody but it may know is for it alone."""

from itertools import pairwise

from tests.core.scenes.village.games import state_of, village


def test_what_is_far_is_seen_by_nobody_and_goals_by_their_own_seat_alone() -> None:
    for seed in range(20):
        state = state_of(village(6, str(seed)))
        for seat in state.seats:
            told = dict(state.view(seat).private)
            near = {one for one in state.near(state.bodies[seat].tile, 7) if one != seat}
            assert {one for one in state.seats if f"({{s{one}}}) at" in told["You see"]} == near
            pictured = state.view(seat).picture["people"]
            assert isinstance(pictured, list)
            assert {one["seat"] for one in pictured if isinstance(one, dict)} == near | {seat}
        assert state.view(0).picture["people"] == []
        assert state.view(0).private == ()
        watched = state.model_copy(update={"faces": True})
        assert len(watched.view(0).picture["people"]) == 6  # type: ignore[arg-type]


def test_once_it_is_over_the_picture_shows_every_path() -> None:
    playing = village(2, rounds=2, goals=False)
    for _ in range(2):
        playing.move(1, "move", place="well")
        playing.move(2, "move", place="market")
    trails = state_of(playing).view(0).picture["trails"]
    assert isinstance(trails, dict)
    walked = trails["1"]
    assert isinstance(walked, list)
    assert len(walked) > 2
    assert all(abs(one - other) in (1, 20) for one, other in pairwise(walked))  # type: ignore[operator]


def test_one_that_was_stopped_shows_every_path_too_and_where_everybody_was() -> None:
    playing = village(2, rounds=9)
    playing.move(1, "move", place="well")
    state = state_of(playing)
    assert "trails" not in state.view(0).picture
    picture = state.revealed().view(0).picture
    assert picture["trails"]
    assert len(picture["people"]) == 2  # type: ignore[arg-type]
