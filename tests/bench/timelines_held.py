"""What life notices of trees: nothing. Answers in time, no row and no request more, and what was taken over goes again.

Beside it stand SocialSim4's figures, measured with its own mock model and three agents.
"""

import asyncio
import random
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from bot.core.actions import Set
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import AgentId, Json
from bot.core.timelines.changes import AgentCtx
from bot.core.timelines.comparing import flat
from bot.core.timelines.growth import Growth
from bot.core.timelines.records import NodeId
from bot.engine.front_desk.merges import Merges
from bot.engine.front_desk.timelines import Timelines
from tests.bench import Figure
from tests.bench.timelines_grown import SIBLINGS, TALKATIVE, TURNS, WIDE, chatty, secluded
from tests.chaos.timelines import hold
from tests.engine.front_desk.test_merges import perform
from tests.engine.front_desk.test_timelines import GUILD, desk
from tests.engine.hearts import Hearts, everyone_says
from tests.engine.timelines.garden import BOSS, EVENT, Garden, garden
from tests.fakes import ScriptedModel

ANSWERS, MODEL_SECONDS = 60, 0.3  # answers that are measured, and how long a quick model takes for one
MOST_SLOTS = 120
MERGES, PATHS = 40, 25
SEED, OPERATIONS, KILLS = 41_268, 10_000, 200
BESIDE = (
    ("a_tree_of_120_one-turn_nodes", 187, "MB"),
    ("cloning_at_node_10", 8, "ms"),
    ("cloning_at_node_100", 38, "ms"),
    ("orders_of_three_clones_of_one_node", 3, "orders"),
)


async def answered(home: Hearts, number: int) -> float:
    """Ask an agent something, and give how many seconds its answer took."""
    begun, before = time.perf_counter(), len(home.publisher.posts)
    await home.hear(f"Agent1, what do you think of {number}?")
    for _ in range(MOST_SLOTS):
        await home.slot(1.0)
        if len(home.publisher.posts) > before:
            return time.perf_counter() - begun
    raise RuntimeError("nobody answered")


async def p95(home: Hearts, first: int) -> float:
    """Give within which time 95 of 100 answers came."""
    took = sorted([await answered(home, first + number) for number in range(ANSWERS)])
    return took[int(ANSWERS * 0.95)]


def slowed(model: ScriptedModel) -> None:
    """Let a model take its time."""
    at_once = model.answer

    async def answer(call: ModelCall) -> ModelAnswer:
        await asyncio.sleep(MODEL_SECONDS)
        return await at_once(call)

    model.answer = answer  # type: ignore[method-assign]


async def live() -> list[Figure]:
    """Measure live answers alone, and then while trees grow as fast as they can, in a process of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with garden(folder, everyone_says("Here."), config=TALKATIVE) as grown:
            (event,) = await grown.grow("branch", 0, changes=EVENT)
            grown.house.model = ScriptedModel()
            grown.house.model.script.extend([chatty] * 99_999)
            slowed(grown.home.model)
            await p95(grown.home, 0)  # everything is loaded now
            alone = await p95(grown.home, 1_000)
            async with secluded(grown, folder) as (grower, house):
                await grower.read(grown.key, event.id)

                async def grow() -> None:
                    while True:
                        house.over.clear()
                        house.left = SIBLINGS
                        growth = Growth(
                            what="multi", by=BOSS, nodes=(event.id,), siblings=SIBLINGS, turns=TURNS, limits=WIDE
                        )
                        await grower.grow(grown.key, growth)
                        await house.over.wait()

                growing = asyncio.create_task(grow())
                beside = await p95(grown.home, 2_000)
                growing.cancel()
                with suppress(asyncio.CancelledError):
                    await growing
                turns = sum(one.turns for one in await grown.trees.nodes(grown.key))
    return [
        Figure(name="timelines.live_answer_p95", value=alone * 1e3, unit="ms"),
        Figure(name="timelines.live_answer_p95_while_trees_grow", value=beside * 1e3, unit="ms"),
        Figure(
            name="timelines.live_answer_p95_while_trees_grow_beside_without",
            value=beside / alone,
            unit="times",
            target=1.1,
        ),
        Figure(name="timelines.turns_that_they_took_meanwhile", value=turns, unit="turns"),
    ]


async def known(grown: Garden) -> dict[str, Json]:
    """Give what the first agent knows in life."""
    return flat(dict((await grown.home.view(1)).mind_of(AgentId(1)).knowledge))


def drawn(chance: random.Random, how_many: int, by: str) -> dict[str, Json]:
    """Give values at paths, some of them within one another's parents."""
    numbers = chance.sample(range(PATHS), how_many)
    return {f"of{number % 5}.path{number}": f"{by} {chance.randrange(1_000)}" for number in numbers}


