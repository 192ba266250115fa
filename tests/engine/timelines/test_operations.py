"""Nodes are made, run, stopped and deleted, also through an end amid it."""

import asyncio
from pathlib import Path

import pytest

from bot.core.errors import Rejected, StoreError
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import CommunityId
from bot.core.timelines.growth import QUIET_PARENT, Growth, planned
from bot.core.timelines.records import NodeId, Status, TreeKey
from bot.engine.timelines.operations import Slots
from storage.timelines.trees import SqlTrees
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import BOSS, EVENT, Asked, garden, operations
from tests.fakes import START


class Hangs(Asked):
    """Answers three calls and then no more."""

    hanging = asyncio.Event()

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        if sum(id_ == node_id for id_, _ in self.answered) == 3:
            self.hanging.set()
            await asyncio.Event().wait()
        return await super().answer(key, node_id, call)


@pytest.mark.slow
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


async def test_of_a_process_that_hung_only_what_ran_is_given_up(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        growth = Growth(what="multi", by=BOSS, nodes=(event.id,), siblings=2)
        wanted = planned(growth, await grown.trees.nodes(grown.key), "seed")
        ran, waited = await grown.trees.add(grown.key, wanted, at=START)
        async with grown.trees.open(grown.key, ran.id):
            await grown.operations.give_up(grown.key, (ran.id, waited.id), "It hung.")
        found = [await grown.trees.node(grown.key, one.id) for one in (ran, waited)]
        assert [(one.status, one.outcome) for one in found] == [(Status.FAILED, "It hung."), (Status.QUEUED, "")]


async def test_a_subtree_is_deleted_with_what_runs_in_it_and_the_root_stays(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        hangs = Hangs(grown.home.model)
        broken = operations(grown.trees, hangs, grown)
        growth = Growth(what="chain", by=BOSS, nodes=(event.id,), turns=3)
        made = await broken.grow(grown.key, growth)
        with pytest.raises(Rejected, match="The root stays"):
            await broken.delete(grown.key, NodeId(0))
        assert list(await broken.delete(grown.key, made[1].id)) == [made[1].id, made[2].id]
        await broken.finished()
        assert [one.id for one in await grown.trees.nodes(grown.key)] == [0, event.id, made[0].id]


async def test_why_a_node_cannot_be_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:

        async def full(*_: object) -> object:
            raise StoreError("The disk is full: free some space.")

        monkeypatch.setattr(grown.trees, "keep", full)
        (node,) = await grown.grow("branch", 0, changes=EVENT)
        assert (grown.over, grown.unkept) == ([None], ["The disk is full: free some space."])
        assert not node.status.is_over


async def test_a_node_that_runs_is_stopped_after_its_present_call(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        asked, answer = asyncio.Event(), grown.house.answer

        async def slow(key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
            asked.set()
            await asyncio.sleep(0)
            return await answer(key, node_id, call)

        grown.house.answer = slow  # type: ignore[method-assign]
        (node,) = await grown.operations.grow(grown.key, Growth(what="advance", by=BOSS, nodes=(event.id,), turns=20))
        await asked.wait()
        stopped = await grown.operations.stop(grown.key, node.id)
        assert (stopped.status, stopped.outcome) == (Status.STOPPED, "somebody stopped it")
        assert stopped.turns < 20


async def test_a_link_after_a_quiet_one_is_not_begun(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        nodes = await grown.grow("chain", 0, turns=3)
        assert [one.outcome for one in nodes[:2]] == ["quiet", f"Node {nodes[0].id} is quiet: {QUIET_PARENT}."]
        assert [one.status for one in nodes] == [Status.DONE, Status.STOPPED, Status.STOPPED]


@pytest.mark.slow
async def test_siblings_are_told_of_when_they_are_over(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        nodes = await grown.grow("multi", event.id, siblings=8, turns=1)
        assert {one.id for one in grown.over if one is not None} == {event.id, *(one.id for one in nodes)}
        assert len({one.seed for one in nodes}) == 8


class Counts(Asked):
    """Notes how many nodes run at most."""

    most = 0
    trees: SqlTrees

    async def answer(self, key: TreeKey, node_id: NodeId, call: ModelCall) -> ModelAnswer:
        running = sum(one.status is Status.RUNNING for one in await self.trees.nodes(key))
        self.most = max(self.most, running)
        return await super().answer(key, node_id, call)


@pytest.mark.slow
@pytest.mark.parametrize("worlds", [4, 2])
async def test_so_many_worlds_run_at_once_as_it_is_set(tmp_path: Path, worlds: int) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        (event,) = await grown.grow("branch", 0, changes=EVENT)
        counts = Counts(grown.home.model)
        counts.trees = grown.trees
        held = operations(grown.trees, counts, grown, worlds=worlds)
        await held.grow(grown.key, Growth(what="multi", by=BOSS, nodes=(event.id,), siblings=8, turns=2))
        await held.finished()
    assert counts.most == worlds


HERE, THERE, ELSEWHERE = CommunityId(1), CommunityId(2), CommunityId(3)


class Busy:
    """Nodes that run until they are let go."""

    def __init__(self, most: int, everywhere: int) -> None:
        self.slots = Slots(most, everywhere)
        self.running: list[CommunityId] = []
        self.tasks: list[tuple[asyncio.Task[None], asyncio.Event]] = []

    async def run(self, community_id: CommunityId, ended: asyncio.Event) -> None:
        async with self.slots.taken(community_id):
            self.running.append(community_id)
            await ended.wait()
            self.running.remove(community_id)

    async def begin(self, *communities: CommunityId) -> list[CommunityId]:
        for one in communities:
            ended = asyncio.Event()
            self.tasks.append((asyncio.create_task(self.run(one, ended)), ended))
        return await self.settled()

    async def settled(self) -> list[CommunityId]:
        for _ in range(20):
            await asyncio.sleep(0)
        return sorted(self.running)

    async def end(self, number: int) -> list[CommunityId]:
        self.tasks[number][1].set()
        return await self.settled()

    async def stop(self) -> None:
        for task, _ in self.tasks:
            task.cancel()
        await asyncio.gather(*(task for task, _ in self.tasks), return_exceptions=True)


async def test_a_community_alone_has_all_slots_and_its_many_nodes_leave_others_one_each() -> None:
    busy = Busy(4, 6)
    assert await busy.begin(*[HERE] * 8) == [HERE] * 4
    assert await busy.begin(THERE, THERE) == [HERE] * 4 + [THERE]
    assert await busy.begin(ELSEWHERE) == [HERE] * 4 + [THERE, ELSEWHERE]
    assert await busy.end(0) == [HERE] * 3 + [THERE, ELSEWHERE]  # beyond the slots only who has none goes on
    assert await busy.end(1) == [HERE] * 2 + [THERE, ELSEWHERE]
    assert await busy.end(2) == [HERE] * 2 + [THERE, ELSEWHERE]  # there is a slot again
    assert await busy.end(3) == [HERE] + [THERE] * 2 + [ELSEWHERE]  # for who was served longer ago
    await busy.stop()


async def test_three_communities_that_hold_all_slots_keep_no_fourth_from_its_own() -> None:
    busy = Busy(4, 6)
    fourth, fifth, sixth, seventh = (CommunityId(id_) for id_ in (4, 5, 6, 7))
    held = await busy.begin(HERE, HERE, THERE, THERE, ELSEWHERE, ELSEWHERE)
    assert held == [HERE, HERE, THERE, THERE, ELSEWHERE]
    assert await busy.begin(fourth) == [*held, fourth]
    assert await busy.begin(fifth, sixth, seventh) == [*held, fourth]  # at the bound everybody waits
    assert await busy.end(2) == [HERE, HERE, THERE, ELSEWHERE, fourth, fifth]  # not the next of whom it was
    assert await busy.end(4) == [HERE, HERE, THERE, fourth, fifth, sixth]
    assert await busy.end(6) == [HERE, HERE, THERE, fifth, sixth, seventh]
    await busy.stop()


async def test_who_is_cancelled_gives_its_slot_back() -> None:
    busy = Busy(2, 2)
    assert await busy.begin(HERE, HERE) == [HERE, HERE]
    busy.tasks[0][0].cancel()
    await busy.settled()
    busy.running.clear()  # whoever is cancelled does not say so
    assert await busy.begin(THERE) == [THERE]
    await busy.stop()
