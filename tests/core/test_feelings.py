"""What agents feel: the newest is kept."""

from bot.core.feelings import MOST_KEPT, with_feeling
from bot.core.records import Focus
from tests.fakes import START


def test_of_what_was_felt_the_newest_is_kept() -> None:
    focus = Focus()
    for number in range(MOST_KEPT + 3):
        focus = with_feeling(focus, "joy", f"wave {number}", START)
    assert len(focus.feelings) == MOST_KEPT
    assert focus.feelings[-1].why == f"wave {MOST_KEPT + 2}"
