"""The short form of `make chaos`: a few kills while requests fail, and nothing is lost, doubled or out of order."""

from pathlib import Path

import pytest

from tests.chaos import scenes
from tests.chaos.trial import Plan, hold


@pytest.mark.e2e
async def test_a_community_survives_kills_and_faults(tmp_path: Path) -> None:
    lived: list[str] = []
    verdict = await hold(Plan(seed=20_261_121, kills=3, fault_share=0.2, early_share=0.0), tmp_path, lived.append)
    assert verdict.wrong == []
    assert verdict.counts["messages of people"] > 20
    assert verdict.counts["posts of agents"] > 0
    assert len(lived) == 3


@pytest.mark.e2e
@pytest.mark.long
async def test_a_council_that_is_killed_loses_no_move_and_ends_as_without_kills(tmp_path: Path) -> None:
    verdict = await scenes.hold(20_261_122, 2, tmp_path, print, kinds=["council"])
    assert verdict.wrong == []
    assert verdict.counts["moves confirmed"] > 1
    assert verdict.counts["steps"] > verdict.counts["moves confirmed"]
    assert verdict.counts["kills"] == 2
