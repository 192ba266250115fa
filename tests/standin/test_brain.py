"""When the scripted mind speaks and when it is silent, as its HUD shows."""

import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.core.kinds import InputFormat
from bot.core.records import ActionRecord, Lookup
from bot.standin.smalltalk import ANNOUNCEMENT
from tests.fakes import START
from tests.standin.talk import BOB, NIA, Talk, nia, spoke

ANNOUNCED = "3: I'm here."


def test_a_greeting_is_returned_and_says_what_speaks_here() -> None:
    said = nia("mira: hello").text
    assert "mira" in said and said.endswith(ANNOUNCEMENT)


def test_it_says_only_once_what_it_is() -> None:
    assert ANNOUNCEMENT not in nia("mira: hello", "3: Hello, mira!", "mira: how are you?").text
    assert ANNOUNCEMENT not in nia("mira: hello", deeds=(spoke("I'm here.", room_id=BOB),)).text


def test_an_answered_line_is_not_answered_again() -> None:
    assert nia("mira: hello", "3: Hello, mira!").words == {}


def test_a_line_after_its_own_is_answered() -> None:
    assert nia("mira: hello", "3: Hello, mira!", "mira: what is 2 + 3?").text.count("5") == 1


def test_an_answer_on_its_way_is_not_given_twice() -> None:
    first = nia("mira: hello")
    assert nia("mira: hello", deeds=(spoke(first.text, seconds=2),)).words == {}


def test_while_one_answer_is_on_its_way_the_next_line_is_answered() -> None:
    first = nia("mira: hello", seconds_apart=3)
    both = nia("mira: hello", "mira: what is 2 + 3?", deeds=(spoke(first.text, seconds=2),), seconds_apart=3)
    assert "5" in both.text and "hello" not in both.text.lower()


def test_what_is_asked_for_again_is_what_was_answered_and_not_the_wish() -> None:
    talk = ("mira: what is 2 + 3?", "3: That makes 5.", "mira: lovely weather")
    assert "5" in nia(*talk, "mira: Nia, please answer message 100 again.").text
    assert "5" in nia(*talk, "mira: Nia, please answer message 101 again.").text


@pytest.mark.parametrize("line", ["helo Niaa", "hullo", "heyy", "hallo!"])
def test_a_misspelt_greeting_is_one(line: str) -> None:
    assert not re.search("I hear you|you say|Tell me more|Noted", nia(f"mira: {line}").text)


def test_a_misspelt_question_is_understood_by_what_is_in_it() -> None:
    assert "5" in nia("mira: waht is 2+3").text
    assert "lighthouse" in nia("mira: who r u").text


def test_the_same_answer_may_be_given_to_a_later_line() -> None:
    once = nia(ANNOUNCED, "mira: join room 9", seconds_apart=2).text
    lines = (ANNOUNCED, "mira: join room 9", f"3: {once}", "mira: join room 9")
    assert nia(*lines, deeds=(spoke(once, seconds=5),), seconds_apart=2).text == once


def test_what_was_answered_a_while_ago_stays_answered_though_it_left_the_room() -> None:
    deeds = (spoke("long gone", seconds=80),)
    assert nia("mira: hello", "System: a notice", "System: another", deeds=deeds, seconds_apart=90).words == {}


def test_a_refused_message_does_not_count_as_an_answer() -> None:
    first = nia("mira: hello")
    assert nia("mira: hello", deeds=(spoke(first.text, seconds=2, accepted=False),)).words


def test_several_lines_are_answered_together() -> None:
    said = nia(ANNOUNCED, "mira: remember that my tea is green", "mira: what is 2 + 3?")
    assert "your tea is green" in said.text and "5" in said.text
    assert [action["type"] for action in said.actions] == ["set"]


def test_in_its_own_room_it_does_not_break_into_the_talk_of_others() -> None:
    lines = ("mira: shall we go?", "3: Hm.", "ben: where to?", "mira: shall we go?", "ben: later maybe")
    assert nia(*lines).words == {}
    assert nia("mira: shall we go?", "ben: later maybe", seconds_apart=150).words == {}
    assert nia("mira: shall we go?", "ben: Nia, what do you say?").words != {}


