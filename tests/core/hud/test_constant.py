"""The constant part: small, and whole in every format."""

import pytest

from bot.core.actions import CATALOGUE
from bot.core.hud.constant import constant_part
from bot.core.hud.prompts import prompts_of
from bot.core.kinds import InputFormat, OutputFormat
from bot.tokens import o200k


def os_section(
    hud_format: InputFormat = InputFormat.TEXT,
    output: OutputFormat = OutputFormat.JSON,
    *,
    structured: bool = False,
    alone: bool = False,
    emotions: bool = False,
) -> str:
    told = prompts_of({})
    return constant_part(told, hud_format, output, structured=structured, alone=alone, emotions=emotions)


@pytest.mark.parametrize("emotions", [True, False])
@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize("output", list(OutputFormat))
@pytest.mark.parametrize("hud_format", list(InputFormat))
def test_the_constant_part_is_at_most_1900_tokens(
    hud_format: InputFormat, output: OutputFormat, structured: bool, emotions: bool
) -> None:
    assert o200k().count(os_section(hud_format, output, structured=structured, emotions=emotions)) <= 1_900


def test_the_list_of_actions_is_at_most_900_tokens() -> None:
    text = os_section()
    listed = text[text.index(">>> ACTIONS <<<") : text.index(">>> ANSWER <<<")]
    assert o200k().count(listed) <= 900


def test_every_listed_action_is_in_every_format() -> None:
    names = [action.name for action in CATALOGUE if action.listed and not (action.privileged or action.felt)]
    for hud_format in InputFormat:
        assert all(f"{name}(" in os_section(hud_format) for name in names)


def test_a_model_without_a_schema_is_told_the_format_in_words() -> None:
    assert '"agents": [{"agent_id": 5' in os_section()
    assert "responses[1]{room_id,message}:" in os_section(output=OutputFormat.TOON)
    assert '"agent_id"' not in os_section(structured=True)


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize("output", list(OutputFormat))
def test_in_a_call_of_one_nothing_is_said_of_other_agents_answers(output: OutputFormat, structured: bool) -> None:
    told = os_section(output=output, structured=structured, alone=True)
    answer = told[told.index(">>> ANSWER <<<") :]
    assert "agent_id" not in answer and "agents" not in answer and "by its id" not in answer
    assert o200k().count(told) < o200k().count(os_section(output=output, structured=structured))
