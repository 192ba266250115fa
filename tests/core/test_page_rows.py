"""What pages show of a beat adds up."""

from decimal import Decimal
from typing import Any

import pytest

from bot.core.kinds import ReasonKind
from bot.core.page_rows import COUNTED, SHARED, TAKEN, beat_row, sections_of
from bot.core.records import AgentId, Beat, BeatId, Usage
from tests.fakes import START, ScriptedModel


def beat(**fields: Any) -> Beat:  # noqa: ANN401
    usage = Usage(input_tokens=100, cost_usd=Decimal("0.25"))
    base: dict[str, Any] = {
        "id": BeatId(1),
        "agent_id": AgentId(1),
        "at": START,
        "reason": ReasonKind.TIMER,
        "usage": usage,
    }
    return Beat(**(base | {"model": "gpt-4o-mini"} | fields))


@pytest.mark.parametrize(("agents", "name"), [(1, COUNTED), (2, SHARED)])
def test_sections_add_up_to_what_was_paid_for(agents: int, name: str) -> None:
    one = beat(sections=(("identity", 60), ("rooms", 30)), agents_in_call=agents)
    assert sections_of(one) == [("identity", 60), ("rooms", 30), (name, 10)]
    assert sum(tokens for _, tokens in sections_of(one)) == 100


def test_where_the_provider_counts_less_than_the_sections_have_it_says_so() -> None:
    one = beat(sections=(("identity", 80), ("rooms", 30)), agents_in_call=1)
    assert sections_of(one) == [("identity", 80), ("rooms", 30), (TAKEN, -10)]


def test_a_cost_is_told_where_the_price_is_known() -> None:
    assert beat_row(beat(), ScriptedModel())["cost_usd"] == 0.25