def test_it_leaves_a_line_to_another_who_is_named() -> None:
    assert nia("mira: @Bob count to three").words == {}
    assert nia("mira: @Bob and @Nia, hello").words != {}


def test_elsewhere_it_speaks_only_when_it_is_named() -> None:
    assert Talk(at_bobs=("mira: hello Bob",)).answers(NIA)[0].words == {}
    assert list(Talk(at_bobs=("mira: hello @Nia",)).answers(NIA)[0].words) == [BOB]
    assert list(Talk(at_bobs=("mira: ask nia about tea",)).answers(NIA)[0].words) == [BOB]
    assert Talk(at_bobs=("mira: the niagara falls",)).answers(NIA)[0].words == {}


def test_a_reply_to_its_message_is_for_it_and_one_to_others_is_not() -> None:
    lines = ("mira: hello Nia", "3: Hello!", "ben: so?", "mira: really?")
    assert Talk(at_bobs=lines, reply_to=201).answers(NIA)[0].words != {}
    assert Talk(at_bobs=lines, reply_to=202).answers(NIA)[0].words == {}


def test_a_talk_goes_on_with_the_same_person_only() -> None:
    lines = ("mira: hello Nia", "3: Hello!")
    assert Talk(at_bobs=(*lines, "mira: how are you?")).answers(NIA)[0].words != {}
    assert Talk(at_bobs=(*lines, "ben: how are you?")).answers(NIA)[0].words == {}
    assert Talk(at_bobs=(*lines, "mira: how are you?"), seconds_apart=200).answers(NIA)[0].words == {}


def test_a_greeting_to_all_is_taken_up_until_another_agent_has() -> None:
    assert Talk(at_bobs=("mira: hello everyone!",)).answers(NIA)[0].words != {}
    assert Talk(at_bobs=("mira: hello everyone!", "4: Hello mira.")).answers(NIA)[0].words == {}


def test_a_greeting_to_all_in_a_crowd_is_left_to_others() -> None:
    crowd = ("ann: so", "ben: yes", "cy: no", "mira: hello everyone!")
    assert Talk(at_bobs=crowd).answers(NIA)[0].words == {}


def test_a_question_to_anyone_is_taken_up_only_when_it_is_about_what_it_knows() -> None:
    assert Talk(at_bobs=("mira: does anyone have an old map?",)).answers(NIA)[0].words != {}
    assert Talk(at_bobs=("mira: does anyone know about wifi?",)).answers(NIA)[0].words == {}


def test_at_the_start_of_what_is_shown_it_does_not_take_a_line_for_its_own() -> None:
    crowd = tuple(f"{'ann' if number % 3 else 'ben'}: word {number}" for number in range(120))
    for cut in range(4):
        assert nia(*crowd[cut:], seconds_apart=1, older=50).words == {}
    alone = tuple(f"mira: word {number}" for number in range(12))
    assert nia(*alone, seconds_apart=1, older=50).words != {}


def test_another_agent_is_answered_once_between_two_lines_of_people() -> None:
    lines = ("mira: talk, you two", "4: Nia, how are you?")
    first = Talk(at_bobs=lines).answers(NIA)[0]
    assert first.words != {} and "Bob" not in first.text
    assert Talk(at_bobs=(*lines, "3: All fine.", "4: Nia, and the weather?")).answers(NIA)[0].words == {}
    assert Talk(at_bobs=("mira: talk, you two", "4: one, two, three")).answers(NIA)[0].words == {}


def test_another_agent_gets_no_wish_granted() -> None:
    said = Talk(at_bobs=("4: Nia, set your topic to counting",)).answers(NIA)[0]
    assert said.actions == []


def test_the_system_is_not_answered() -> None:
    assert nia("System: Nia joined").words == {}


def test_the_architect_is_answered_like_a_person() -> None:
    assert "Architect" in nia("The Architect: hello").text


