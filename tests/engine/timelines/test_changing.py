"""What is otherwise in a branch keeps the rules of life."""

from pathlib import Path

import pytest

from bot.core.actions import Set
from bot.core.errors import Rejected
from bot.core.records import AgentId
from bot.core.timelines.changes import AgentCtx, Settings
from tests.engine.test_replaying import moody
from tests.engine.timelines.garden import garden


async def test_a_change_that_cannot_be_leaves_no_node(tmp_path: Path) -> None:
    async with garden(tmp_path, moody) as grown:
        good = AgentCtx(agent_id=1, actions=(Set(path="mood", value="calm"),))
        bad = Settings(values={"usd_per_day": 100})
        with pytest.raises(Rejected, match="Change 2: `usd_per_day` cannot be changed in a timeline"):
            await grown.grow("branch", 0, changes=(good, bad))
        assert [one.id for one in await grown.trees.nodes(grown.key)] == [0]
        (node,) = await grown.grow("branch", 0, changes=(good,))
        async with grown.trees.look(grown.key, node.id) as world, world.store.reading() as read:
            view = await read.views.whole(grown.key.community_id, agent_ids=[AgentId(1)], messages=0)
        assert view.mind_of(AgentId(1)).knowledge == {"mood": "calm"}
        assert (await grown.home.view(1)).mind_of(AgentId(1)).knowledge == {}
