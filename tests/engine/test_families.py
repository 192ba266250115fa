"""A family of agents that has used up its share of the day rests; the others go on."""

from decimal import Decimal

import pytest

from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.records import AgentId
from bot.core.spending import Limit
from tests.engine.hearts import EagerModel, hearts
from tests.fakes import START

TODAY = START.date()
PARENT, CHILD, OTHER = (AgentId(id) for id in (1, 2, 3))


@pytest.mark.slow
async def test_a_child_rests_when_its_family_has_spent_its_share_and_others_are_answered() -> None:
    config = CommunityConfig(usd_per_day=Decimal("0.02"))
    async with hearts(3, config=config, together=False, model=EagerModel(room_id=2)) as home:
        await home.apply(UpdateAgent(agent_id=CHILD, fields={"created_by": PARENT}))
        for _ in range(30):
            await home.hear("hi there", room_id=2)
            await home.run(60)
        calls = len(home.model.calls)
        async with home.store.reading() as read:
            family = (await read.money.usage_by_agent(home.community_id, home.clock.now().date()))[CHILD][1]
            spent = (await read.money.spent(home.community_id, home.clock.now().date()))[0]
        assert Decimal("0.006") < family.cost_usd == spent <= Decimal("0.01")  # another call might have cost too much
        await home.hear("hi there", room_id=3)
        await home.run(60)
        assert len(home.model.calls) == calls + 1
        told = [str(done[-1]) for done in home.publisher.done if done[0] == "notify"]
        assert [text.split(" is spent")[0] for text in told] == [Limit.SHARE]


async def test_calls_of_a_family_that_run_together_stay_within_its_share() -> None:
    config = CommunityConfig(usd_per_day=Decimal("0.004"), isolation="solo")
    async with hearts(6, config=config, together=False, model=EagerModel()) as home:
        for child in range(2, 6):
            await home.apply(UpdateAgent(agent_id=AgentId(child), fields={"created_by": PARENT}))
        for room_id in range(1, 6):
            await home.hear("hi there", room_id=room_id)
        await home.run(2)
        families_share = Decimal("0.002")
        async with home.store.reading() as read:
            whole = sum(one.cost_usd for one in (await read.money.spent_by_agent(home.community_id, TODAY)).values())
        assert 0 < whole <= families_share
        assert len(home.model.calls) < 5
