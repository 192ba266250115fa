"""Long text is cut so that nothing is lost, torn or too long."""

import re
import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.splitting import LIMIT, PARTS, REST_NOTE, Split, is_boundary, sound, split, width

FAMILY = "👩‍👩‍👧‍👦"
LINK = "https://example.org/" + "a" * 300

pieces = st.sampled_from(
    [
        "word ",
        "A sentence ends here. ",
        "\n\n",
        "\n",
        "```py\n",
        "\n```\n",
        "`code` ",
        FAMILY,
        "👍🏽",
        "🇩🇪",
        "é̂́",
        "नमस्ते ",
        "שלום ",
        "مرحبا ",
        "한",
        LINK + " ",
        f"[name]({LINK}) ",
        "<@123456789012345678> ",
        "<:smile:123456789012345678>",
        "x" * 700,
        "\ud83d",
        "\x00",
    ]
)
texts = st.lists(pieces, max_size=60).map("".join) | st.text(max_size=9_000) | st.text("`\n a", max_size=9_000)


def without_marks(text: str) -> str:
    """What is said, without white space and the signs that open and close code blocks."""
    return re.sub(r"`{3}(?:py\b)?|\s", "", text)


def all_of(said: Split) -> str:
    return "".join(part.removesuffix(REST_NOTE) for part in said.parts) + (said.rest or "")


def test_short_text_stays_one_message() -> None:
    assert split("Hello there.") == Split(("Hello there.",))


def test_nothing_but_white_space_is_no_message() -> None:
    assert split(" \n\t ") == Split(())


def test_exactly_the_limit_is_one_message_and_one_more_is_two() -> None:
    assert len(split("a" * LIMIT).parts) == 1
    assert len(split("a" * (LIMIT + 1)).parts) == 2


def test_paragraphs_stay_whole() -> None:
    first, second = "One. " * 250, "Two. " * 250
    assert split(f"{first.strip()}\n\n{second.strip()}") == Split((first.strip(), second.strip()))


def test_without_paragraphs_it_is_cut_after_a_sentence() -> None:
    said = split("This is a sentence of some length. " * 100)
    assert len(said.parts) == 2
    assert all(part.endswith(".") for part in said.parts)


def test_a_code_block_is_closed_and_opened_again_with_its_language() -> None:
    code = "\n".join(f"print({number})" for number in range(300))
    said = split(f"Look:\n```python\n{code}\n```\nDone.")
    assert len(said.parts) > 1
    assert all(part.count("```") % 2 == 0 for part in said.parts)
    assert said.parts[1].startswith("```python\n")
    assert said.parts[-1].endswith("Done.")


def test_what_three_messages_cannot_hold_becomes_a_file() -> None:
    said = split("\n\n".join(f"Paragraph {number}. " + "word " * 100 for number in range(40)))
    assert len(said.parts) == PARTS
    assert said.parts[-1].endswith(REST_NOTE)
    assert said.rest is not None
    assert said.rest.rstrip().endswith("word")
    assert "Paragraph 39." in said.rest


def test_a_link_is_never_torn() -> None:
    said = split("word " * 370 + LINK + " and on")
    assert any(LINK in part for part in said.parts)


def test_a_family_of_emoji_is_never_torn() -> None:
    said = split(FAMILY * 400)
    assert all(part.removesuffix(REST_NOTE).strip() == FAMILY * part.count("👦") for part in said.parts)


def test_letters_with_many_marks_stay_together_where_they_fit() -> None:
    said = split(("z" + "\u0335" * 6) * 700)
    assert all(not unicodedata.category(part[0]).startswith("M") for part in said.parts)


def test_four_thousand_marks_on_one_letter_are_cut_all_the_same() -> None:
    said = split("z" + "\u0335" * 4_000)
    assert all_of(said) == "z" + "\u0335" * 4_000
    assert all(width(part) <= LIMIT for part in said.parts)


def test_halves_of_surrogate_pairs_are_joined_and_lone_ones_replaced() -> None:
    assert sound("\ud83d\ude00") == "😀"
    assert sound("a\ud83db") == "a\ufffdb"


@given(texts)
@settings(max_examples=300, deadline=None)
@example("```" + "a" * 5_000)
@example("`" * 9_000)
@example("\n" * 5_000 + "end")
@example("```\n" + "\n" * 5_000)
def test_no_part_is_too_long_or_empty_and_none_too_many(text: str) -> None:
    said = split(text)
    assert len(said.parts) <= PARTS
    assert all(part.strip() and width(part) <= LIMIT for part in said.parts)
    assert said.rest is None or len(said.parts) == PARTS


@given(texts)
@settings(max_examples=300, deadline=None)
def test_nothing_that_is_said_gets_lost(text: str) -> None:
    assert without_marks(all_of(split(text))) == without_marks(sound(text))


@given(texts)
@settings(max_examples=300, deadline=None)
def test_code_blocks_are_balanced_in_every_message_but_the_last(text: str) -> None:
    for part in split(text).parts[:-1]:
        assert len(re.findall("```", part)) % 2 == 0


@given(
    st.lists(st.sampled_from([FAMILY, "👍🏽", "🇩🇪", "e\u0302\u0301", "한", "ab ", "مرحبا "]), max_size=900).map("".join)
)
@settings(max_examples=100, deadline=None)
def test_no_visible_character_is_torn(text: str) -> None:
    position = 0
    clean = sound(text).strip()
    for part in split(text).parts:
        body = part.removesuffix(REST_NOTE)
        position = clean.index(body, position) + len(body)
        assert is_boundary(clean, position)
