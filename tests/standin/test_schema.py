"""Answers made to fit a schema, and schemas that a strict output refuses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from bot.standin.question import complaint_about
from bot.standin.schema import Fitter

Json = dict[str, Any]


def thing(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def maybe(**part: object) -> Json:
    return {"anyOf": [part, {"type": "null"}]}


WORD: Json = {"type": "string"}
REACT = thing(
    type={"const": "react"},
    message_id={"type": "integer"},
    reaction={"type": "string", "enum": ["heart", "brain"]},
)
SET = thing(type={"const": "set"}, path=WORD, value={"type": ["string", "number", "boolean"]}, w=maybe(type="number"))
ANSWER = thing(
    agents={
        "type": "array",
        "items": thing(
            agent_id={"type": "integer"},
            thoughts=maybe(type="string"),
            responses={"type": "array", "items": thing(room_id={"type": "integer"}, message=WORD)},
            actions={"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/react"}, SET]}},
        ),
    }
) | {"$defs": {"react": REACT}}


def fit(answer: Any, schema: Json = ANSWER) -> Any:  # noqa: ANN401 - any JSON
    fitted: Any = Fitter(schema).fitted(answer)
    Draft202012Validator(schema).validate(fitted)
    return fitted


def agent(*actions: Json, **more: object) -> Json:
    return {"agents": [{"agent_id": 3, "responses": [], "actions": list(actions), **more}]}


def test_absent_fields_become_null() -> None:
    fitted = fit(agent({"type": "set", "path": "a", "value": 1}))
    assert fitted["agents"][0]["thoughts"] is None
    assert fitted["agents"][0]["actions"] == [{"type": "set", "path": "a", "value": 1, "w": None}]


def test_an_action_the_schema_does_not_know_is_left_out_and_the_rest_stands() -> None:
    heart = {"type": "react", "message_id": 5, "reaction": "heart"}
    assert fit(agent({"type": "fly"}, heart))["agents"][0]["actions"] == [heart]


def test_an_action_with_a_wrong_parameter_is_left_out() -> None:
    wrong = {"type": "react", "message_id": "five", "reaction": "heart"}
    assert fit(agent(wrong, {"type": "react", "message_id": 5, "reaction": "shrug"}))["agents"][0]["actions"] == []


def test_numbers_and_cases_are_put_right() -> None:
    fitted = fit(agent({"type": "React", "message_id": "5", "reaction": "HEART"}))
    assert fitted["agents"][0]["actions"] == [{"type": "react", "message_id": 5, "reaction": "heart"}]


def test_a_flat_action_of_all_parameters_is_filled_with_null() -> None:
    flat = thing(
        type={"type": "string", "enum": ["react", "set"]}, path=maybe(type="string"), value=maybe(type="string")
    )
    schema = thing(actions={"type": "array", "items": flat})
    fitted = fit({"actions": [{"type": "set", "path": "a.b", "value": 7}, {"type": "fly"}]}, schema)
    assert fitted == {"actions": [{"type": "set", "path": "a.b", "value": "7"}]}


def test_limits_are_kept() -> None:
    schema = thing(a={"type": "string", "maxLength": 3}, b={"type": "integer", "minimum": 1, "maximum": 5})
    assert fit({"a": "abcdef", "b": 99}, schema) == {"a": "abc", "b": 5}


def test_filling_adds_nulls_and_leaves_even_what_is_wrong() -> None:
    filled: Any = Fitter(ANSWER).filled(agent({"type": "fly", "height": 3}, {"type": "set", "path": "a", "value": 1}))
    assert filled["agents"][0]["thoughts"] is None
    assert filled["agents"][0]["actions"] == [
        {"type": "fly", "height": 3},
        {"type": "set", "path": "a", "value": 1, "w": None},
    ]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["agents", "agent_id", "actions", "responses", "type", "path", "value"]), inner
        )
    ),
    max_leaves=12,
)


@given(anything)
def test_any_value_can_be_made_to_fit(value: object) -> None:
    fit(value)


@given(anything)
def test_filling_never_loses_anything(value: Any) -> None:  # noqa: ANN401 - any JSON
    filled: Any = Fitter(ANSWER).filled(value)
    if isinstance(value, dict):
        assert set(value) <= set(filled)


def test_a_sound_strict_schema_is_accepted() -> None:
    assert complaint_about(ANSWER) is None


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "array", "items": WORD}, 'type: "object"'),
        (thing(a={"oneOf": [WORD]}), "'oneOf' is not permitted"),
        (thing(a=thing(b=WORD) | {"required": []}), "Missing 'b'"),
        (thing(a={"type": "object", "properties": {}, "required": []}), "'additionalProperties'"),
        (thing(a={"$ref": "#/$defs/a", "description": "x"}), "$ref cannot have keywords"),
    ],
)
def test_an_unsound_strict_schema_is_refused_with_the_reason(schema: Json, says: str) -> None:
    complaint = complaint_about(schema)
    assert complaint is not None and says in complaint


def test_a_schema_too_deep_is_refused() -> None:
    deep = thing(a=WORD)
    for _ in range(11):
        deep = thing(a=deep)
    assert "levels of nesting" in (complaint_about(deep) or "")
