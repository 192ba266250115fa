"""One definition gives everything: schema, HUD line, handler, documentation and a row in the table of permissions."""

import json

import pytest

from bot.core.actions import (
    BY_NAME,
    CATALOGUE,
    Definition,
    actions_table,
    hud_actions,
)
from bot.core.schema import answer_schema
from bot.engine.performer import HANDLERS
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