async def taken_back(there: Timelines, grown: Garden, chance: random.Random) -> tuple[int, int]:
    """Take a world's memories over, touch some in life, and take it back; gives how many were put back, and not."""
    await perform(grown, *(Set(path=path, value=value) for path, value in drawn(chance, 8, "life").items()))
    timeline = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
    wanted = drawn(chance, 12, "node")
    changes = (AgentCtx(agent_id=1, actions=tuple(Set(path=path, value=value) for path, value in wanted.items())),)
    growth = Growth(what="branch", by=BOSS, nodes=(NodeId(0),), changes=changes)
    (node,) = await there.grow(timeline, BOSS, growth)
    await there.orchard.grower.finished()  # type: ignore[union-attr]
    before = await known(grown)
    merges = Merges(there.office, there.orchard)
    told = await merges.take(GUILD, BOSS, timeline, node.id, "all")
    touched = dict(chance.sample(sorted(wanted.items()), 3))
    await perform(grown, *(Set(path=path, value="touched") for path in touched))
    await merges.put_back(GUILD, BOSS, int(told.partition("merge:")[2].partition("`")[0]))
    after = await known(grown)
    await there.remove(timeline, BOSS)
    paths = {*before, *wanted} - {*touched}
    return len(paths), sum(before.get(path) != after.get(path) for path in paths)


async def unmerged() -> list[Figure]:
    """Take over and take back, again and again, what overlaps with what life knows and learns."""
    chance = random.Random(9)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        async with garden(Path(folder), everyone_says("Here.")) as grown:
            there = desk(grown)
            async with grown.home.store.writing(grown.key.community_id) as write:
                await write.people.put(grown.key.community_id, BOSS)
            rounds = [await taken_back(there, grown, chance) for _ in range(MERGES)]
    paths, wrong = (sum(one) for one in zip(*rounds, strict=True))
    return [
        Figure(name="timelines.paths_of_merges_not_touched_since", value=paths, unit="paths"),
        Figure(name="timelines.of_them_not_as_before_after_unmerge", value=wrong, unit="paths", target=0),
    ]


async def apart() -> list[Figure]:
    """Do thousands of things to trees and kill their process amid them, and look whether life differs anywhere."""
    trial = await hold(SEED, OPERATIONS, KILLS, None, lambda told: None)
    return [
        Figure(
            name="timelines.random_operations",
            value=trial.operations,
            unit="operations",
            target=OPERATIONS,
            better="higher",
        ),
        Figure(name="timelines.kills_amid_them", value=trial.kills, unit="kills", target=KILLS * 0.8, better="higher"),
        Figure(name="timelines.times_that_a_row_of_life_differed", value=trial.wrong, unit="times", target=0),
        Figure(
            name="timelines.foreign_requests", value=len(trial.lines) + trial.posts, unit="lines and posts", target=0
        ),
        Figure(name="timelines.recorded_answers_paid_twice", value=trial.purse.paid_twice, unit="answers", target=0),
    ]


def beside() -> list[Figure]:
    """Give what the same costs there."""
    return [Figure(name=f"timelines.SocialSim4:_{name}", value=value, unit=unit) for name, value, unit in BESIDE]


PARTS = (live, unmerged, apart)


async def measured() -> list[Figure]:
    """Measure all of it, one after the other."""
    found = [await part() for part in PARTS]
    return [*(figure for figures in found for figure in figures), *beside()]
