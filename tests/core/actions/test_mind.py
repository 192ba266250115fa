"""Actions on what an agent carries: read as models write them, and held to their limits."""

import pytest
from pydantic import ValidationError

from bot.core.actions import Category, Feel, Hud, HudClear, HudStep, HudUpdate, More, PlanGoal, Recall, Set
from bot.core.answer_items import as_action
from bot.core.errors import Rejected


@pytest.mark.parametrize("name", ["knowledge_set", "set_knowledge", "remember", "memory_set"])
def test_what_is_kept_is_kept_under_many_names(name: str) -> None:
    assert as_action({"type": name, "key": "mood", "content": "calm", "weight": 0.5}) == Set(
        path="mood", value="calm", w=0.5
    )


def test_who_says_what_it_is_need_not_say_where_that_stands() -> None:
    assert as_action({"type": "update_self_concept", "text": "a keeper"}) == Set(
        path="character.self_concept", value="a keeper"
    )


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_is_a_part_of_one(weight: float) -> None:
    with pytest.raises(ValidationError):
        Set(path="mood", value=1, w=weight)


def test_only_sections_that_there_are_can_be_shown_written_and_cleared() -> None:
    assert Hud(section="goals").section == "goals" and HudClear().section is None
    for model in (HudUpdate, HudClear):
        with pytest.raises(ValidationError):
            model.model_validate({"section": "goals", "value": []})  # the plan is changed by its own actions


def test_a_step_is_added_unless_it_is_done() -> None:
    assert as_action({"type": "hud_step", "step": "row out"}) == HudStep(text="row out")
    assert as_action({"type": "hud_step", "item": "row out", "op": "done"}) == HudStep(text="row out", action="done")
    with pytest.raises(Rejected):
        as_action({"type": "hud_step", "text": "row out", "action": "burn"})


def test_a_goal_is_named_by_its_words_or_its_number() -> None:
    assert as_action({"type": "set_goal", "goal": 3, "action": "drop"}) == PlanGoal(text="3", action="drop")


def test_a_feeling_is_one_that_there_is_and_a_category_too() -> None:
    assert Feel(emotion="  JOY ", why="").emotion == "joy"
    with pytest.raises(ValidationError):
        Feel.model_validate({"emotion": "hunger"})
    assert More.model_validate({"category": "memory"}).category is Category.MEMORY


def test_a_search_goes_through_all_rooms_unless_it_names_one() -> None:
    assert as_action({"type": "recall", "q": "tea", "n": 3}) == Recall(query="tea", limit=3)
    with pytest.raises(ValidationError):
        Recall(query="")
