"""The short form of `make chaos`: a few kills while requests fail, and nothing is lost, doubled or out of order."""

from pathlib import Path

import pytest

from tests.chaos.trial import Plan, hold
from tests.chaos.verdict import Verdict


@pytest.mark.e2e
async def test_a_community_survives_kills_and_faults(tmp_path: Path) -> None:
    lived: list[str] = []
    verdict = await hold(Plan(seed=20_261_121, kills=3, fault_share=0.2, early_share=0.0), tmp_path, lived.append)
    assert verdict.wrong == []
    assert verdict.counts["messages of people"] > 20
    assert verdict.counts["posts of agents"] > 0
    assert len(lived) == 3


async def test_a_verdict_names_each_thing_that_is_wrong() -> None:
    verdict = Verdict({"posts of agents": 3}, ["a person's message was lost: (1, 'hello')"])
    assert "WRONG: a person's message was lost" in str(verdict)
    assert "0 lost" in str(Verdict({"posts of agents": 3}))
