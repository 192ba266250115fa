"""What everybody sees of a council."""

from dataclasses import replace

import pytest

from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.council.showing import seen
from bot.core.scenes.council.state import Council, CouncilOptions
from bot.core.scenes.showing import board_of
from tests.core.scenes.plays import of
from tests.core.scenes.surfaces import scene_at

NAMES = {1: "Ada", 2: "Bo"}


def test_a_kind_without_a_picture_shows_its_last_ballot_as_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Council, "view", lambda council, seat: replace(seen(council, seat), picture={}))
    playing = of(COUNCIL, CouncilOptions(host=False), 3)
    playing.move(1, "move_motion", title="Tea", text="Tea at five.")
    playing.move(2, "second")
    playing.move(2, "call_vote")
    playing.move(3, "second")
    for seat, choice in ((1, "yes"), (2, "yes"), (3, "no")):
        playing.move(seat, "vote", choice=choice)
    board = board_of(scene_at(playing, playing.standing), [], NAMES)
    assert board.lines[-1] == "yes ▰▰2 · no ▰1 · abstained 0"
