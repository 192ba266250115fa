"""A family of agents that has used up its share of the day rests; the others go on."""

from decimal import Decimal

from bot.core.aftermath import FAMILY_SHARE
from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.records import AgentId
from tests.engine.hearts import EagerModel, hearts

PARENT, CHILD, OTHER = (AgentId(id) for id in (1, 2, 3))


async def test_a_child_rests_when_its_family_has_spent_its_share_and_others_are_answered() -> None:
    config = CommunityConfig(usd_per_day=Decimal("0.008"))
    async with hearts(3, config=config, together=False, model=EagerModel(room_id=2)) as home:
        await home.apply(UpdateAgent(agent_id=CHILD, fields={"created_by": PARENT}))
        for _ in range(30):
            await home.hear("hi there", room_id=2)
            await home.run(60)
        calls = len(home.model.calls)
        async with home.store.reading() as read:
            family = (await read.usage_by_agent(home.community_id, home.clock.now().date()))[CHILD][1]
            spent = (await read.spent(home.community_id, home.clock.now().date()))[0]
        assert Decimal("0.004") <= family.cost_usd == spent < Decimal("0.005")
        await home.hear("hi there", room_id=3)
        await home.run(60)
        assert len(home.model.calls) == calls + 1
        told = [str(done[-1]) for done in home.publisher.done if done[0] == "notify"]
        assert [text.split(" is spent")[0] for text in told] == [FAMILY_SHARE]
