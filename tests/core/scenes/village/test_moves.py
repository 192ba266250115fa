"""What is free, and how often."""

import pytest

from bot.core.errors import Rejected
from tests.core.scenes.village.games import village


def test_one_speaks_twice_a_turn_and_looks_once() -> None:
    playing = village(2)
    for _ in range(2):
        playing.move(1, "talk", text="Good morning.")
    with pytest.raises(Rejected, match="talk cannot be done now"):
        playing.move(1, "talk", text="And one more thing.")
    playing.move(1, "look")
    with pytest.raises(Rejected, match="look cannot be done now"):
        playing.move(1, "look")
    assert playing.events[-1].audience == (1,)
    assert "@" in (playing.events[-1].text or "")
    playing.move(1, "rest")
    playing.move(2, "rest")
    playing.move(1, "talk", text="Good day.")
