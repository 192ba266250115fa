"""Actions in scenes: seats, directions and moves are named, and what a move says is the rules' to judge."""

import pytest
from pydantic import ValidationError

from bot.core.actions import Aim, DirectScene, LeaveSeat, Play, StartScene, TakeSeat
from bot.core.actions.definition import People


def test_a_scene_is_opened_in_a_room_by_those_who_manage() -> None:
    started = StartScene(room_id=3, kind="council")
    assert (started.title, dict(started.options)) == ("", {})
    assert StartScene.definition.people is People.MANAGERS and StartScene.definition.aims == {"room_id": Aim.ROOM}
    with pytest.raises(ValidationError):
        StartScene(room_id=3, kind="council", title="x" * 101)


@pytest.mark.parametrize("seat", [0, 51])
def test_there_are_fifty_seats_at_most(seat: int) -> None:
    with pytest.raises(ValidationError):
        TakeSeat(scene_id=1, seat=seat)
    with pytest.raises(ValidationError):
        DirectScene(scene_id=1, what="skip", seat=seat)
    assert TakeSeat(scene_id=1, seat=50).seat == 50


def test_everyone_sits_down_and_gets_up() -> None:
    for model in (TakeSeat, LeaveSeat, DirectScene, Play):
        assert model.definition.people is People.EVERYONE
        assert model.definition.aims["scene_id"] is Aim.SCENE


def test_a_direction_is_one_that_there_is() -> None:
    with pytest.raises(ValidationError):
        DirectScene.model_validate({"scene_id": 1, "what": "burn"})


def test_a_move_holds_any_arguments_and_the_step_it_was_asked_at() -> None:
    move = Play.model_validate({"scene_id": 1, "window": 4, "move": "vote", "arguments": {"for": [1, {"a": None}]}})
    assert (move.window, dict(move.arguments)) == (4, {"for": [1, {"a": None}]})
    assert not Play.definition.listed
    with pytest.raises(ValidationError):
        Play(scene_id=1, window=-1, move="vote")
