"""One definition gives everything: schema, HUD line, handler, documentation and a row in the table of permissions."""

import json
import re

import jsonschema
import pytest
from pydantic import ValidationError

from bot.core.actions import (
    BY_NAME,
    CATALOGUE,
    AlterAgent,
    CreateAgent,
    Definition,
    SetAttention,
    Sleep,
    WakeAgent,
    actions_table,
    hud_actions,
)
from bot.core.answer_items import as_action
from bot.core.errors import Rejected
from bot.core.schema import action_schema, answer_schema
from bot.engine.performer import HANDLERS
from bot.standin.question import complaint_about
from bot.tokens import o200k
from tests.core.test_permissions import example

# Word for word: what agents can do.
ROWS = """
set delete append get react wake_agent reply set_billboard clear_billboard set_topic clear_topic set_wpm set_access
create_key revoke_key give_key request_access grant_access deny_access join_room leave_room set_attention
set_allocation set_name sleep schedule_message cancel_scheduled attach
hud hud_update hud_note hud_decision hud_file hud_blocker hud_step
hud_clear plan_goal plan_milestone plan_strategy feel
recall read_history read_message checkpoints compact create_agent alter_agent retire_agent
"""


def test_every_action_that_was_promised_is_listed() -> None:
    assert set(ROWS.split()) - {each.name for each in CATALOGUE if each.listed} == set()


@pytest.mark.parametrize("definition", CATALOGUE, ids=lambda each: each.name)
def test_every_action_has_all_that_makes_it_one(definition: Definition) -> None:
    assert definition.model in HANDLERS
    assert definition.summary.endswith(".")
    assert f"`{definition.name}(" in actions_table()
    assert definition.model.model_validate(example(definition.name).model_dump()) == example(definition.name)
    if definition.listed:
        lines = [line for group in _shown(definition) for line in group]
        assert definition.hud_line in lines
        assert f'"{definition.name}"' in json.dumps(answer_schema(emotions=definition.felt))


def _shown(definition: Definition) -> list[tuple[str, ...]]:
    return list(hud_actions(privileged=definition.privileged, emotions=definition.felt).values())


def test_feeling_is_offered_only_where_it_is_switched_on() -> None:
    assert '"feel"' not in json.dumps(answer_schema())
    assert not any("feel(" in line for lines in hud_actions(privileged=False).values() for line in lines)


def test_no_handler_is_left_without_an_action() -> None:
    assert set(HANDLERS) == {each.model for each in CATALOGUE}
    assert len(BY_NAME) == len(CATALOGUE)


def test_the_list_of_actions_takes_at_most_900_tokens() -> None:
    groups = [*hud_actions(privileged=False).items(), *hud_actions(privileged=True).items()]
    text = "".join(f"{category}\n" + "".join(f"- {line}\n" for line in lines) for category, lines in groups)
    assert o200k().count(text) <= 900


def test_the_schema_is_one_constant_of_at_most_3500_tokens_without_any_id() -> None:
    text = json.dumps(answer_schema(), separators=(",", ":"))
    assert o200k().count(text) <= 3_500
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


def test_an_answer_by_the_schema_is_taken_as_it_is() -> None:
    for definition in CATALOGUE:
        if not definition.listed:
            continue
        given = {"type": definition.name, **example(definition.name).model_dump(mode="json")}
        strict = {name: given.get(name) for name in ["type", *definition.agent_parameters]}
        jsonschema.validate(strict, action_schema(definition))


def test_what_only_people_may_give_is_not_in_the_schema() -> None:
    names = action_schema(CreateAgent.definition)["properties"]
    assert set(names) == {"type", "name", "background_prompt", "agent_type", "in_room_id"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "attention"), [("40", 40), ("40%", 40), (40, 40), ("%*", None), ("*", None), ("0", 0)]
)
def test_attention_is_read_in_any_spelling(value: object, attention: int | None) -> None:
    assert SetAttention.model_validate({"room_id": 1, "value": value}).attention == attention


@pytest.mark.parametrize("value", ["101", "-1", "4.5", "", "lots", None, [], "9" * 5_000])
def test_attention_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        SetAttention.model_validate({"room_id": 1, "value": value})


@pytest.mark.parametrize("id", [True, 0, -3, 2**63, "x", 1.5, None, "9" * 5_000])
def test_an_id_is_a_small_positive_number(id: object) -> None:
    with pytest.raises(ValidationError):
        WakeAgent.model_validate({"agent_id": id})


def test_a_time_is_read_with_any_offset_and_kept_in_utc() -> None:
    assert Sleep.model_validate({"until": "2026-11-20T12:00:00+02:00"}).until.isoformat() == "2026-11-20T10:00:00+00:00"
    assert Sleep.model_validate({"until": "2026-11-20T12:00:00"}).until.isoformat() == "2026-11-20T12:00:00+00:00"
    with pytest.raises(ValidationError):
        Sleep.model_validate({"until": "0001-01-01T00:00:00+14:00"})


def test_an_agent_listens_to_few_and_short_other_names() -> None:
    most = tuple("x" * 49 + str(number) for number in range(10))
    assert AlterAgent(agent_id=1, aliases=most).aliases == most
    for aliases in ((*most, "y"), ("x" * 51,), (" ",)):
        with pytest.raises(ValidationError):
            AlterAgent(agent_id=1, aliases=aliases)


def test_a_file_has_200_kb_at_most_in_whatever_script() -> None:
    assert as_action({"type": "attach", "filename": "a.txt", "content": "ü" * 100_000})
    with pytest.raises(Rejected, match="give at most 200 kB"):
        as_action({"type": "attach", "name": "a.txt", "text": "ü" * 100_001})
