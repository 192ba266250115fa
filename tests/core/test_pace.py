"""Pace: how much to say, and when it is posted."""

from datetime import timedelta

import pytest

from bot.core.config import CommunityConfig
from bot.core.pace import overrun, post_at, typing_seconds, word_budget, words_in
from tests.fakes import START


@pytest.mark.parametrize(
    ("seconds", "overran", "wpm", "words"),
    [
        (60, 0, 80, 80),
        (30, 0, 80, 40),
        (60, 25, 80, 55),
        (1, 0, 80, 10),
        (3_600, 0, 80, 200),
        (60, 500, 80, 10),
        (-5, 0, 80, 10),
    ],
)
def test_words_grow_with_the_time_since_the_agent_spoke(seconds: float, overran: int, wpm: int, words: int) -> None:
    assert word_budget(START, overran, wpm, START + timedelta(seconds=seconds)) == words


def test_the_first_message_in_a_room_may_be_long() -> None:
    assert word_budget(None, 50, 10, START) == 200


def test_what_is_said_over_the_budget_is_counted() -> None:
    assert overrun(words_in("one two  three\nfour"), 3) == 1
    assert overrun(2, 10) == 0


def test_typing_takes_as_long_as_the_words_need_but_not_too_long() -> None:
    assert typing_seconds(4, 80, at_most=6) == 3
    assert typing_seconds(400, 80, at_most=6) == 12
    assert typing_seconds(400, 80, at_most=0) == 0


@pytest.mark.parametrize(
    ("words", "wpm", "seconds"),
    [
        (1, 80, 0.75),
        (4, 80, 1),
        (20, 80, 1),
        (40, 80, 1.5),
        (60, 80, 2),
        (200, 80, 2),
        (20, 10, 8),
        (20, 40, 2),
        (20, 160, 1),
        (20, 200, 1),
        (200, 10, 12),
        (200, 160, 1),
        (200, 200, 1),
    ],
)
def test_the_pace_is_felt_and_a_short_answer_stands_within_two_seconds(words: int, wpm: int, seconds: float) -> None:
    assert typing_seconds(words, wpm, at_most=CommunityConfig().typing_at_most_seconds) == pytest.approx(seconds)


def test_at_every_tempo_a_short_message_stands_within_two_seconds_and_a_long_one_within_three() -> None:
    at_most = CommunityConfig().typing_at_most_seconds
    took = [typing_seconds(words, 80, at_most=at_most, leisure=part) for words in (20, 200) for part in (0.4, 1.3)]
    assert took == pytest.approx([0.4, 1.3, 0.8, 2.6])
    assert typing_seconds(200, 10, at_most=at_most, leisure=1.3) == 12


def test_the_models_own_time_counts_as_typing() -> None:
    soon, late = START + timedelta(seconds=1), START + timedelta(seconds=9)
    assert post_at(START, 4, 80, at_most_seconds=6, now=soon) == START + timedelta(seconds=3)
    assert post_at(START, 4, 80, at_most_seconds=6, now=late) == late
