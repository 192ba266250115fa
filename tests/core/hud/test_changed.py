"""What is new in a HUD is found line by line, value by value in formats of one line, and never slowly."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.hud.changed import LONG_LINE, changed, pieces
from tests.moment import moment
from tests.monsters import ANSWERS, TEXTS, Monster

LINES = st.text(alphabet='ab,{["\n ', max_size=60)
HELD_MOMENTS = 500  # five times what the longest takes; a comparison that is quadratic takes minutes


def new(before: str, now: str) -> list[str]:
    return [text for text, is_new in changed(before, now).stretches if is_new]


def test_new_lines_are_marked_and_gone_ones_are_listed() -> None:
    found = changed("a\nb\nc\n", "a\nx\nc\n")
    assert found.stretches == [("a\n", False), ("x\n", True), ("c\n", False)]
    assert found.gone == ["b\n"]


def test_what_only_moved_is_not_new_and_what_stands_there_twice_now_is_new_once() -> None:
    assert new("a\nb\n", "b\na\n") == []
    assert new("a\n", "a\na\n") == ["a\n"]
    assert changed("a\na\n", "a\n").gone == ["a\n"]


def test_formats_of_one_line_are_compared_value_by_value() -> None:
    before = "{" + ",".join(f'"key{number}":"a value"' for number in range(LONG_LINE)) + "}"
    now = before.replace('"key7":"a value"', '"key7":"another"')
    assert new(before, now) == ['"key7":"another",']


@given(LINES, LINES)
def test_together_the_stretches_are_the_hud_and_what_is_not_new_was_there(before: str, now: str) -> None:
    found = changed(before, now)
    assert "".join(text for text, _ in found.stretches) == now
    assert "".join(pieces(now)) == now
    old = [piece for text, is_new in found.stretches if not is_new for piece in pieces(text)]
    there = list(pieces(before))
    assert all(old.count(piece) <= there.count(piece) for piece in old)


@pytest.mark.parametrize("monster", [*ANSWERS.values(), *TEXTS.values()], ids=[*ANSWERS, *TEXTS])
def test_monsters_are_compared_at_once(monster: Monster) -> None:
    text = monster(200_000)
    begun = time.thread_time()
    changed(text, text[1:])
    assert time.thread_time() - begun < HELD_MOMENTS * moment()
