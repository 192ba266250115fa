"""The small skills of the scripted model: sums, seeds, facts and forms of address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.hud.formats.text import read_store
from bot.standin.memory import path_of, stored
from bot.standin.persona import read_persona
from bot.standin.smalltalk import sum_in
from bot.standin.turn import without_name

KEEPER = "You are a grumpy lighthouse keeper who loves tea, storms and your old maps. You write short sentences."


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("what is 3 + 4 * 2?", "11"),
        ("12*12", "144"),
        ("10 - 4 - 3", "3"),
        ("8 / 4 / 2", "1"),
        ("2 plus 2", "4"),
        ("7 divided by 2", "3.5"),
        ("0.1 + 0.2", "0.3"),
        ("2^10", "1024"),
        ("5 - -5", "10"),
        ("4 / 0", "nothing a number can say"),
        ("9^99", "nothing a number can say"),
    ],
)
def test_a_simple_sum_is_worked_out(text: str, result: str) -> None:
    found = sum_in(text)
    assert found is not None and found[1] == result


@pytest.mark.parametrize("text", ["no sum at all", "2026-11-20", "v1.2", "room 5", ""])
def test_what_is_no_sum_is_left_alone(text: str) -> None:
    assert sum_in(text) is None


@given(st.text(alphabet="0123456789.+-*/^ x", max_size=60))
def test_no_sum_ever_fails(text: str) -> None:
    sum_in(text)


def test_a_seed_gives_a_voice() -> None:
    persona = read_persona(KEEPER, "persona")
    assert persona.role == "a grumpy lighthouse keeper"
    assert persona.about == "I am a grumpy lighthouse keeper who loves tea, storms and my old maps"
    assert persona.cares == ("tea", "storms", "old maps")
    assert persona.grumpy and not persona.terse


def test_a_seed_in_the_third_person_gives_a_voice_too() -> None:
    persona = read_persona(
        "Nia is a botanist from Lisbon. She is fond of ferns and knows everything about moss.", "persona"
    )
    assert persona.role == "a botanist"
    assert persona.cares == ("ferns", "moss")


def test_a_seed_that_begins_with_a_name_gives_a_voice_too() -> None:
    seed = "You are Wren, keeper of a small lighthouse on a coast. "
    seed += "You collect sea glass, brew strong tea, and tell tales about gulls."
    persona = read_persona(seed, "persona")
    assert persona.role == "the keeper of a small lighthouse"
    assert persona.cares == ("sea glass", "strong tea", "gulls")


def test_a_seed_without_likings_lends_its_longest_words() -> None:
    assert read_persona("Translates sentences into Portuguese.", "bot").cares[0] in ("Translates", "Portuguese")


@given(st.text(max_size=300))
def test_any_seed_gives_something_to_care_about(seed: str) -> None:
    assert read_persona(seed, "persona").cares


@pytest.mark.parametrize(
    ("fact", "path", "value", "told"),
    [
        ("my tea is green", "people.mira.tea", "green", "your tea is green"),
        ("my favourite colour is blue", "people.mira.favourite_colour", "blue", "your favourite colour is blue"),
        ("I love plums", "people.mira.loves", "plums", "you love plums"),
        ("I am a sailor", "people.mira.is", "a sailor", "you are a sailor"),
        ("Bob's trust is 0.8", "people.Bob.trust", 0.8, "Bob's trust is 0.8"),
        ("the harbour is closed", "facts.harbour", "closed", "the harbour is closed"),
        ("my lucky number is 7", "people.mira.lucky_number", 7, "your lucky number is 7"),
        ("buy oil", "notes", "buy oil", "buy oil"),
    ],
)
def test_a_fact_finds_its_place(fact: str, path: str, value: object, told: str) -> None:
    action, back = stored(fact, "mira")
    assert (action["path"], action["value"], back) == (path, value, told)


def test_a_name_with_a_dot_or_space_is_quoted_in_a_path() -> None:
    assert path_of("people", "ann.lee", "tea") == 'people."ann.lee".tea'
    assert path_of("people", 'A "B"', "tea") == 'people."A B".tea'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("@Nia hello", "hello"),
        ("Nia, what's up?", "what's up?"),
        ("hello Nia!", "hello!"),
        ("hey Nia, tell me a story", "hey tell me a story"),
        ("@nia: remember that my tea is green", "remember that my tea is green"),
        ("I met Nia's sister", "I met Nia's sister"),
        ("@Nia", "@Nia"),
        ("@Bob and @Nia, hello", "hello"),
    ],
)
def test_a_form_of_address_is_taken_off(text: str, left: str) -> None:
    assert without_name(text, "Nia") == left


def test_a_path_is_read_with_the_keys_that_it_was_written_with() -> None:
    assert read_store(['people."ann.lee".true: 1', "people.x.null: 2 (w 0.5)"]) == {
        "people": {"ann.lee": {"true": 1}, "x": {"null": 2}}
    }
