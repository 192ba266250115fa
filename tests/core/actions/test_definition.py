"""One definition gives an action its signature, its line in the HUD, and who may do it."""

import pytest
from pydantic import ValidationError

from bot.core.actions import BY_NAME, CATALOGUE, Category, CreateAgent, Definition, Reply
from bot.core.actions.definition import OF_THE_RETIRED, TOUCHES_OTHERS, for_people_only, marked


def test_a_signature_marks_what_may_be_left_out_and_leaves_out_what_only_people_give() -> None:
    definition = CreateAgent.definition
    assert definition.signature == "create_agent(name?, background_prompt, agent_type?, in_room_id?)"
    hidden = [name for name, info in definition.parameters.items() if for_people_only(info)]
    assert hidden and not set(hidden) & definition.agent_parameters.keys()


@pytest.mark.parametrize("definition", CATALOGUE, ids=lambda one: one.name)
def test_what_an_action_may_do_follows_from_its_category(definition: Definition) -> None:
    assert definition.alone_only is (definition.category in TOUCHES_OTHERS)
    if definition.category in OF_THE_RETIRED:
        assert definition.of_retired
    assert definition.hud_line.startswith(f"{definition.name}(")
    assert not definition.listed or definition.for_agents


def test_an_action_is_frozen_and_takes_nothing_that_it_does_not_know() -> None:
    reply = Reply(room_id=3, message_id=12, message="  yes ")
    assert reply.message == "yes"
    with pytest.raises(ValidationError):
        reply.message = "no"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Reply.model_validate({"room_id": 3, "message_id": 12, "message": "yes", "loud": True})


def test_names_are_one_to_an_action() -> None:
    assert all(BY_NAME[one.name] is one for one in CATALOGUE)
    assert {one.category for one in CATALOGUE} <= set(Category)
    optional = {name: info for one in CATALOGUE for name, info in one.parameters.items() if not info.is_required()}
    assert all(marked(name, info) == f"{name}?" for name, info in optional.items())