def test_an_architect_with_a_name_is_called_by_it() -> None:
    assert "olga" in nia("The Architect (@olga): hello").text.lower()


def test_nobody_who_waits_at_the_door_is_left_standing() -> None:
    assert nia(knocks=(7, 8)).actions == [
        {"type": "grant_access", "request_id": 7},
        {"type": "grant_access", "request_id": 8},
    ]


def test_the_door_stays_shut_when_it_was_told_so() -> None:
    shut = nia("mira: don't let anyone in").actions
    assert shut == [{"type": "set", "path": "door", "value": "shut"}]
    assert nia(knocks=(7,), knowledge={"door": "shut"}).actions == [{"type": "deny_access", "request_id": 7}]
    assert nia(knocks=(7,), seed="You are a hermit. Never let anyone in.").actions == []


def test_what_a_search_found_is_told_where_it_was_asked() -> None:
    asked = nia("mira: what did we say about tea?")
    assert {"type": "recall", "query": "tea"} in asked.actions
    finds: list[object] = [
        {"id": 5, "sender": "@mira", "content": "what did we say about tea?"},
        {"id": 3, "sender": "3", "content": "tea? no"},
        {"id": 2, "sender": "@ben", "content": "tea is best hot"},
    ]
    deeds = (spoke(asked.text, seconds=1),)
    found = nia("mira: what did we say about tea?", deeds=deeds, lookups=(Lookup(question="recall tea", answer=finds),))  # type: ignore[arg-type]
    assert found.words == {NIA: "I found this about 'tea': @ben said 'tea is best hot'; I said 'tea? no'"}
    nothing = nia(deeds=deeds, lookups=(Lookup(question="recall tea", answer="nothing found"),))
    assert nothing.text == "I found nothing about 'tea'."


def test_several_agents_of_one_call_answer_each_for_itself() -> None:
    said = Talk(lines=("mira: hello",), at_bobs=("mira: hello",)).answers(NIA, BOB)
    assert [list(one.words) for one in said] == [[NIA], [BOB]]
    assert said[0].text != said[1].text


@pytest.mark.parametrize("input_format", list(InputFormat))
def test_every_format_gets_the_same_answer(input_format: InputFormat) -> None:
    lines = ("mira: hello", "3: Hello!", "mira: what is my tea?")
    said = nia(*lines, knowledge={"people": {"mira": {"tea": "green"}}}, input_format=input_format)
    assert said.text == "Your tea is green."


def test_what_it_did_before_is_no_reason_to_speak() -> None:
    deed = ActionRecord(type="set_topic", at=START, parameters={"topic": "x"})
    said = nia(deeds=(deed,))
    assert said.words == {} and said.actions == [] and said.thoughts == "Nothing here is for me."


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text(max_size=60), min_size=1, max_size=3), st.text(max_size=60))
def test_any_words_get_a_valid_answer(lines: list[str], seed: str) -> None:
    nia(*(f"mira: @Nia {line}" for line in lines), seed=seed or "x")


@pytest.mark.parametrize("word", ["a", "ask ", "1+", "my ", "@Nia ", "hi all ", "anyone ", " is ", "'", "  (re 1"])
def test_a_very_long_line_is_answered_quickly(word: str) -> None:
    started = time.process_time()
    nia(f"mira: ask {word * (8_000 // len(word))}", seed=f"You are {word * (4_000 // len(word))}")
    assert time.process_time() - started < 2


WORDS = (
    "remember",
    "that",
    "my",
    "is",
    "set",
    "topic",
    "to",
    "sleep",
    "for",
    "5",
    "99",
    "minutes",
    "until",
    "wake",
    "Bob",
    "?",
)
PHRASES = st.lists(
    st.sampled_from([*WORDS, "create", "an agent called", "who", "forget", "room", "key", "with", "ask"])
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(PHRASES)
def test_any_half_sentence_of_a_wish_gets_a_valid_answer(words: list[str]) -> None:
    nia(f"mira: {' '.join(words)} .", may_create=True)
