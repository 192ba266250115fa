"""Stored counts: exact for every line, whatever is in it, and whenever it was counted."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.hud.counting import break_tokens, clipped, count
from bot.core.hud.escape import one_line
from bot.core.hud.formats.lines import line_tokens, message_line, message_tokens
from bot.core.records import Message, MessageId
from bot.tokens import by_bytes, o200k
from tests import factories
from tests.core.hud.worlds import HOSTILE, counted, examples
from tests.fakes import CountedTokenizer, WordTokenizer

texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60), st.text("!?./-_ '\u0301aé1\n", max_size=30))
messages = st.builds(
    lambda id, content, reply, reactions, edited: factories.message(
        id, content, reply_to=reply, reactions=tuple(reactions), edited=edited
    ),
    st.integers(1, 10_000_000),
    texts,
    st.none() | st.integers(1, 10_000_000),
    st.lists(st.tuples(texts, st.integers(1, 5_000)), max_size=3),
    st.booleans(),
)


@settings(max_examples=examples(120), deadline=None)
@given(messages)
def test_a_line_counted_before_its_id_and_its_reactions_were_known_counts_exactly(message: Message) -> None:
    early = replace(message, id=MessageId(0), reply_to=None, reactions=(), edited=False)
    stored = replace(message, tokens=message_tokens(o200k(), early))
    assert line_tokens(o200k(), stored) == o200k().count(message_line(stored))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(messages, min_size=1, max_size=8))
def test_lines_add_up_to_the_text(lines: list[Message]) -> None:
    text = "".join(map(message_line, lines))
    assert sum(line_tokens(o200k(), counted(line)) for line in lines) == o200k().count(text)


def test_a_message_without_a_stored_count_is_counted_when_it_is_shown() -> None:
    message = factories.message(5, "hello there")
    assert message.tokens == 0
    assert line_tokens(o200k(), message) == o200k().count(message_line(message))


def test_counts_of_another_vocabulary_are_not_mixed_in() -> None:
    message = counted(factories.message(5, "\u4f60\u597d" * 50))
    assert line_tokens(by_bytes(), message) == by_bytes().count(message_line(message))
    assert message_tokens(by_bytes(), message) == 0
    assert message_tokens(WordTokenizer(), message) == 0


@pytest.mark.parametrize("text", ["fine", "fine.", "what?!", "(a)", "__", "_", "x '", "e\u0301!", "é"])
def test_a_line_break_that_melts_into_marks_is_counted_as_it_is(text: str) -> None:
    broken = break_tokens(o200k(), text)
    assert broken == o200k().count(f"{text}\n") - o200k().count(text)


@settings(max_examples=examples(60), deadline=None)
@given(texts, st.integers(1, 40), st.integers(0, 60))
def test_a_clipped_text_keeps_to_its_tokens(text: str, times: int, most: int) -> None:
    cut = clipped(o200k(), text * times, most)
    assert count(o200k(), cut) <= most or cut == "" or most == 0


@pytest.mark.parametrize("text", ["a" * 400_000, "漢字" * 200_000, "tea and cake " * 30_000])
def test_to_clip_a_long_text_little_more_is_counted_than_is_kept(text: str) -> None:
    tokenizer = CountedTokenizer(o200k())
    assert 50 <= o200k().count(clipped(tokenizer, text, 100)) <= 100
    assert tokenizer.characters < 100 * 16


def test_a_clipped_text_keeps_both_ends_and_says_how_much_is_missing() -> None:
    cut = clipped(o200k(), "begin " + "middle " * 500 + "end", 50)
    assert cut.startswith("begin") and cut.endswith("end")
    assert "characters left out" in cut


@settings(max_examples=examples(60), deadline=None)
@given(texts)
def test_values_stay_on_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert line == line.strip()
    assert not any(mark in line for mark in ("====", "---", ">>>", "<<<", "  ("))


def test_a_text_that_would_fill_the_memory_is_counted_anew_each_time() -> None:
    tokenizer = CountedTokenizer(WordTokenizer())
    for _ in range(3):
        count(tokenizer, "x" * 30_000)
        count(tokenizer, "y" * 10_000)
    assert tokenizer.characters == 3 * 30_000 + 10_000
