"""Actions on the community are people's: whoever wishes is ignored, and the rest is for those who manage."""

import pytest
from pydantic import ValidationError

from bot.core.actions import CATALOGUE, Category, SetIgnored, SetMuted, SetSetting
from bot.core.actions.definition import Definition, People

THEM = [one for one in CATALOGUE if one.category is Category.COMMUNITY]


@pytest.mark.parametrize("definition", THEM, ids=lambda one: one.name)
def test_no_agent_has_a_say_in_them(definition: Definition) -> None:
    assert not definition.for_agents and not definition.listed


def test_everyone_may_be_left_alone_even_while_nobody_listens_to_them() -> None:
    assert SetIgnored.definition.people is People.EVERYONE and SetIgnored.definition.of_unheard
    assert SetIgnored().ignored
    assert SetMuted.definition.people is People.MANAGERS and not SetMuted.definition.of_unheard


def test_a_setting_without_a_value_goes_back_to_its_default() -> None:
    assert SetSetting(name="wpm").value is None
    assert SetSetting(name="prompts", value={"silence": "Be quiet."}).value == {"silence": "Be quiet."}
    with pytest.raises(ValidationError):
        SetSetting.model_validate({"value": 3})
