"""A model's raw text becomes plain data, whatever it is wrapped in, and never an error."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.answer_text import DEEPEST, LONGEST_PLAIN, LONGEST_SHOWN, LONGEST_WORDS, is_plain, read_answer
from bot.core.kinds import OutputFormat
from bot.core.records import Json
from bot.core.storable import clean_text

SAID = {"responses": [{"room_id": 1, "message": "Hello. How are you?"}]}
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(alphabet=st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abc"), inner, max_size=3),
    max_leaves=10,
)


def data(text: str, output_format: OutputFormat = OutputFormat.JSON) -> Json:
    return read_answer(text, output_format).data


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "\ufeff {} ",
        "Here it is:\n```json\n{}\n```\nDone.",
        "```\n{}",
        "Sure! {}",
    ],
)
def test_data_is_found_in_whatever_a_model_wraps_it_in(wrapped: str) -> None:
    read = read_answer(wrapped.replace("{}", json.dumps(SAID)), OutputFormat.JSON)
    assert read.data == SAID
    assert read.whole


def test_each_form_is_read_also_where_the_other_was_asked_for() -> None:
    toon = "thoughts: quiet\nactions[0]:"
    for asked in OutputFormat:
        assert data(json.dumps(SAID), asked) == SAID
        assert data(toon, asked) == {"thoughts": "quiet", "actions": []}


def test_of_an_answer_that_breaks_off_what_is_whole_counts_and_is_told_apart() -> None:
    text = json.dumps({"agents": [SAID, SAID]})
    read = read_answer(text[: text.rindex("How")], OutputFormat.JSON)
    assert not read.whole
    assert read.data == {"agents": [SAID, {"responses": [{"room_id": 1, "message": "Hello."}]}]}
    cut = read_answer('{"thoughts": "well", "actions": [{"type": "sleep"}, {"type": "se', OutputFormat.JSON)
    assert cut.data == {"thoughts": "well", "actions": [{"type": "sleep"}]}


@pytest.mark.parametrize("text", ["", "   ", "Hello.", "7", '"words"', "null", "[" * (DEEPEST + 1), "}{"])
def test_where_no_data_is_none_is_given(text: str) -> None:
    assert data(text) in (None, {}, [])


def test_what_cannot_be_stored_is_left_out_or_told_in_words() -> None:
    assert data('{"a": "x\\u0000y\\ud800", "b": 1e999, "c": NaN}') == {"a": "xy?", "b": "inf", "c": "nan"}
    assert data('{"a": 1' + "0" * 40 + ', "b": true, "c": [1.5]}') == {
        "a": "a very large number",
        "b": True,
        "c": [1.5],
    }


@given(st.text())
def test_clean_text_can_be_stored_and_is_clean_already(text: str) -> None:
    clean = clean_text(text)
    clean.encode()
    assert clean_text(clean) == clean
    assert "\0" not in clean


@given(st.text() | VALUES.map(json.dumps), st.sampled_from(OutputFormat))
def test_no_answer_is_an_error(text: str, output_format: OutputFormat) -> None:
    json.dumps(data(text, output_format), allow_nan=False)


@pytest.mark.slow
@given(st.dictionaries(st.text(alphabet="abc"), VALUES, min_size=1))
def test_what_a_model_writes_well_is_read_as_it_is(value: dict[str, Json]) -> None:
    cleaned = json.loads(json.dumps(value))
    read = read_answer(json.dumps(value), OutputFormat.JSON)
    assert read.whole
    if all(clean_text(text) == text for text in _texts(cleaned)):
        assert read.data == cleaned


def _texts(value: Json) -> list[str]:
    match value:
        case str():
            return [value]
        case list():
            return [text for inner in value for text in _texts(inner)]
        case dict():
            return [text for inner in value.values() for text in _texts(inner)]
    return []


def test_only_what_is_read_in_a_moment_is_read_at_once() -> None:
    assert is_plain("word " * (LONGEST_WORDS // 5))
    assert not is_plain("word " * (LONGEST_WORDS // 5) + "!")
    assert is_plain(json.dumps(SAID))
    assert not is_plain(json.dumps(SAID)[:-1])
    assert not is_plain(json.dumps({"message": "x" * LONGEST_PLAIN}))
    assert not is_plain("short", shown=LONGEST_SHOWN + 1)
    assert not is_plain(json.dumps(SAID), shown=LONGEST_SHOWN + 1)  # its words are held against all that was shown
