"""Times, sizes and fill levels as an agent reads them."""

from datetime import timedelta

import pytest

from bot.core.hud.wording import NEVER, fill_status, focus_tier, local_time, percent, size, time_since
from tests.fakes import START


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"), (1, "1 second"), (30, "30 seconds"), (60, "1 minute"), (125, "2 minutes"), (3_600, "1 hour"),
        (9_000, "2.5 hours"), (7_200, "2 hours"), (3 * 86_400, "3 days"), (-5, "0 seconds"),
    ],
)  # fmt: skip
def test_times_are_worded_as_people_say_them(seconds: float, words: str) -> None:
    assert time_since(START, START + timedelta(seconds=seconds)) == words


def test_who_never_spoke_has_just_joined() -> None:
    assert time_since(None, START) == NEVER == "never (just joined)"


def test_the_communitys_own_time_is_shown_where_it_is_another() -> None:
    assert local_time(START, "Europe/Vienna") == "11:00"
    assert local_time(START, "UTC") == local_time(START, "Nowhere/Atall") == ""


@pytest.mark.parametrize(
    ("fill", "tier", "word"),
    [(69, 0, "ok"), (70, 1, "abbreviated"), (80, 2, "WARNING"), (95, 2, "CRITICAL"), (300, 2, "CRITICAL")],
)
def test_one_scale_holds_everywhere(fill: int, tier: int, word: str) -> None:
    assert focus_tier(fill) == tier
    assert fill_status(fill).startswith(word)


def test_sizes_and_percentages_are_short() -> None:
    assert [size(number) for number in (12, 2_048, 3_300_000)] == ["12 B", "2 KB", "3.1 MB"]
    assert [percent(1, 3), percent(0, 0)] == [33, 100]
