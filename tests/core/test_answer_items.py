"""One item of an answer becomes one action, or one sentence that says why not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError, field_validator

from bot.core.actions import Action, CreateKey, React, Set, SetTopic, WakeAgent
from bot.core.answer_items import LONGEST_VALUE, MOST_VALUES, action_called, as_action, first_of, problem_of, told_of
from bot.core.errors import Rejected
from bot.core.knowledge import DEEPEST
from bot.core.records import Json


def why(item: Json) -> str:
    with pytest.raises(Rejected) as refused:
        as_action(item)
    return refused.value.sentence


@pytest.mark.parametrize(
    "item",
    [
        {"type": "set_topic", "topic": "tea"},
        {"TYPE": "setTopic", "Topic": "tea"},
        {"action": "Set Topic", "parameters": {"topic": "tea"}},
        {"tool": "set-topic", "args": '{"topic": "tea"}'},
        {"set_topic": {"text": "tea"}},
        {"type": "topic", "value": "tea", "mood": "calm"},
        {"name": "set.topic", "topic": None, "value": "tea"},
    ],
)
def test_an_action_may_be_written_in_many_ways(item: dict[str, Json]) -> None:
    assert as_action(item) == SetTopic(topic="tea")


def test_a_name_alone_is_an_action_without_parameters() -> None:
    assert as_action("create_key") == CreateKey()
    assert as_action({"type": "create_key", "label": None}) == CreateKey()


def test_a_spelling_that_two_parameters_share_goes_to_the_first_that_lacks_one() -> None:
    assert as_action({"type": "wake_agent", "id": 3, "agent": None}) == WakeAgent(agent_id=3)
    assert as_action({"type": "react", "id": 7, "emoji": " THUMBS_UP "}).model_dump()["message_id"] == 7
    assert isinstance(as_action({"type": "react", "id": 7, "emoji": "👍"}), React)


def test_an_object_that_is_written_as_text_is_one() -> None:
    values: list[Json] = ['{"a": [1]}', {"a": [1]}]
    for value in values:
        assert as_action({"type": "set", "path": "x", "value": value}) == Set(path="x", value={"a": [1]})
    assert as_action({"type": "set", "path": "x", "value": "{a"}) == Set(path="x", value="{a")
    assert as_action({"type": "set", "path": "x", "value": "{a}"}) == Set(path="x", value="{a}")


def test_what_is_no_action_is_told_in_a_sentence() -> None:
    assert why(7) == "An action is an object with a type."
    assert why({}) == "An action needs a type."
    assert why({"type": "fly"}) == 'There is no action "fly".'
    assert why({"type": "invite"}) == 'There is no action "invite".'  # people's
    assert why({"type": "key s3cret!"}) == "There is no such action: use a listed type."
    assert why({"type": "set_topic"}) == "topic is missing."
    assert why({"type": "set_topic", "topic": ""}) == "topic is not right: string should have at least 1 character."


def test_what_is_too_much_to_keep_is_refused() -> None:
    deep: Json = "leaf"
    for _ in range(DEEPEST + 1):
        deep = [deep]
    assert why({"type": "set", "path": "x", "value": deep}).startswith("value is too deep")
    wide: list[Json] = [0] * (MOST_VALUES + 1)
    for large in (wide, "x" * LONGEST_VALUE):
        assert why({"type": "set", "path": "x", "value": large}).startswith("value is too large")


def test_the_first_of_several_spellings_counts_as_it_stands_before_as_it_is_meant() -> None:
    assert first_of({"B": 2, "a": 1}, ("b", "a")) == 1
    assert first_of({"B": 2, "A": 1}, ("b", "a")) == 2
    assert first_of({"c": 3}, ("b", "a")) is None


def test_an_action_is_known_by_its_other_names_and_peoples_by_none() -> None:
    assert action_called(" SetTopic ") == action_called("topic") == "set_topic"
    assert action_called("invite") == action_called("fly") == ""


class Form(BaseModel):
    max_turns: int = Field(le=9)
    word: str = "x"

    @field_validator("word")
    @classmethod
    def _fits(cls, word: str) -> str:
        if word != "x":
            raise ValueError("give an x")
        return word


def test_people_are_told_without_names_from_inside() -> None:
    told = {}
    for given_as in ({}, {"max_turns": 10}, {"max_turns": 1, "word": "y"}, 7):
        with pytest.raises(ValidationError) as refused:
            Form.model_validate(given_as)
        told[str(given_as)] = told_of(refused.value), problem_of(refused.value)
    assert [people for people, _ in told.values()][:3] == [
        "The max turns is missing: give it and try again.",
        "The max turns does not fit: it should be less than or equal to 9. Change it and try again.",
        "The word does not fit: give an x. Change it and try again.",
    ]
    assert [agents for _, agents in told.values()][:3] == [
        "max_turns is missing.",
        "max_turns is not right: should be less than or equal to 9.",
        "word is not right: give an x.",
    ]
    assert told["7"][0].startswith("That does not fit: it should be")
    assert told["7"][1].startswith("It is not right: should be")


JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "action", "value", "path", "parameters", "id"]) | st.text(), inner)
    ),
    max_leaves=8,
)


@given(JSON)
def test_whatever_a_model_writes_is_an_action_or_a_sentence(item: Json) -> None:
    try:
        assert isinstance(as_action(item), Action)
    except Rejected as refused:
        assert refused.sentence.endswith(".")
