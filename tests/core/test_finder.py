"""Many words are found in one pass, at each place the longest, in terms of the text itself."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.finder import Finder

WORDS = st.lists(st.text("abé\U0001f600", min_size=1, max_size=4), min_size=1, max_size=6, unique=True)


def test_at_each_place_the_longest_word_is_found_and_none_overlaps() -> None:
    finder = Finder(["sea", "seagull", "gull"])
    assert finder.found("a seagull, a gull, the sea") == [(1, 2, 9), (2, 13, 17), (0, 23, 26)]
    assert finder.found("nothing") == []


def test_half_a_character_moves_no_place() -> None:
    assert Finder(["tea"]).found("\ud800 tea") == [(0, 2, 5)]


@settings(deadline=None)
@given(WORDS, st.text("abé\U0001f600 ", max_size=40))
def test_it_finds_what_a_pattern_of_all_words_finds(words: list[str], text: str) -> None:
    pattern = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
    assert [(start, end) for _, start, end in Finder(words).found(text)] == [
        one.span() for one in pattern.finditer(text)
    ]
    assert all(text[start:end] == words[which] for which, start, end in Finder(words).found(text))
