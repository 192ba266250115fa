"""What a model gave for a key is found in whatever way it wrote it, and no text that is kept shows it."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.actions import CATALOGUE
from bot.core.answers import parse_answer
from bot.core.finder import Finder
from bot.core.hud.escape import one_line
from bot.core.key_redaction import BLOT, KEY, KEY_ACTIONS, MOST_GIVEN, NOT_KEPT, KeyRedactor, keys_in, keys_written
from bot.core.kinds import OutputFormat
from bot.core.records import AgentId
from tests.moment import moment

SECRETS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=4, max_size=64).filter(
    lambda one: "•" not in one
)
MONSTERS = {
    "wide": '{"agents":[' + '{"type":"create_key","key":"abcd"},' * 5_000 + "{}]}",
    "names": '"key": ' * 25_000,
    "calls": "create_key " * 18_000,
    "open quotes": 'key: "' * 30_000,
    "escapes": "\\\\\\u006bey\\" * 18_000,
    "nested": '{"key":' * 25_000,
    "spaces": "key" + " " * 190_000 + ": abcd",
    "one long word": "key=" + "x" * 190_000,
}


def test_every_action_that_takes_a_key_is_known() -> None:
    assert {one.name for one in CATALOGUE if KEY in one.parameters} == KEY_ACTIONS
    assert {"create_key", "revoke_key", "request_access"} <= KEY_ACTIONS


@given(SECRETS, st.integers(0, 3))
def test_a_key_is_found_and_blotted_however_deep_it_is_written(secret: str, depth: int) -> None:
    text: object = {"type": "create_key", "key": secret, "label": "x"}
    for _ in range(depth):
        text = {"name": "create_key", "arguments": json.dumps(text)}
    answer = json.dumps({"actions": [text], "thoughts": f"it is {secret}"})
    keys = parse_answer(answer, asked=[AgentId(5)]).given_keys(()) | keys_in(json.loads(answer))
    assert secret.strip() in keys
    kept = KeyRedactor(keys).answer(answer, was_read=True)
    frame = answer.replace(json.dumps(secret)[1:-1], "")
    assert secret not in kept or secret in frame


@given(SECRETS)
def test_a_kept_hud_shows_no_key_as_any_format_writes_it(secret: str) -> None:
    text = f"said: {one_line(secret)} {json.dumps(secret)} {json.dumps(json.dumps(secret))} {secret}"
    kept = KeyRedactor([secret]).text(text)
    for form in (secret, one_line(secret), json.dumps(secret)[1:-1]):
        assert form not in kept.replace(BLOT, "") or form in "said: "


@pytest.mark.parametrize("name", list(MONSTERS))
def test_no_answer_takes_long_to_search(name: str) -> None:
    monster = MONSTERS[name]
    began = time.thread_time()
    keys = keys_written(monster)
    KeyRedactor(list(keys)[:200]).answer(monster, was_read=False)
    if name == "wide":
        keys_in(json.loads(MONSTERS[name]))
    assert time.thread_time() - began < 200 * moment()


def test_what_is_no_key_stays_readable() -> None:
    talk = {"responses": [{"room_id": 1, "message": "Knock knock! The key: be kind."}], "thoughts": "a key thought"}
    known = {"type": "set", "key": "people.bob", "value": "likes keys"}
    reply = parse_answer(json.dumps(talk | {"actions": [known]}), asked=[AgentId(5)], output_format=OutputFormat.JSON)
    assert reply.given_keys(()) == frozenset()


def test_of_an_answer_that_gives_thousands_of_keys_nothing_is_kept_and_nobody_waits() -> None:
    keys = frozenset(f"key {number:05}" for number in range(5_000))
    text = " ".join(keys) * 20
    began = time.thread_time()
    redactor = KeyRedactor(["community key"]) | keys
    kept = [redactor.text(text), redactor.answer(text, was_read=True), redactor.beginning(text, 1_000)]
    assert time.thread_time() - began < 20 * moment()
    assert kept == [NOT_KEPT] * 3
    assert (redactor | ["one more"]).text("plain") == NOT_KEPT


def test_a_thousand_keys_that_are_nearly_alike_are_found_in_a_long_hud_in_one_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes: list[str] = []
    found = Finder.found

    def counted(finder: Finder, text: str) -> list[tuple[int, int, int]]:
        passes.append(text)
        return found(finder, text)

    monkeypatch.setattr(Finder, "found", counted)
    keys = [f"{'a' * 59}{number:05}" for number in range(1_200)]
    long = "a" * 300_000
    assert KeyRedactor(keys).text(f"{long} {keys[7]}, {keys[1_199]} {long}") == f"{long} {BLOT}, {BLOT} {long}"
    assert len(passes) == 1


def test_the_most_odd_keys_that_are_looked_for_are_found_in_a_long_hud() -> None:
    keys = [f'{number:03}"é\\' * 12 for number in range(MOST_GIVEN)]
    hud = "the quick brown fox " * 50_000
    assert (KeyRedactor() | keys).text(f"{hud}{json.dumps(keys[9])}{hud}") == f'{hud}"{BLOT}"{hud}'


def test_keys_that_would_take_too_much_memory_are_not_sought_and_nothing_is_kept() -> None:
    keys = [chr(0x4E00 + number) * 1_000 for number in range(MOST_GIVEN)]
    redactor = KeyRedactor(["community key"]) | keys
    assert redactor.text("a community key") == NOT_KEPT
    assert redactor.size == 0


def test_keys_that_overlap_leave_nothing_of_either() -> None:
    assert (KeyRedactor(["abcdef"]) | ["xxabcd"]).text("see xxabcdef!") == f"see {BLOT}!"
    assert (KeyRedactor(["xxabcd"]) | ["abcdef"]).text("see xxabcdef!") == f"see {BLOT}!"


def test_a_text_with_halves_of_characters_is_searched_all_the_same() -> None:
    assert KeyRedactor(["lamp\ud800oil"]).text("\udc00 lamp\ud800oil \ud800") == f"\udc00 {BLOT} \ud800"


@given(st.lists(SECRETS, min_size=1, max_size=6), st.integers(1, 200), st.integers(0, 80))
def test_the_beginning_of_a_text_shows_no_half_of_a_key(secrets: list[str], most: int, before: int) -> None:
    kept = KeyRedactor(secrets).beginning("\0" * before + "\0".join(secrets * 4), most)
    assert len(kept) <= most
    assert set(kept) <= {"\0", *BLOT}
