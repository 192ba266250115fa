"""What a run is made of."""

from decimal import Decimal

from bot.core.config import CommunityConfig
from bot.core.runs.spec import MONEY_AND_PLACES, RunAgent, RunScene, RunSpec

TWO = (RunAgent(template="Wren"), RunAgent(template="Sage", model="gpt-4o"))


def test_a_runs_community_has_no_day_to_spend_and_no_limit_to_talk() -> None:
    config = RunSpec(agents=TWO, model="gpt-4o-mini", scene=RunScene(kind="chat"), budget=Decimal(3)).config
    assert (config.usd_per_day, config.banter, config.model, config.greets) == (None, 0, "gpt-4o-mini", False)


def test_the_models_are_those_of_the_run_and_of_its_agents_once_each() -> None:
    run = RunSpec(agents=TWO, model="gpt-4o", scene=RunScene(kind="chat"))
    assert run.models == ("gpt-4o",)
    assert RunSpec(agents=TWO, model="gpt-4o-mini", scene=RunScene(kind="chat")).models == ("gpt-4o-mini", "gpt-4o")


def test_what_is_said_stands_over_what_the_preset_says() -> None:
    scene = RunScene.model_validate(
        {"kind": "council", "preset": "meeting", "ordering": "random", "options": {"turns": 7}}
    )
    assert scene.chosen == {"host": False, "turns": 7, "ordering": "random"}


def test_what_a_run_has_no_use_for_is_a_setting() -> None:
    assert set(CommunityConfig.model_fields) >= MONEY_AND_PLACES
