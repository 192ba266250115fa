"""Words that hold a message back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.finder import Finder
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


LETTERS = st.text(st.sampled_from("ab c+.\n\x02\x03İß\ud800"), max_size=12)


@given(LETTERS, st.lists(LETTERS, max_size=5))
def test_any_word_is_found_where_it_stands_by_itself_and_nowhere_else(content: str, words: list[str]) -> None:
    there = [
        word.strip()
        for word in words
        if word.strip() and re.search(rf"(?<!\w){re.escape(word.strip().casefold())}(?!\w)", content.casefold())
    ]
    found = held_word(content, words)
    assert found in there if there else found == ""


def test_a_thousand_words_are_sought_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[str] = []
    found = Finder.found

    def counted(finder: Finder, text: str) -> list[tuple[int, int, int]]:
        passes.append(text)
        return found(finder, text)

    monkeypatch.setattr(Finder, "found", counted)
    words = [f"red {number:03}" for number in range(1_000)]
    assert held_word("red red " * 1_000 + "red 999", words) == "red 999"
    assert len(passes) == 1


def test_a_buttons_id_is_read_back() -> None:
    match = re.fullmatch(HELD_ID, held_id("discard", LetterId(12)))
    assert match is not None
    assert match.groupdict() == {"verdict": "discard", "id": "12"}
