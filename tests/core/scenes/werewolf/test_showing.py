"""What a village with wolves in it shows: its days once it is over, and to each seat before that what it knows."""

from dataclasses import replace

import pytest

from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import board_of, turn_of
from tests.core.scenes.surfaces import scene_at
from tests.core.scenes.werewolf.test_state import close, day, dealt, night, state_of


def test_who_was_what_and_what_happened_each_day_is_shown_once_it_is_over_and_not_before() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    day(playing, {1: 3, 2: 3, 4: 3})
    playing.move(3, "silence")
    night(playing, kills={1: 4})
    for seat in range(6):
        picture = state_of(playing).view(seat).picture
        assert picture["days"] == []
        assert picture["ring"] == [{"seat": one, "alive": one not in (3, 4), "role": ""} for one in range(1, 6)]
    day(playing, {2: 1, 5: 1, 1: 5})
    assert state_of(playing).won == "village"
    picture = state_of(playing).view(0).picture
    roles = ["wolf", "seer", "villager", "villager", "villager"]
    ring = [{"seat": seat, "alive": seat in (2, 5), "role": role} for seat, role in enumerate(roles, 1)]
    assert picture["ring"] == ring
    assert picture["days"] == [
        {"day": 1, "deaths": [{"seat": 3, "cause": "hanged"}], "votes": [{"seat": 3, "by": [1, 2, 4]}]},
        {
            "day": 2,
            "deaths": [{"seat": 4, "cause": "killed"}, {"seat": 1, "cause": "hanged"}],
            "votes": [{"seat": 1, "by": [2, 5]}, {"seat": 5, "by": [1]}],
        },
    ]


@pytest.mark.parametrize("status", [SceneStatus.STOPPED, SceneStatus.OVER])
def test_one_that_its_rules_did_not_end_shows_who_was_what_too(status: SceneStatus) -> None:
    """Somebody stopped it, its turns were used up, or everybody went away."""
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    day(playing, {1: 3, 2: 3, 4: 3})
    scene, names = scene_at(playing, playing.standing), {seat: f"Agent{seat}" for seat in range(1, 6)}
    for seat in range(6):
        turn = turn_of(scene, playing.events, names, seat)
        assert turn is not None
        assert "seer" not in str(turn.picture)
    over = replace(scene, status=status, outcome="It was stopped.")
    for picture in (board_of(over, playing.events, names).picture, turn_of(over, playing.events, names, 2).picture):  # type: ignore[union-attr]
        assert "seer" in str(picture["ring"])
        assert picture["days"] == [
            {"day": 1, "deaths": [{"seat": 3, "cause": "hanged"}], "votes": [{"seat": 3, "by": [1, 2, 4]}]}
        ]


def test_everybody_sees_who_is_dead() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    assert state_of(playing).view(0).dead == ()
    day(playing, {1: 3, 2: 3, 4: 3})
    assert [state_of(playing).view(seat).dead for seat in range(6)] == [(3,)] * 6


def test_wolves_see_their_pack_and_nobody_else_does() -> None:
    playing = dealt("wwsivvv")
    told = [dict(state_of(playing).view(seat).private) for seat in range(8)]
    assert [one.get("The other wolves") for one in told] == [None, "{s2}", "{s1}", None, None, None, None, None]
    assert told[4]["Your potions"] == "heal and poison"
    assert told[0] == {}


def test_the_witch_is_told_the_victim_while_she_can_heal() -> None:
    playing = dealt("wwsivvv", first_night_kill=True)
    for seat in (1, 2):
        playing.move(seat, "kill", seat=5)
    close(playing)
    told = [dict(state_of(playing).view(seat).private).get("Tonight's victim") for seat in range(8)]
    assert told == [None, None, None, None, "{s5}", None, None, None]
    playing.move(4, "poison", seat=1)
    close(playing)
    assert "Tonight's victim" not in dict(state_of(playing).view(4).private)
    assert dict(state_of(playing).view(4).private)["Your potions"] == "heal"


def test_the_newest_ballot_is_told_first() -> None:
    playing = dealt("wsvvvvv")
    for _ in range(3):
        night(playing, kills={1: 0})
        day(playing, {1: 3, 3: 1})
    ballots = [name for name, _ in state_of(playing).view(0).facts if name.startswith("Ballot")]
    assert ballots == ["Ballot of day 3", "Ballot of day 2", "Ballot of day 1"]


def test_the_last_ballot_tells_by_name_whom_it_was_for() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    day(playing, {1: 3, 2: 3, 4: 1})
    names = {1: "Ada", 2: "Bo", 3: "Cleo", 4: "Dan", 5: "Eve"}
    told = turn_of(scene_at(playing, playing.standing), [], names, 0)
    assert told is not None
    assert told.bars == (("Cleo", 2), ("Ada", 1))
