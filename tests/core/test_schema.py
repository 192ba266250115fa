"""The strict schema of answers is made of the vocabulary, and holds to what strict mode takes."""

import json
import re

import jsonschema

from bot.core.actions import (
    CATALOGUE,
    CreateAgent,
)
from bot.core.schema import action_schema, action_schemas, answer_schema, of_few_unions
from bot.standin.question import complaint_about
from bot.tokens import o200k
from tests.core.test_permissions import example


def test_the_schema_is_one_constant_of_at_most_2900_tokens_without_any_id() -> None:
    text = json.dumps(answer_schema())
    assert o200k().count(text) <= 2_900
    assert not re.search(r"\d", text)
    assert answer_schema() is answer_schema()


def objects(part: object) -> list[dict[str, object]]:
    """Find all objects within a schema."""
    if isinstance(part, list):
        return [found for each in part for found in objects(each)]
    if not isinstance(part, dict):
        return []
    mine = [part] if part.get("type") == "object" else []
    return mine + [found for each in part.values() for found in objects(each)]


def test_the_schema_keeps_to_what_strict_mode_takes() -> None:
    schema = answer_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for one in objects(schema):
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])  # type: ignore[call-overload]
    allowed = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "description"}
    words = set(re.findall(r'"(\$?[a-zA-Z]+)":', json.dumps(schema)))
    assert words - allowed <= {name for each in CATALOGUE for name in each.agent_parameters} | {
        *("agents", "agent_id", "thoughts", "responses", "actions", "message", "room_id")
    }


def test_the_schema_of_a_call_of_one_knows_neither_list_nor_id() -> None:
    schema = answer_schema(alone=True)
    assert schema["required"] == ["thoughts", "responses", "actions"]
    assert "agent_id" not in json.dumps(schema["properties"]["responses"])  # type: ignore[index, call-overload]
    assert answer_schema(alone=True) is schema
    assert complaint_about(schema) is None


def test_the_scripted_endpoint_which_is_as_strict_as_openai_takes_the_schema() -> None:
    assert complaint_about(answer_schema()) is None


def test_actions_that_take_the_same_share_a_shape_which_is_as_strict_as_their_own() -> None:
    listed = [each for each in CATALOGUE if each.listed]
    shapes = action_schemas(listed)
    named = [(name, shape) for shape in shapes for name in shape["properties"]["type"]["enum"]]  # type: ignore[index, call-overload, union-attr]
    assert sorted(str(name) for name, _ in named) == sorted(each.name for each in listed)
    for name, shape in named:
        own = action_schema(next(each for each in listed if each.name == name))
        narrowed = {**shape["properties"], "type": {"type": "string", "enum": [name]}}  # type: ignore[dict-item]
        assert {**shape, "properties": narrowed} == own
    taken = [json.dumps({**shape["properties"], "type": None}) for shape in shapes]  # type: ignore[dict-item]
    assert len(set(taken)) == len(shapes) < len(listed)


def test_an_answer_by_the_schema_is_taken_as_it_is() -> None:
    for definition in CATALOGUE:
        if not definition.listed:
            continue
        given = {"type": definition.name, **example(definition.name).model_dump(mode="json")}
        strict = {name: given.get(name) for name in ["type", *definition.agent_parameters]}
        jsonschema.validate(strict, action_schema(definition))


def test_where_few_unions_are_taken_the_same_answers_are_without_what_is_null() -> None:
    for emotions in (False, True):
        whole = answer_schema(alone=True, emotions=emotions)
        few = of_few_unions(whole)
        judge = jsonschema.Draft202012Validator(few)
        assert json.dumps(few).count('"null"') < 10 < json.dumps(whole).count('"null"')
        for definition in CATALOGUE:
            if not definition.listed or (definition.name == "feel" and not emotions):
                continue
            given = {"type": definition.name, **example(definition.name).model_dump(mode="json", exclude_none=True)}
            names = ["type", *definition.agent_parameters]
            ways = [{name: given[name] for name in names if name in given}, {name: given.get(name) for name in names}]
            assert any(judge.is_valid({"responses": [], "actions": [action]}) for action in ways), definition.name


def test_what_only_people_may_give_is_not_in_the_schema() -> None:
    names = action_schema(CreateAgent.definition)["properties"]
    assert set(names) == {"type", "name", "background_prompt", "agent_type", "in_room_id"}  # type: ignore[arg-type]
