"""Whatever 20 actions an answer holds, one transaction of few statements does them: never one statement an action."""

import asyncio
import json
from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.core.actions import CATALOGUE, Category, CreateKey, Definition, RequestAccess
from bot.core.answers import parse_answer
from bot.core.kinds import OutputFormat
from tests.core.test_permissions import EXAMPLES
from tests.engine.performer.house import ADA, BO, CY, DI, House, open_house
from tests.founding import statements

EVERYDAY = 25
WITH_DOORS_AND_AGENTS = 38  # when an answer also touches every table of keys, requests, members and agents
AT_LENGTH: Mapping[str, object] = dict(EXAMPLES) | {
    "until": "2026-11-20T12:00:00Z",
    "at": "2026-11-20T12:00:00Z",
    "path": "tea.pots",
    "key": "abcd efgh",
}
HARMLESS = [one for one in CATALOGUE if one.listed and one.category not in (Category.ACCESS, Category.AGENTS)]
ALL = [one for one in CATALOGUE if one.listed]


def answer_of(kinds: list[Definition], random: Random) -> str:
    """Write 20 actions; what they name is there more often than not."""
    actions = [{"type": one.name} | {name: _likely(name, random) for name in one.agent_parameters} for one in kinds]
    return json.dumps({"agents": [{"agent_id": int(DI), "responses": [], "actions": actions}]})


def _likely(name: str, random: Random) -> object:
    if name in ("room_id", "in_room_id", "agent_id", "message_id", "request_id", "id", "before"):
        return random.randint(1, 4)
    return f"{AT_LENGTH[name]} {random.randint(1, 9)}" if name in ("query", "text") else AT_LENGTH.get(name)


async def furnish(house: House) -> None:
    """Let there be messages to find, keys to knock with and somebody at the door."""
    for agent_id in (ADA, BO, DI):
        await house.said_by_agent(agent_id, "a line about tea", ADA)
    await house.configure(focus_defaults={"notes": ["be kind"]})
    await house.act(DI, CreateKey(key="abcd efgh", label="blue", uses=3))
    await house.act(BO, CreateKey(key="abcd efgh", label="blue"))
    await house.act(CY, RequestAccess(room_id=int(DI), key="abcd efgh"))


async def number_of_statements(text: str) -> int:
    async with open_house() as house:
        await furnish(house)
        reply = parse_answer(text, asked=[DI], output_format=OutputFormat.JSON).replies[DI]
        with statements(house.store) as asked:
            outcomes = await house.act(DI, *reply.actions, refused=reply.rejected)
        assert len(outcomes) + len(reply.rejected) == 20
    return sum(not str(one).startswith("BEGIN") for one in asked)  # the transaction's beginning is no action's


def check(kinds: list[Definition], most: int) -> None:
    @settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.sampled_from(kinds), min_size=20, max_size=20), st.randoms(use_true_random=False))
    def holds(drawn: list[Definition], random: Random) -> None:
        assert asyncio.run(number_of_statements(answer_of(drawn, random))) <= most

    holds()


def test_20_everyday_actions_of_any_kinds_take_25_statements_at_most() -> None:
    check(HARMLESS, EVERYDAY)


@pytest.mark.long
def test_20_actions_of_any_kinds_at_all_take_few_statements() -> None:
    check(ALL, WITH_DOORS_AND_AGENTS)


@pytest.mark.long
def test_20_actions_of_one_kind_take_25_statements_at_most() -> None:
    random = Random(1)  # noqa: S311
    for one in ALL:
        assert asyncio.run(number_of_statements(answer_of([one] * 20, random))) <= EVERYDAY, one.name
