"""A community's settings: the installation's, with its own on top, held to their limits."""

import pytest
from pydantic import ValidationError

from bot.core.config import LEAN_TEMPERATURE, WARMEST, CommunityConfig, Manner
from bot.core.hud.prompts import MOST_CHARACTERS
from bot.core.kinds import Detail
from bot.core.records import Json
from tests.factories import agent


def test_a_communitys_own_settings_lie_on_top_of_the_installations() -> None:
    base = CommunityConfig(wpm=90, rpm=100)
    own = base.overlaid({"rpm": 50})
    assert (own.wpm, own.rpm, base.rpm) == (90, 50, 100)
    assert base.overlaid({}) is base


def test_what_was_kept_and_fits_no_more_is_at_its_default_and_the_rest_stands() -> None:
    own = CommunityConfig(wpm=90).overlaid({"wpm": 9_000, "rpm": 50, "no_such_setting": 1})
    assert (own.wpm, own.rpm) == (90, 50)
    with pytest.raises(ValidationError):
        CommunityConfig().tried({"wpm": 9_000})


def test_prompts_lie_on_top_of_each_other_part_by_part_unless_both_are_too_long() -> None:
    base = CommunityConfig(prompts={"silence": "Be quiet."})
    assert base.tried({"prompts": {"memory": "Note it."}}).prompts == {"silence": "Be quiet.", "memory": "Note it."}
    long = "x" * MOST_CHARACTERS
    others: dict[str, Json] = {"bot": long, "data": long}
    assert CommunityConfig(prompts={"silence": long, "time": long}).tried({"prompts": others}).prompts == others


@pytest.mark.parametrize("zone", ["Nowhere/Atall", "../etc/passwd", ""])
def test_a_time_zone_is_one_by_name(zone: str) -> None:
    with pytest.raises(ValidationError, match="Europe/Berlin"):
        CommunityConfig(time_zone=zone)
    assert CommunityConfig(time_zone="Europe/Vienna").time_zone == "Europe/Vienna"


def test_how_warm_a_model_is_asked_is_what_a_trial_found_or_cool_for_a_weak_one() -> None:
    assert [Manner().warmest(lean=lean) for lean in (True, False)] == [LEAN_TEMPERATURE, WARMEST]
    assert [Manner(temperature=0.0).warmest(lean=lean) for lean in (True, False)] == [0.0, 0.0]


@pytest.mark.parametrize("known", [True, False])
def test_how_much_an_agent_is_shown_is_its_own_choice_then_its_models_then_by_what_is_known(known: bool) -> None:
    tried = CommunityConfig(models={"gpt-4o-mini": Manner(detail=Detail.LEAN)})
    assert tried.is_lean(agent(detail=Detail.FULL), known=known) is False
    assert tried.is_lean(agent(), known=known) is True
    assert CommunityConfig().is_lean(agent(), known=known) is not known
