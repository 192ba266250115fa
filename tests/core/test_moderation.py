"""Words that hold a message back."""

import re

import pytest

from bot.core.moderation import HELD_ID, held_id, held_word
from bot.core.records import LetterId


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("I like TULIPS.", "tulips"),
        ("tulips", "tulips"),
        ("Ein STRASSENFEST", ""),
        ("my two lips", ""),
        ("tulipsomania", ""),
        ("what a red herring!", "Red Herring"),
        ("", ""),
    ],
)
def test_a_word_counts_by_itself_and_in_any_case(content: str, word: str) -> None:
    assert held_word(content, ["tulips", "Red Herring", " "]) == word


def test_signs_in_a_word_mean_themselves() -> None:
    assert held_word("we use c++ here", ["c++"]) == "c++"
    assert held_word("abc", ["a.c"]) == ""


def test_a_buttons_id_is_read_back() -> None:
    match = re.fullmatch(HELD_ID, held_id("discard", LetterId(12)))
    assert match is not None
    assert match.groupdict() == {"verdict": "discard", "id": "12"}
