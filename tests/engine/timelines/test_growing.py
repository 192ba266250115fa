"""Trees grow by the same engine as life goes on, and nothing of them is ever in it."""

import asyncio
from pathlib import Path

import pytest

from bot.core.actions import Set
from bot.core.errors import ModelUnreachable, Rejected
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import AgentId
from bot.core.timelines.changes import AgentCtx, PublicEvent, Settings
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import Edge, NodeId, Status, TreeKey
from bot.engine.timelines.answers import GrantSpent
from tests.engine.hearts import everyone_says
from tests.engine.test_replaying import moody
from tests.engine.timelines.garden import BOSS, Asked, garden, operations

EVENT = (PublicEvent(room_id=1, text="The lights go out."),)


async def test_a_node_goes_on_from_the_fork_and_says_what_was_said(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("So it could have been.")) as grown:
        before = await grown.home.lines()
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        assert (event.status, event.turns, event.edge) == (Status.DONE, 0, Edge.PUBLIC_EVENT)
        (node,) = await grown.grow("advance", event.id, turns=2)
        assert (node.status, node.turns, node.outcome) == (Status.DONE, 2, "")
        told = await grown.lines(node.id)
        assert told[: len(before) + 1] == [*before, ("System", "The lights go out.")]
        assert [text for _, text in told].count("So it could have been.") == 2
        assert await grown.home.lines() == before
        assert grown.home.publisher.posts == []


async def test_where_nobody_has_a_reason_a_node_is_quiet_and_nothing_goes_on_from_it(tmp_path: Path) -> None:
    async with garden(tmp_path, moody) as grown:
        (node,) = await grown.grow("advance", 0)
        assert (node.turns, node.outcome) == (0, "quiet")
        with pytest.raises(Rejected, match="nobody has a reason: give an event"):
            await grown.grow("advance", node.id)
        assert len(await grown.trees.nodes(grown.key)) == 2


async def test_a_run_again_from_the_record_asks_nobody_and_differs_in_nothing(tmp_path: Path) -> None:
    async with garden(tmp_path, moody) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        nodes = [event, *await grown.grow("chain", event.id, turns=3)]
        nodes += await grown.grow("multi", nodes[0].id, siblings=3, turns=2)
        asked = len(grown.house.answered)
        assert asked > 5
        for node in nodes:
            assert node.status is Status.DONE, node.outcome
            assert await grown.operations.rerun(grown.key, node.id) == ""
        assert len(grown.house.answered) == asked


async def test_the_architect_asks_an_agent_which_answers(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Wood.")) as grown:
        (node,) = await grown.grow("ask", 0, asked=(AgentId(1), "of what is the boat?"))
        assert node.edge is Edge.ASK
        assert (await grown.lines(node.id))[-2:] == [
            ("The Architect (@boss)", "Agent1, of what is the boat?"),
            ("1", "Wood."),
        ]
        assert await grown.operations.rerun(grown.key, node.id) == ""


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


async def test_a_model_that_fails_five_times_fails_its_node_and_no_sibling(tmp_path: Path) -> None:
    def down(call: ModelCall) -> str:
        raise ModelUnreachable("Nothing answers there.")

    async with garden(tmp_path, down) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        (node,) = await grown.grow("advance", event.id)
        assert (node.status, node.outcome) == (Status.FAILED, "Nothing answers there.")
        grown.home.model.script.clear()
        grown.home.model.script.extend([everyone_says("Here.")] * 99)
        (other,) = await grown.grow("advance", event.id)
        assert other.status is Status.DONE


async def test_a_spent_grant_ends_a_node_at_a_turn(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        asked = 0

        def count(call: ModelCall) -> None:
            nonlocal asked
            asked += 1
            if asked > 2:
                raise GrantSpent("spent")

        grown.house.before = count
        (node,) = await grown.grow("advance", event.id, turns=9)
        assert (node.status, node.turns, node.outcome) == (Status.DONE, 2, "the money of its grant was spent")
        assert await grown.operations.rerun(grown.key, node.id) == ""


class Hangs(Asked):
    """Answers three calls and then no more."""

    hanging = asyncio.Event()

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        if sum(id_ == node_id for id_, _ in self.answered) == 3:
            self.hanging.set()
            await asyncio.Event().wait()
        return await super().answer(key, node_id, call)


async def test_a_run_that_broke_off_goes_on_and_pays_for_no_answer_twice(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        whole = [await grown.trees.node(grown.key, one.id) for one in await grown.grow("advance", event.id, turns=5)]
        paid = [call.input for id_, call in grown.house.answered if id_ == whole[0].id]
        hangs = Hangs(grown.home.model, answered=grown.house.answered)
        broken = operations(grown.trees, hangs, grown)
        growth = Growth(what="advance", by=BOSS, nodes=(event.id,), turns=5)
        await broken.grow(grown.key, growth)
        async with asyncio.timeout(20):
            await hangs.hanging.wait()
        await broken.close()  # as when the process is killed
        again = operations(grown.trees, grown.house, grown)
        (queued,) = await again.resume(grown.key)
        await again.finished()
        ended = await grown.trees.node(grown.key, queued.id)
        assert (ended.status, ended.turns) == (Status.DONE, whole[0].turns)
        once = [call.input for id_, call in grown.house.answered if id_ == ended.id]
        assert len(once) == len(set(once)) == len(paid)
        assert await again.rerun(grown.key, ended.id) == ""
